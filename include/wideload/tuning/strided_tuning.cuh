// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace wideload::tuning {

inline constexpr int kStridedThreads = 256;
/// From this distance of neighbours on, in bytes, a thread moves one word: DRAM then sees the
/// addresses more nearly in order. Measured by bench/library/strided_tuning.cu; see NOTES.md.
inline constexpr std::size_t kStridedFarBytes = 64;
/// And of so few words of `Bytes` bytes, which are brought early.
template <int Bytes>
inline constexpr std::size_t kStridedByOne = std::size_t{1} << (Bytes < 4 ? 16 : 17);
/// Words of `Bytes` bytes that a thread has in flight where neighbours are nearer, or anywhere.
template <int Bytes>
inline constexpr int kStridedWords = Bytes <= 4 ? 4 : 2;

/// Where indices name the elements, a thread moves one until there are as many as threads fit the
/// GPU at once, and two up to four times as many: at random places each access of a warp is 32, and
/// what hides their time is warps. Measured by bench/library/strided_bench.cu; see NOTES.md.
inline constexpr std::size_t kIndexedByOne = std::size_t{1} << 18;
inline constexpr std::size_t kIndexedByTwo = std::size_t{1} << 20;

/// The most words of `bytes` bytes of named rows that a thread has in flight, of rows that are
/// whole words and of those that are shifted, whose addresses are multiples of `unit`: what is
/// written at places named is fastest by fewer. See NOTES.md for what was measured.
constexpr int row_words_each(int bytes, bool scattered) {
    if (bytes == 4) return 4;
    return (bytes == 8 ? 4 : 2) / (scattered ? 2 : 1);
}
constexpr int slipped_row_words_each(int bytes, int unit, bool gathered) {
    if (bytes == 4) return unit == 1 ? 4 : 2;
    return unit == 1 && !gathered ? 1 : 2;
}
/// Where rows of single bytes are gathered, a thread moves one of those 16-byte words, unless there
/// are as many as this of rows of so many bytes.
inline constexpr std::size_t kGatheredByOne = std::size_t{1} << 20, kGatheredByTwoRowBytes = 192;

/// From here on, rows that are no whole words of 8 bytes move by 16 bytes, shorter ones by 4.
constexpr std::size_t wide_row_bytes(int unit, bool gathered, bool scattered) {
    if (scattered) return 256;
    if (unit == 4) return 128;
    return gathered ? 44 : 160;
}

}  // namespace wideload::tuning
