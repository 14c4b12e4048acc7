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
    const std::int32_t slots_apart = magnitude(shape.stride) >> slot_shift(shape.bytes);
    const unsigned together = static_cast<unsigned>(slots_apart) & (served.slots - 1);
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

/// The most of the counted lanes that share a slot, group by group, summed.
template <class Isa>
inline unsigned most_by_slot(const Lanes<Isa>& slot, std::uint32_t counted, Service served) {
    alignas(64) std::int32_t slot_of[kLanes];
    std::memcpy(slot_of, slot.part, sizeof(slot_of));
    alignas(64) std::uint8_t lanes_by_slot[kLanes] = {};
    for (std::uint32_t rest = counted; rest != 0; rest = without_lowest(rest)) {
        ++lanes_by_slot[slot_of[lowest(rest)]];
    }
    unsigned passes = 0;
    for (unsigned group = 0; group < served.groups(); ++group) {
        unsigned most = 0;
        for (unsigned i = 0; i < served.slots; ++i) {
            const unsigned lanes = lanes_by_slot[group * served.slots + i];
            most = lanes > most ? lanes : most;
        }
        passes += most;
    }
    return passes;
}

template <class Isa, Rule kRule>
inline unsigned irregular_passes(const Shape<Isa>& shape, Service served) {
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
        // Distinct words are counted group by group: at most four of them.
        word.part[p] = words * 4 + group;
    }
    std::uint32_t counted = shape.mask;
    if constexpr (kRule != Rule::shared_atomic) {
        counted &= ~word.duplicates(shape.mask);
    }
    return most_by_slot(slot, counted, served);
}

template <class Isa, Rule kRule>
inline Wavefronts bank_passes(const Shape<Isa>& shape) {
    const Service served = service<Isa, kRule>(shape);
    Wavefronts wavefronts;
    for (unsigned first = 0; first < kLanes; first += served.group_lanes) {
        const std::uint64_t group = ((std::uint64_t{1} << served.group_lanes) - 1) << first;
        wavefronts.ideal += (shape.mask & group) != 0;
    }
    const bool whole_slots = (shape.stride & ((1 << slot_shift(shape.bytes)) - 1)) == 0;
    if (shape.progression && shape.stride == 0) {
        wavefronts.taken = kRule == Rule::shared_atomic ? shape.lanes : wavefronts.ideal;
    } else if (shape.progression && whole_slots && !shape.gaps) {
        wavefronts.taken = progression_passes(shape, served);
    } else {
        wavefronts.taken = irregular_passes<Isa, kRule>(shape, served);
    }
    return wavefronts;
}

}  // namespace
}  // namespace wideload::counters
