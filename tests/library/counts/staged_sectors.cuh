// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sectors.cuh"

/// What wideload/device/kernel/interleave_staged_kernel.cuh moves.
namespace counts {

/// What a block of the staged kernel reads of a range that begins `begin` bytes past a line: its
/// part by aligned words, rows of 32 of them from the sector on in which it begins; where that is
/// no whole vector, one vector behind each row; where a word would reach outside, its bytes.
template <class Side>
std::size_t sectors_staged(std::size_t begin, std::size_t count, std::size_t tile,
                           std::size_t held) {
    const std::size_t item = Side::kItem, end = begin + count * item;
    std::size_t sum = 0;
    for (std::size_t first = 0; first < count; first += tile) {
        const std::size_t from = begin + first * item;
        const std::size_t to = std::min(from + held * item, end);
        const auto is_inside = [&](std::size_t byte, std::size_t bytes) {
            return byte < to && byte >= begin && byte + bytes <= end;
        };
        for (std::size_t row = round_down(from, kSectorBytes); row < to; row += kWarpBytes) {
            std::vector<std::size_t> words;
            for (std::size_t word = row; word < row + kWarpBytes; word += kWordBytes) {
                if (is_inside(word, kWordBytes)) words.push_back(word);
            }
            sum += sectors_of_lanes(words, 1, kWordBytes);
            const bool is_late = from % Side::kVectorBytes != 0;
            if (is_late && is_inside(row + kWarpBytes, Side::kVectorBytes)) ++sum;
        }
        std::vector<std::size_t> bytes;
        const std::size_t first_word = round_down(begin, kWordBytes);
        for (std::size_t i = begin; first == 0 && i > first_word && i < first_word + kWordBytes;
             ++i)
            if (i < to) bytes.push_back(i);
        for (std::size_t i = round_down(end, kWordBytes); i < end; ++i)
            if (i >= from && i < to) bytes.push_back(i);
        sum += sectors_of_lanes(bytes, 1, 1);
    }
    return sum;
}

/// The same of what a block writes: whole sectors but at the ends of all, by the same rows; where a
/// word at either end is not the range's alone, its bytes, those of both ends together.
template <class Side>
std::size_t sectors_drained(std::size_t begin, std::size_t count, std::size_t tile) {
    const std::size_t item = Side::kItem, end = begin + count * item;
    std::size_t sum = 0;
    for (std::size_t first = 0; first < count; first += tile) {
        const std::size_t from = begin + first * item;
        const std::size_t low = first == 0 ? from : std::min(round_up(from, kSectorBytes), end);
        const std::size_t high =
            count - first <= tile ? end : std::min(round_up(from + tile * item, kSectorBytes), end);
        for (std::size_t row = round_down(from, kSectorBytes); row < high; row += kWarpBytes) {
            std::vector<std::size_t> words;
            for (std::size_t word = row; word < row + kWarpBytes; word += kWordBytes) {
                if (word >= low && word + kWordBytes <= high) words.push_back(word);
            }
            sum += sectors_of_lanes(words, 1, kWordBytes);
        }
        std::vector<std::size_t> bytes;
        for (std::size_t i = low; i < std::min(round_up(low, kWordBytes), high); ++i)
            bytes.push_back(i);
        for (std::size_t i = std::max(round_down(high, kWordBytes), low); i < high; ++i)
            bytes.push_back(i);
        sum += sectors_of_lanes(bytes, 1, 1);
    }
    return sum;
}

}  // namespace counts
