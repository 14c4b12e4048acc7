// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transpose.cuh>

#include "sectors.cuh"

/// What wideload/device/kernel/transpose_narrow_kernel.cuh moves where runs begin anywhere.
namespace counts {

/// One side of a piece: `runs` runs of `bytes` bytes from `begin` on, `pitch` apart, which lie
/// `staged` bytes apart in shared memory.
struct PieceRuns {
    std::size_t runs, begin, pitch, bytes, staged;

    /// Neighbouring lanes ask for neighbouring words of shared memory, of which only those are
    /// moved that belong to one run; then a warp for the units of each word that a run shares.
    std::size_t sectors() const {
        std::size_t sum = 0;
        const std::size_t run_words = staged / kWordBytes, words = runs * run_words;
        for (std::size_t first = 0; first < words; first += kLanes) {
            std::set<std::size_t> request;
            for (std::size_t word = first; word < first + kLanes && word < words; ++word) {
                const std::size_t from = begin + word / run_words * pitch;
                const std::size_t at = round_down(from, kWordBytes) + word % run_words * kWordBytes;
                if (at >= from && at + kWordBytes <= from + bytes)
                    request.insert(at / kSectorBytes);
            }
            sum += request.size();
        }
        for (std::size_t run = 0; run < runs; ++run) {
            const std::size_t from = begin + run * pitch, to = from + bytes;
            const bool begins = from % kWordBytes != 0, ends = to % kWordBytes != 0;
            const bool same = round_down(from, kWordBytes) == round_down(to, kWordBytes);
            sum += begins + (ends && !(begins && same));
        }
        return sum;
    }
};

/// Of `batch` matrices, from `offset` bytes past a line on, of elements of `size` bytes.
inline Moved move_narrow(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t size,
                         std::size_t offset, std::size_t multiprocessors) {
    const wideload::detail::NarrowMatrices matrices{nullptr, nullptr, rows,
                                                    columns, batch,   static_cast<unsigned>(size)};
    const std::size_t length = matrices.length(), narrow = matrices.narrow(),
                      line = matrices.line();
    const auto within = [](std::size_t stride) { return stride % 4 == 0 || stride <= 4; };
    unsigned apart = 1;
    while (!within(line * apart) || !within(size * apart)) apart *= 2;
    const std::size_t piece =
        matrices.piece(static_cast<unsigned>(kLanes) * apart, 2 * multiprocessors);
    Moved moved;
    for (std::size_t matrix = 0; matrix < batch; ++matrix) {
        for (std::size_t first = 0; first < length; first += piece) {
            const std::size_t elements = std::min(piece, length - first);
            const std::size_t begin = offset + matrix * length * line;
            const PieceRuns together{1, begin + first * line, 0, elements * line,
                                     piece * line + kWordBytes};
            const PieceRuns apart_runs{narrow, begin + first * size, length * size, elements * size,
                                       piece * size + kWordBytes};
            moved.read += (matrices.tall() ? together : apart_runs).sectors();
            moved.written += (matrices.tall() ? apart_runs : together).sectors();
        }
    }
    return moved;
}

}  // namespace counts
