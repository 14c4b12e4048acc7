// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

/// The sectors that ways to ask for memory take. Addresses are counted from a sector, which all
/// memory of the test begins at.
namespace counts {

constexpr std::size_t kSectorBytes = 32, kLineBytes = 128, kLanes = 32;
/// The widest access of a lane, and of a warp whose lanes are neighbours.
constexpr std::size_t kWordBytes = 16, kWarpBytes = kLanes * kWordBytes;

constexpr std::size_t round_down(std::size_t value, std::size_t unit) {
    return value / unit * unit;
}
constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
    return round_down(value + unit - 1, unit);
}

/// Sectors that are read and written.
struct Moved {
    std::size_t read = 0, written = 0;
};
inline Moved operator+(const Moved& a, const Moved& b) {
    return {a.read + b.read, a.written + b.written};
}

/// Sectors of so many bytes that begin at a sector.
constexpr std::size_t sectors(std::size_t bytes) {
    return (bytes + kSectorBytes - 1) / kSectorBytes;
}

/// Of a run of bytes that one request asks for; none where it ends before it begins.
constexpr std::size_t sectors_between(std::size_t begin, std::size_t end) {
    return begin < end ? sectors(end) - begin / kSectorBytes : 0;
}

/// Of a run of bytes of which each request asks for so many, the last one for what is left. Where
/// two of them meet within a sector, both take it.
constexpr std::size_t sectors_by_requests(std::size_t begin, std::size_t end, std::size_t request) {
    std::size_t sum = 0;
    for (; begin < end; begin += request)
        sum += sectors_between(begin, std::min(begin + request, end));
    return sum;
}

/// Of a matrix of so many bytes a row, each row by requests of so many.
inline std::size_t sectors_of_rows(std::size_t rows, std::size_t row_bytes, std::size_t request,
                                   std::size_t begin = 0) {
    std::size_t sum = 0;
    for (; rows != 0; --rows, begin += row_bytes)
        sum += sectors_by_requests(begin, begin + row_bytes, request);
    return sum;
}

/// Of a range from anywhere: whole words by whole warps, what lies before the first and behind the
/// last by one request each.
inline std::size_t sectors_of_range(std::size_t begin, std::size_t end) {
    const std::size_t first_word = round_up(begin, kWordBytes);
    const std::size_t behind_words = std::max(first_word, round_down(end, kWordBytes));
    return sectors_between(begin, std::min(first_word, end)) +
           sectors_by_requests(first_word, behind_words, kWarpBytes) +
           sectors_between(behind_words, end);
}

/// Of `width` bytes a lane, neighbouring lanes at these positions of `step` bytes past `begin`.
template <class Integer>
std::size_t sectors_of_lanes(const std::vector<Integer>& positions, std::size_t step,
                             std::size_t width, std::size_t begin = 0) {
    std::size_t sum = 0;
    for (std::size_t first = 0; first < positions.size(); first += kLanes) {
        std::set<std::size_t> touched;
        for (std::size_t i = first; i < std::min(first + kLanes, positions.size()); ++i) {
            const std::size_t address = begin + static_cast<std::size_t>(positions[i]) * step;
            touched.insert(address / kSectorBytes);
            touched.insert((address + width - 1) / kSectorBytes);
        }
        sum += touched.size();
    }
    return sum;
}

/// The widest words that make up elements of so many bytes, by which they move where they lie apart
/// from each other: neighbouring lanes take neighbouring words.
constexpr std::size_t widest_word(std::size_t size) {
    return std::min(size & (~size + 1), kWordBytes);
}

/// Of elements at these positions, so.
inline std::size_t sectors_of_words(std::size_t size, const std::vector<int>& positions) {
    std::vector<std::size_t> words;
    for (const int position : positions) {
        for (std::size_t byte = 0; byte < size; byte += widest_word(size))
            words.push_back(static_cast<std::size_t>(position) * size + byte);
    }
    return sectors_of_lanes(words, 1, widest_word(size));
}

/// Of `count` elements from `begin` on, one a lane, but for those of the body, which move
/// otherwise: the lanes behind the head's last take the tail's first. A lane asks for its element
/// by parts.
inline std::size_t sectors_around(std::size_t body_begin, std::size_t body_end, std::size_t count,
                                  std::size_t begin, std::size_t element, std::size_t part) {
    std::vector<std::size_t> edges;
    for (std::size_t i = 0; i < body_begin; ++i) edges.push_back(i);
    for (std::size_t i = body_end; i < count; ++i) edges.push_back(i);
    std::size_t sum = 0;
    for (std::size_t offset = 0; offset < element; offset += part)
        sum += sectors_of_lanes(edges, element, part, begin + offset);
    return sum;
}

}  // namespace counts
