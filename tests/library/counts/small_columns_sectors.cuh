// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_small_columns_dispatch.cuh>

#include "narrow_sectors.cuh"

/// What transpose_small_columns_kernel moves.
namespace counts {

/// What blocks move of `bytes` from `offset` on, a range of so many bytes each, wherever it begins:
/// whole 16-byte words, and what lies in none by one request at either end.
inline std::size_t sectors_of_blocks(std::size_t offset, std::size_t bytes, std::size_t range) {
    std::size_t moved = 0;
    for (std::size_t begin = 0; begin < bytes; begin += range) {
        const std::size_t own = std::min(range, bytes - begin);
        moved += PieceRuns{1, offset + begin, 0, own, own + kWordBytes}.sectors_written(1);
    }
    return moved;
}

/// Of `batch` matrices from `offset` bytes past a line on. Read by words, a warp's lanes
/// neighbours, from the sector on that a matrix begins within, of which only its own words are
/// wanted, and the word that it shares with the last one where they are staged apart; what lies in
/// no whole word of a block's range by one request at either end.
inline Moved move_small_columns(const wideload::detail::SmallColumns& shape, std::size_t batch,
                                std::size_t offset, std::size_t multiprocessors) {
    const std::size_t word = shape.word(), request = kLanes * word;
    unsigned fit = 0;
    shape.stage(&fit);
    const std::size_t matrix = shape.matrix_bytes();
    const std::size_t range = matrix * shape.matrices_per_block(batch, fit, multiprocessors);
    const std::size_t end = offset + batch * matrix;
    Moved moved{0, sectors_of_blocks(offset, batch * matrix, range)};
    for (std::size_t block = offset; block < end; block += range) {
        const std::size_t behind = std::min(block + range, end);
        const std::size_t first = round_up(block, word), last = round_down(behind, word);
        moved.read += (first != block) + (last != behind);
        for (std::size_t begin = block; begin < behind; begin += matrix) {
            const std::size_t own =
                std::max(shape.pad() == 0 ? round_up(begin, word) : round_down(begin, word), first);
            for (std::size_t from = round_down(begin, kSectorBytes); from < begin + matrix;
                 from += request)
                moved.read += sectors_between(
                    std::max(from, own),
                    std::min({from + request, round_up(begin + matrix, word), last}));
        }
    }
    return moved;
}

}  // namespace counts
