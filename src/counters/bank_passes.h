// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "counters/request_shape.h"
#include "counters/rules.h"

/// shared_wavefronts and shared_atomic_wavefronts of rules.h, over vectors.
namespace wideload::counters {
namespace {

/// How a request is served: groups of lanes, each with `slots` places that one pass can fill. A
/// slot is what one lane moves, at least a bank's 4 bytes.
struct Service {
    unsigned group_lanes;
    unsigned slots;
    [[nodiscard]] unsigned groups() const { return kLanes / group_lanes; }
};

inline unsigned slot_shift(unsigned bytes) {
    return bytes <= 4 ? 2 : static_cast<unsigned>(__builtin_ctz(bytes));
}

/// Whether some pair of active lanes that are `distance` apart asks for different addresses.
template <class Isa>
inline bool neighbours_differ(const Shape<Isa>& shape, unsigned distance) {
    const std::uint32_t low_lanes = distance == 1 ? 0x55555555u : 0x33333333u;
    const std::uint32_t pairs = shape.mask & (shape.mask >> distance) & low_lanes;
    if (shape.progression) {
        return shape.stride != 0 && pairs != 0;
    }
    for (std::uint32_t rest = pairs; rest != 0; rest = without_lowest(rest)) {
        const unsigned lane = lowest(rest);
        if (shape.distance[lane] != shape.distance[lane + distance]) {
            return true;
        }
    }
    return false;
}

template <class Isa, Rule kRule>
inline Service service(const Shape<Isa>& shape) {
    const unsigned slots = 128u >> slot_shift(shape.bytes);
    if (kRule == Rule::shared_load && slots < kLanes &&
        (!neighbours_differ(shape, 1) || !neighbours_differ(shape, 2))) {
        return {2 * slots, slots};
    }
    return {slots, slots};
}

/// Passes of a progression without gaps: every `cycle` lanes come back to the same slot, with
/// another word.
template <class Isa>
inline unsigned progression_passes(const Shape<Isa>& shape, Service served) {
    const unsigned together =
        (magnitude(shape.stride) >> slot_shift(shape.bytes)) & (served.slots - 1);
    const unsigned cycle =
        together == 0 ? 1 : served.slots >> static_cast<unsigned>(__builtin_ctz(together));
    unsigned passes = 0;
    const unsigned end = shape.first + shape.lanes;
    for (unsigned first = 0; first < kLanes; first += served.group_lanes) {
        const unsigned from = shape.first > first ? shape.first : first;
        const unsigned to = end < first + served.group_lanes ? end : first + served.group_lanes;
        if (from < to) {
            passes += (to - from + cycle - 1) / cycle;
        }
    }
    return passes;
}

using SlotCounts [[gnu::vector_size(32)]] = std::uint8_t;

/// Row s has a 1 in byte s; row 32, of lanes that do not count, is empty.
struct SlotTable {
    alignas(64) std::uint8_t row[kLanes + 1][kLanes];
};
inline constexpr SlotTable kSlotTable = [] {
    SlotTable table{};
    for (unsigned slot = 0; slot < kLanes; ++slot) {
        table.row[slot][slot] = 1;
    }
    return table;
}();

/// Each byte becomes the greatest of its aligned block of `slots` bytes.
inline SlotCounts most_of_blocks(SlotCounts counts, unsigned slots) {
    const auto with_swapped = [&](auto swapped) { return counts > swapped ? counts : swapped; };
#define WIDELOAD_SWAPPED(shift)                                                             \
    __builtin_shufflevector(                                                                \
        counts, counts, 0 ^ shift, 1 ^ shift, 2 ^ shift, 3 ^ shift, 4 ^ shift, 5 ^ shift,   \
        6 ^ shift, 7 ^ shift, 8 ^ shift, 9 ^ shift, 10 ^ shift, 11 ^ shift, 12 ^ shift,     \
        13 ^ shift, 14 ^ shift, 15 ^ shift, 16 ^ shift, 17 ^ shift, 18 ^ shift, 19 ^ shift, \
        20 ^ shift, 21 ^ shift, 22 ^ shift, 23 ^ shift, 24 ^ shift, 25 ^ shift, 26 ^ shift, \
        27 ^ shift, 28 ^ shift, 29 ^ shift, 30 ^ shift, 31 ^ shift)
    counts = with_swapped(WIDELOAD_SWAPPED(1));
    counts = with_swapped(WIDELOAD_SWAPPED(2));
    if (slots > 4) {
        counts = with_swapped(WIDELOAD_SWAPPED(4));
    }
    if (slots > 8) {
        counts = with_swapped(WIDELOAD_SWAPPED(8));
    }
    if (slots > 16) {
        counts = with_swapped(WIDELOAD_SWAPPED(16));
    }
#undef WIDELOAD_SWAPPED
    return counts;
}

/// The most lanes that share a slot, group by group, summed.
/// @param slot  of each lane, 32 for those that do not count
template <class Isa>
inline unsigned most_by_slot(const Lanes<Isa>& slot, Service served) {
    alignas(64) std::uint32_t slot_of[kLanes];
    std::memcpy(slot_of, slot.part, sizeof(slot_of));
    SlotCounts counts[4] = {};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        SlotCounts row;
        std::memcpy(&row, kSlotTable.row[slot_of[lane]], sizeof(row));
        counts[lane % 4] += row;
    }
    std::uint8_t most[kLanes];
    const SlotCounts blocks =
        most_of_blocks((counts[0] + counts[1]) + (counts[2] + counts[3]), served.slots);
    std::memcpy(most, &blocks, sizeof(most));
    unsigned passes = 0;
    for (unsigned first = 0; first < kLanes; first += served.slots) {
        passes += most[first];
    }
    return passes;
}

/// @param repeated  active lanes that ask for what an earlier one asks for
template <class Isa, Rule kRule>
inline unsigned irregular_passes(const Shape<Isa>& shape, Service served, std::uint32_t repeated) {
    // Words by their distance from the base's 128-byte row, so that the low bits are the slot.
    const auto into_row = static_cast<std::int32_t>(shape.base % 128);
    const auto shift = static_cast<int>(slot_shift(shape.bytes));
    const auto slot_mask = static_cast<std::int32_t>(served.slots - 1);
    const auto group_shift = __builtin_ctz(served.group_lanes);
    const Lanes<Isa> lane = Lanes<Isa>::iota();
    Lanes<Isa> slot, word;
    for (unsigned p = 0; p < Lanes<Isa>::kParts; ++p) {
        const auto words = (shape.distance.part[p] + into_row) >> shift;
        const auto group = lane.part[p] >> group_shift;
        slot.part[p] = (words & slot_mask) + group * static_cast<std::int32_t>(served.slots);
        // Distinct words are counted group by group: at most eight of them.
        word.part[p] = words * 8 + group;
    }
    std::uint32_t counted = shape.mask;
    if (kRule != Rule::shared_atomic) {
        if (shape.bytes < 4 || (repeated != 0 && served.group_lanes < kLanes)) {
            repeated = word.duplicates(shape.mask);
        }
        counted &= ~repeated;
    }
    const Lanes<Isa> counts = Lanes<Isa>::selected(counted);
    for (unsigned p = 0; p < Lanes<Isa>::kParts; ++p) {
        slot.part[p] = counts.part[p] != 0 ? slot.part[p] : slot.part[p] * 0 + 32;
    }
    return most_by_slot(slot, served);
}

/// Whether the passes of a progression follow from its stride alone.
template <class Isa>
inline bool progression_suffices(const Shape<Isa>& shape) {
    const bool whole_slots = (shape.stride & ((1 << slot_shift(shape.bytes)) - 1)) == 0;
    return shape.stride == 0 || (whole_slots && !shape.gaps);
}

template <class Isa, Rule kRule>
inline Wavefronts bank_passes(const Shape<Isa>& shape, std::uint32_t repeated) {
    const Service served = service<Isa, kRule>(shape);
    Wavefronts wavefronts;
    for (unsigned first = 0; first < kLanes; first += served.group_lanes) {
        const std::uint64_t group = ((std::uint64_t{1} << served.group_lanes) - 1) << first;
        wavefronts.ideal += (shape.mask & group) != 0;
    }
    if (!shape.progression || !progression_suffices(shape)) {
        wavefronts.taken = irregular_passes<Isa, kRule>(shape, served, repeated);
    } else if (shape.stride == 0) {
        wavefronts.taken = kRule == Rule::shared_atomic ? shape.lanes : wavefronts.ideal;
    } else {
        wavefronts.taken = progression_passes(shape, served);
    }
    return wavefronts;
}

}  // namespace
}  // namespace wideload::counters
