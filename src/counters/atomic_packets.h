// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "arch/compute_capability.h"
#include "counters/atomic_queue.h"
#include "counters/request_shape.h"

/// atomic_sectors() of rules.h, over vectors.
namespace wideload::counters {
namespace {

/// Whether the lanes' addresses differ above their low 32 bits.
template <class Isa>
inline bool crosses_4_gib(const Shape<Isa>& shape) {
    const auto high = [&](std::int32_t distance) {
        return (shape.base + static_cast<std::uint64_t>(std::int64_t{distance})) >> 32;
    };
    return high(Isa::least(shape.distance.part)) != high(Isa::most(shape.distance.part));
}

/// Bank and queue of each lane's first word; the queue by the low 32 bits alone.
template <class Isa>
inline Lanes<Isa> slot_lanes(const Shape<Isa>& shape) {
    constexpr auto kFirst = static_cast<std::int32_t>(kAtomicQueueBits[0]);
    constexpr auto kSecond = static_cast<std::int32_t>(kAtomicQueueBits[1]);
    const auto base = static_cast<std::int32_t>(shape.base);
    return shape.distance.map([=](auto part) {
        const auto address = part + base;
        const auto first = address & kFirst, second = address & kSecond;
        // The parity of each half of the word ends in the half's lowest bit.
        auto parity = ((first ^ (first >> 16)) & 0xffff) | ((second << 16) ^ (second & -65536));
        parity ^= parity >> 8;
        parity ^= parity >> 4;
        parity ^= parity >> 2;
        parity ^= parity >> 1;
        return ((address >> 2) & (kBanks - 1)) | (parity & 1) << 5 | (parity >> 16 & 1) << 6;
    });
}

/// A number below 32 for each active lane, equal for lanes of one line.
template <class Isa>
inline Lanes<Isa> line_numbers(const Shape<Isa>& shape) {
    const auto into_line = static_cast<std::int32_t>(shape.base % arch::kCacheLineBytes);
    const Lanes<Isa> lines = shape.distance.map([=](auto part) { return (part + into_line) >> 7; });
    const std::int32_t low = Isa::least(lines.part);
    if (Isa::most(lines.part) - low < static_cast<std::int32_t>(kLanes)) {
        return lines.map([=](auto part) { return part - low; });
    }
    Lanes<Isa> numbers = lines;
    std::int32_t number = 0;
    for (std::uint32_t rest = shape.mask; rest != 0; ++number) {
        const std::int32_t line = lines[lowest(rest)];
        for (unsigned p = 0; p < Lanes<Isa>::kParts; ++p) {
            const auto same = lines.part[p] == line;
            numbers.part[p] = (numbers.part[p] & ~same) | (same & number);
        }
        rest &= ~lines.equal(line);
    }
    return numbers;
}

/// atomic_sectors() of rules.h. Packets leave in the order of the lanes that head them, so that a
/// lane goes with the first packet of its line that is later than its predecessor's in the bank, or
/// heads one.
template <class Isa>
inline unsigned packet_sectors(const Shape<Isa>& shape, unsigned distinct) {
    const Lanes<Isa> slots = slot_lanes(shape);
    if (slots.duplicates(shape.mask) == 0) {
        return distinct;
    }
    std::int32_t slot[kLanes], line[kLanes], sector[kLanes];
    const Lanes<Isa> numbers = line_numbers(shape), sectors = sector_lanes(shape);
    std::memcpy(slot, slots.part, sizeof(slot));
    std::memcpy(line, numbers.part, sizeof(line));
    std::memcpy(sector, sectors.part, sizeof(sector));
    std::uint8_t later_than[4 * kBanks] = {};  // by slot: its last lane's packet + 1
    std::uint32_t packets[kLanes] = {};        // by line: bits of the lanes that head one
    std::uint8_t touched[kLanes] = {};         // by packet: bits of its line's sectors
    for (std::uint32_t rest = shape.mask; rest != 0; rest = without_lowest(rest)) {
        const unsigned lane = lowest(rest);
        std::uint8_t& last = later_than[slot[lane]];
        const auto later = static_cast<std::uint32_t>(~std::uint64_t{0} << last);
        const unsigned packet = lowest((packets[line[lane]] & later) | 1u << lane);
        packets[line[lane]] |= 1u << packet;
        touched[packet] |= static_cast<std::uint8_t>(1u << (sector[lane] & 3));
        last = static_cast<std::uint8_t>(packet + 1);
    }
    unsigned total = 0;
    std::uint64_t words[kLanes / 8];
    std::memcpy(words, touched, sizeof(words));
    for (const std::uint64_t word : words) {
        total += static_cast<unsigned>(__builtin_popcountll(word));
    }
    return total;
}

}  // namespace
}  // namespace wideload::counters
