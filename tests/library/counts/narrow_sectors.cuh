// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transpose.cuh>

#include "sectors.cuh"

/// What wideload/device/kernel/transpose_narrow_kernel.cuh moves.
namespace counts {

/// One side of a piece: `runs` runs of `bytes` bytes from `begin` on, `pitch` apart, which lie
/// `staged` bytes apart in shared memory. Neighbouring lanes ask for neighbouring words of that.
struct PieceRuns {
    std::size_t runs, begin, pitch, bytes, staged;

    /// Of all words that `is_moved(from, to, word)` says are moved, of a run from `from` to `to`.
    template <class IsMoved>
    std::size_t sectors_of_words(IsMoved is_moved) const {
        std::size_t sum = 0;
        const std::size_t run_words = staged / kWordBytes, words = runs * run_words;
        for (std::size_t first = 0; first < words; first += kLanes) {
            std::set<std::size_t> request;
            for (std::size_t word = first; word < first + kLanes && word < words; ++word) {
                const std::size_t from = begin + word / run_words * pitch;
                const std::size_t at = round_down(from, kWordBytes) + word % run_words * kWordBytes;
                if (is_moved(from, from + bytes, at)) request.insert(at / kSectorBytes);
            }
            sum += request.size();
        }
        return sum;
    }

    /// Read: each word that a run reaches into; of those that stick out of the matrices, which lie
    /// from `first` to `last`, by units what is the run's.
    std::size_t sectors_read(std::size_t first, std::size_t last) const {
        const auto is_inside = [&](std::size_t word) {
            return word >= first && word + kWordBytes <= last;
        };
        std::size_t outside = 0;
        for (std::size_t run = 0; run < runs; ++run) {
            const std::size_t from = begin + run * pitch;
            for (std::size_t word = round_down(from, kWordBytes); word < from + bytes;
                 word += kWordBytes)
                outside += !is_inside(word);
        }
        return outside + sectors_of_words([&](std::size_t, std::size_t to, std::size_t word) {
                   return word < to && is_inside(word);
               });
    }

    /// Written: words that are a run's alone; then by units the words that the runs begin within,
    /// and those that they end within, of so many runs at a time.
    std::size_t sectors_written(std::size_t together) const {
        std::size_t sum = sectors_of_words([](std::size_t from, std::size_t to, std::size_t word) {
            return word >= from && word + kWordBytes <= to;
        });
        for (std::size_t run = 0; run < runs; run += together) {
            std::set<std::size_t> begins, ends;
            for (std::size_t own = run; own < std::min(run + together, runs); ++own) {
                const std::size_t from = begin + own * pitch, to = from + bytes;
                const std::size_t first = round_down(from, kWordBytes);
                const std::size_t last = round_down(to, kWordBytes);
                if (first != from) begins.insert(first / kSectorBytes);
                if (last != to && !(first != from && first == last))
                    ends.insert(last / kSectorBytes);
            }
            sum += begins.size() + ends.size();
        }
        return sum;
    }
};

/// Of `batch` matrices, from `offset` bytes past a line on, of elements of `size` bytes.
inline Moved move_narrow(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t size,
                         std::size_t offset, std::size_t multiprocessors) {
    const auto* at = reinterpret_cast<const char*>(offset);
    const wideload::detail::NarrowMatrices matrices{
        at, const_cast<char*>(at), rows, columns, batch, static_cast<unsigned>(size)};
    const std::size_t length = matrices.length(), narrow = matrices.narrow(),
                      line = matrices.line(), bytes = length * line;
    const bool aligned = matrices.all_at(kWordBytes);
    // Elements of 1 and 2 bytes move by words of 4.
    const std::size_t item = size <= 2 ? 4 / size : 1;
    const auto within = [](std::size_t stride) { return stride % 4 == 0 || stride <= 4; };
    unsigned apart = 1;
    while (!within(line * item * apart) || !within(size * item * apart)) apart *= 2;
    const std::size_t piece =
        matrices.piece(static_cast<unsigned>(kLanes * item) * apart, 2 * multiprocessors);
    // Units of the words that a warp shares out, and of how many runs those are at most.
    const std::size_t lanes = kWordBytes / widest_word(size);
    const std::size_t together = std::min<std::size_t>(4, kLanes / lanes);
    Moved moved;
    for (std::size_t matrix = 0; matrix < batch; ++matrix) {
        for (std::size_t first = 0; first < length; first += piece) {
            const std::size_t elements = std::min(piece, length - first);
            const std::size_t begin = offset + matrix * bytes;
            const PieceRuns range{1, begin + first * line, 0, elements * line,
                                  round_up(piece * line, kWordBytes) + kWordBytes};
            const PieceRuns runs{narrow, begin + first * size, length * size, elements * size,
                                 matrices.runs(static_cast<unsigned>(piece), aligned).staged};
            const PieceRuns &from = matrices.tall() ? range : runs,
                            &to = matrices.tall() ? runs : range;
            moved.read += from.sectors_read(offset, offset + batch * bytes);
            moved.written += to.sectors_written(together);
        }
    }
    return moved;
}

}  // namespace counts
