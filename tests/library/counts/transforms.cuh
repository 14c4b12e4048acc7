// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transform.cuh>

#include "../support/mix.cuh"
#include "case.cuh"

/// transform.
namespace counts {

using test::Mix;

template <int Output, int... Inputs, std::size_t... I>
void transform_whole(std::size_t count, std::index_sequence<I...>) {
    const Memory from[] = {Memory(count * Inputs)...};
    const Memory to(count * Output);
    std::string name = "transform of " + std::to_string(count);
    ((name += " " + std::to_string(Inputs)), ...);
    Case(name + " -> " + std::to_string(Output) + " bytes")
        .whole("global_ld", (sectors(count * Inputs) + ...))
        .whole("global_st", sectors(count * Output))
        .run([&] {
            return wideload::transform(from[I].template as<Blob<Inputs>>()...,
                                       to.as<Blob<Output>>(), count, Mix<Blob<Output>>{});
        });
}

template <int Output, int... Inputs>
void transform_whole(std::size_t count) {
    transform_whole<Output, Inputs...>(count, std::make_index_sequence<sizeof...(Inputs)>{});
}

/// Elements a lane: as many as fill a word of the wider stream or, where a size is no power of two,
/// whole words of that stream.
constexpr std::size_t elements_per_lane(std::size_t a, std::size_t b) {
    if (wideload::is_power_of_two(a) && wideload::is_power_of_two(b))
        return wideload::divide_up<std::size_t>(kWordBytes, std::max(a, b));
    const auto fill_words = [](std::size_t size) {
        return wideload::is_power_of_two(size)
                   ? std::size_t{1}
                   : kWordBytes / wideload::greatest_common_divisor(size, kWordBytes);
    };
    return std::max(fill_words(a), fill_words(b));
}

/// Of whole tiles of an input: 32 lanes read `lane` bytes each, from anywhere.
inline std::size_t sectors_of_tiles(std::size_t begin, std::size_t end, std::size_t lane) {
    const std::size_t access = std::min(lane, kWordBytes), request = kLanes * access;
    const std::size_t shift = begin % access;
    if (shift == 0) return sectors_by_requests(begin, end, request);
    // The words that hold a tile: as many as it has from a sector on, and the odd one.
    if (lane >= kWordBytes) return (end - begin) / (kLanes * lane) * (sectors(kLanes * lane) + 1);
    // Lanes of less than a word do not exchange any: each reads both accesses around its own.
    begin -= shift, end -= shift;
    return sectors_by_requests(begin, end, request) +
           sectors_by_requests(begin + lane, end + lane, request);
}

/// Bytes of an access to elements that go one by one: the most that all of them are multiples of,
/// or what their type is aligned to.
template <int Bytes>
std::size_t edge_access(std::size_t offset) {
    constexpr std::size_t kMost = wideload::greatest_common_divisor<std::size_t>(Bytes, kWordBytes);
    return offset % kMost == 0 ? kMost : alignof(Blob<Bytes>);
}

/// Structs of one size go by narrow words where both sides are aligned to those: each request reads
/// a word of 32 lanes.
template <int Bytes>
void transform_by_narrow_words(std::size_t count, std::size_t from_offset, std::size_t to_offset) {
    Memory from(count * Bytes, from_offset), to(count * Bytes, to_offset);
    constexpr std::size_t kWord = wideload::detail::narrow_word(Bytes);
    constexpr std::size_t kTile =
        kLanes * kWord / wideload::greatest_common_divisor<std::size_t>(Bytes, kWord);
    std::size_t begin = 0;
    while ((to_offset + begin * Bytes) % kLineBytes != 0) ++begin;
    const std::size_t end = begin + round_down(count - begin, kTile);
    const std::size_t read =
        sectors_by_requests(from_offset + begin * Bytes, from_offset + end * Bytes, kLanes * kWord);
    Case("transform of " + std::to_string(count) + " structs of " + std::to_string(Bytes) +
         " bytes by words of " + std::to_string(kWord) + " from " + std::to_string(from_offset) +
         " to " + std::to_string(to_offset) + " past a line")
        .wide_exactly("global_ld", read + sectors_around(begin, end, count, from_offset, Bytes,
                                                         edge_access<Bytes>(from_offset)))
        .wide_exactly("global_st", sectors((end - begin) * Bytes) +
                                       sectors_around(begin, end, count, to_offset, Bytes,
                                                      edge_access<Bytes>(to_offset)))
        .run([&] {
            return wideload::transform(from.as<Blob<Bytes>>(), to.as<Blob<Bytes>>(), count,
                                       Mix<Blob<Bytes>>{});
        });
}

/// Whole tiles are stored from the output's first line on. Where the input is misaligned there, the
/// aligned words around it must lie inside of it; the elements that this leaves go one by one.
template <int Output, int Input>
void transform_anywhere(std::size_t count, std::size_t from_offset, std::size_t to_offset) {
    Memory from(count * Input, from_offset), to(count * Output, to_offset);
    constexpr std::size_t kElements = elements_per_lane(Output, Input), kTile = kLanes * kElements;
    std::size_t begin = 0;
    while ((to_offset + begin * Output) % kLineBytes != 0) ++begin;
    const std::size_t access = std::min(Input * kElements, kWordBytes);
    const bool shifted = (from_offset + begin * Input) % access != 0;
    const std::size_t margin = shifted ? wideload::divide_up<std::size_t>(kWordBytes, Input) : 0;
    constexpr std::size_t kLine =
        kLineBytes / wideload::greatest_common_divisor<std::size_t>(Output, kLineBytes);
    while (begin < margin) begin += kLine;
    const std::size_t end = begin + round_down(count - begin - margin, kTile);
    const std::size_t read =
        sectors_of_tiles(from_offset + begin * Input, from_offset + end * Input, Input * kElements);
    Case("transform of " + std::to_string(count) + " " + std::to_string(Input) + " -> " +
         std::to_string(Output) + " bytes from " + std::to_string(from_offset) + " to " +
         std::to_string(to_offset) + " past a line")
        .wide_exactly("global_ld", read + sectors_around(begin, end, count, from_offset, Input,
                                                         edge_access<Input>(from_offset)))
        .wide_exactly("global_st", sectors((end - begin) * Output) +
                                       sectors_around(begin, end, count, to_offset, Output,
                                                      edge_access<Output>(to_offset)))
        .run([&] {
            return wideload::transform(from.as<Blob<Input>>(), to.as<Blob<Output>>(), count,
                                       Mix<Blob<Output>>{});
        });
}

/// Written by the words that lie in [begin, end) alone, in requests of a warp from `lanes_begin`
/// on, which is one.
inline std::size_t sectors_of_whole_words(std::size_t begin, std::size_t end,
                                          std::size_t lanes_begin) {
    const std::size_t first_word = round_up(begin, kWordBytes);
    const std::size_t words_end = round_down(end, kWordBytes);
    std::size_t sum = 0;
    for (std::size_t request = lanes_begin; request < words_end; request += kWarpBytes) {
        sum += sectors_between(std::max(request, first_word),
                               std::min(request + kWarpBytes, words_end));
    }
    return sum;
}

/// Outputs of which no element begins at a word are shifted into words by warps: the words that are
/// a warp's alone from a sector on, and a request for the bytes at both of its ends.
template <int Bytes>
void transform_shifted(std::size_t count, std::size_t from_offset, std::size_t to_offset) {
    Memory from(count * Bytes, from_offset), to(count * Bytes, to_offset);
    constexpr std::size_t kElements = elements_per_lane(Bytes, Bytes);
    constexpr std::size_t kTile = kLanes * kElements;
    const bool read_shifted = from_offset % kWordBytes != 0;
    const std::size_t margin =
        read_shifted ? wideload::divide_up<std::size_t>(kWordBytes, Bytes) : 0;
    const std::size_t begin = read_shifted ? kWordBytes : 0;
    const std::size_t end = begin + round_down(count - begin - margin, kTile);
    std::size_t written = 0;
    for (std::size_t tile = begin; tile < end; tile += kTile) {
        const std::size_t low = to_offset + tile * Bytes, high = low + kTile * Bytes;
        written +=
            sectors_of_whole_words(low, high, round_up(round_down(low, kWordBytes), kSectorBytes));
        written += sectors_between(low, round_up(low, kWordBytes)) +
                   sectors_between(round_down(high, kWordBytes), high);
    }
    Case("transform of " + std::to_string(count) + " structs of " + std::to_string(Bytes) +
         " bytes from " + std::to_string(from_offset) + " shifted to " + std::to_string(to_offset) +
         " past a line")
        .wide_exactly("global_ld", sectors_of_tiles(from_offset + begin * Bytes,
                                                    from_offset + end * Bytes, Bytes * kElements) +
                                       sectors_around(begin, end, count, from_offset, Bytes,
                                                      edge_access<Bytes>(from_offset)))
        .wide_exactly("global_st", written + sectors_around(begin, end, count, to_offset, Bytes,
                                                            edge_access<Bytes>(to_offset)))
        .run([&] {
            return wideload::transform(from.as<Blob<Bytes>>(), to.as<Blob<Bytes>>(), count,
                                       Mix<Blob<Bytes>>{});
        });
}

/// Read by the blocks of a range that go through shared memory: the words that hold their parts,
/// and the bytes of the words that reach outside the range, from lanes on that begin with the word
/// that a part begins within.
inline std::size_t sectors_of_staged_parts(std::size_t begin, std::size_t end, std::size_t part) {
    const std::size_t inside = round_up(begin, kWordBytes), behind = round_down(end, kWordBytes);
    std::size_t sum = sectors_between(begin, inside) + sectors_between(behind, end);
    for (std::size_t first = begin; first < end; first += part) {
        const std::size_t words_end = round_up(std::min(first + part, end), kWordBytes);
        for (std::size_t request = round_down(first, kWordBytes); request < words_end;
             request += kWarpBytes) {
            sum += sectors_between(std::max(request, inside),
                                   std::min({request + kWarpBytes, words_end, behind}));
        }
    }
    return sum;
}

/// By way of shared memory: blocks read the words that hold their part, and write those that are
/// theirs alone, and the bytes at both ends of it.
template <int Bytes>
void transform_staged(std::size_t count, std::size_t from_offset, std::size_t to_offset) {
    const bool large = count * Bytes > wideload::tuning::transform_large_staged_from(2 * Bytes);
    using wideload::detail::StagedTransform;
    const std::size_t block =
        Bytes * (large ? StagedTransform<true, Blob<Bytes>, Blob<Bytes>>::kElements
                       : StagedTransform<false, Blob<Bytes>, Blob<Bytes>>::kElements);
    Memory from(count * Bytes, from_offset), to(count * Bytes, to_offset);
    std::size_t written = 0;
    for (std::size_t first = 0; first < count * Bytes; first += block) {
        const std::size_t begin = to_offset + first;
        const std::size_t end = to_offset + std::min(first + block, count * Bytes);
        const std::size_t first_word = round_up(begin, kWordBytes);
        const std::size_t words_end = round_down(end, kWordBytes);
        written += sectors_between(begin, first_word) + sectors_between(words_end, end);
        // Lanes begin with the word that the part begins within.
        written += sectors_of_whole_words(begin, end, round_down(begin, kWordBytes));
    }
    Case("transform of " + std::to_string(count) + " structs of " + std::to_string(Bytes) +
         " bytes by shared memory from " + std::to_string(from_offset) + " to " +
         std::to_string(to_offset) + " past a line")
        .exactly("global_ld",
                 sectors_of_staged_parts(from_offset, from_offset + count * Bytes, block))
        .exactly("global_st", written)
        .run([&] {
            return wideload::transform(from.as<Blob<Bytes>>(), to.as<Blob<Bytes>>(), count,
                                       Mix<Blob<Bytes>>{});
        });
}

inline void transforms() {
    transform_whole<4, 4>(15 << 17);  // two words a lane
    for (const std::size_t count : {1 << 9, 1 << 14, 1 << 16}) {
        transform_whole<4, 4>(count);
        transform_whole<4, 4, 4>(count);
        transform_whole<1, 1>(count);
        transform_whole<4, 1>(count);
        transform_whole<1, 4>(count);
        transform_whole<4, 8>(count);
        transform_whole<2, 2, 2, 2>(count);
        transform_whole<12, 12>(count);
        transform_whole<24, 24>(count);
        transform_whole<28, 28>(count);
        transform_whole<44, 44>(count);
        transform_whole<13, 13>(count);
        transform_whole<22, 35>(count);
        transform_whole<20, 13>(count);
        transform_whole<4, 44>(count);
        transform_whole<4, 12>(count);
        transform_whole<8, 8, 4, 2, 1>(count);
    }
    transform_whole<28, 28>(1 << 20);  // wide words from 20 MiB on
    transform_staged<37>(1 << 14, 0, 0);
    transform_staged<96>(1 << 13, 0, 0);
    transform_staged<20>(1 << 17, 0, 1);
    for (const std::size_t count : {1 << 14, 1 << 18}) {
        transform_staged<17>(count, 0, 3);
        transform_staged<17>(count + 5, 31, 4);
        transform_staged<36>(count, 0, 2);
        transform_staged<36>(count + 1, 6, 16);
    }
    for (const std::size_t offset : {1, 4, 8, 28}) {
        transform_staged<96>(1 << 13, 0, offset);
        transform_shifted<16>(1 << 14, 0, offset);
        transform_staged<128>(1 << 12, offset, 12);
        transform_shifted<16>((1 << 14) + 77, 7, offset);
        transform_shifted<20>((1 << 14) + 77, 18, offset | 1);
    }
    transform_staged<64>(1 << 13, 5, 1);
    for (const std::size_t offset : {4, 8, 28}) transform_shifted<64>(1 << 13, 0, offset);
    // Two tiles a warp.
    transform_whole<4, 1>(wideload::tuning::kTransformPairedFrom / 4 + 1000);
    transform_whole<8, 1>(wideload::tuning::kTransformPairedFrom / 8 + 1024);
    transform_anywhere<4, 1>(wideload::tuning::kTransformPairedFrom / 4 + 1000, 3, 0);
    for (const std::size_t count : {(1 << 14) + 77, (1 << 16) - 1}) {
        transform_anywhere<4, 4>(count, 0, 0);
        transform_anywhere<4, 4>(count, 4, 4);
        transform_anywhere<4, 4>(count, 4, 0);
        transform_anywhere<1, 1>(count, 3, 5);
        transform_anywhere<4, 1>(count, 1, 0);
        transform_anywhere<2, 2>(count, 30, 4);
        transform_anywhere<8, 8>(count, 8, 0);
        transform_anywhere<4, 8>(count, 20, 4);
        transform_anywhere<2, 4>(count, 28, 2);
        transform_anywhere<12, 12>(count, 4, 8);
        transform_anywhere<12, 12>(count, 20, 0);
        transform_by_narrow_words<12>(count, 8, 16);
        transform_by_narrow_words<20>(count, 4, 0);
        transform_by_narrow_words<36>(count, 0, 12);
    }
}

}  // namespace counts
