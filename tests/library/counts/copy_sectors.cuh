// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/tuning/copy_tuning.cuh>

#include "case.cuh"
#include "sectors.cuh"

namespace counts {

/// What a copy moves. Whole words are stored from the destination's first line on, by whole warps
/// where the source is aligned otherwise; the bytes around them, fewer than a warp's words and a
/// line, one by one.
class CopiedBytes {
public:
    CopiedBytes(std::size_t bytes, std::size_t from, std::size_t to)
        : bytes_(bytes), from_(from), to_(to), begin_(round_up(to, kLineBytes) - to) {
        shift_ = (from + begin_) % kWordBytes;
        // The aligned words around what is shifted into place must lie inside the source.
        if (begin_ < shift_) begin_ += kLineBytes;
        end_ = begin_ + round_down(bytes - begin_, shift_ == 0 ? kWordBytes : kWarpBytes);
        if (shift_ != 0 && bytes - end_ + shift_ < kWordBytes) end_ -= kWarpBytes;
    }

    bool shifted() const { return shift_ != 0; }
    /// Whether whole words are all there is.
    bool whole() const { return begin_ == 0 && end_ == bytes_; }
    Moved moved() const {
        const std::size_t whole_warps = (end_ - begin_) / kWarpBytes;
        const std::size_t read =
            shifted()
                // 32 words from a sector on, and the odd one before or behind a warp's.
                ? whole_warps * sectors(kWarpBytes) +
                      wideload::divide_up(whole_warps, rows_of_warp())
                : sectors_by_requests(from_ + begin_, from_ + end_, kWarpBytes);
        return {read + edges(from_), sectors(end_ - begin_) + edges(to_)};
    }

private:
    std::size_t rows_of_warp() const {
        const std::size_t words = (end_ - begin_) / kWordBytes;
        const int all = static_cast<int>(multiprocessors());
        return wideload::tuning::copy_pairs_words(90, all, words) ? 2 : 1;
    }
    std::size_t edges(std::size_t offset) const {
        return sectors_around(begin_, end_, bytes_, offset, 1, 1);
    }

    std::size_t bytes_, from_, to_;
    std::size_t begin_, end_ = 0, shift_ = 0;  ///< the bytes that go as words
};

}  // namespace counts
