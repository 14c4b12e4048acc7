// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "counters/lanes.h"
#include "counters/site_row.h"

namespace wideload::counters {
namespace {

/// Bit per lane that equals an earlier one, for hosts without conflict detection: compares every
/// lane with every earlier one, a vector at a time.
template <class Isa>
inline std::uint32_t compared_duplicates(const typename Isa::Part* part) {
    using Part = typename Isa::Part;
    constexpr unsigned kPartLanes = Isa::kPartLanes;
    std::int32_t lanes[kLanes];
    std::memcpy(lanes, part, sizeof(lanes));
    const Part place = Lanes<Isa>::iota().part[0];
    std::uint32_t bits = 0;
    for (unsigned p = 0; p < Lanes<Isa>::kParts; ++p) {
        Part equal{};
        for (unsigned j = 0; j < p * kPartLanes; ++j) {
            equal |= part[p] == lanes[j];
        }
        for (unsigned j = 0; j < kPartLanes; ++j) {
            equal |=
                (part[p] == lanes[p * kPartLanes + j]) & (place > static_cast<std::int32_t>(j));
        }
        bits |= Isa::nonzero(equal) << (p * kPartLanes);
    }
    return bits;
}

}  // namespace
}  // namespace wideload::counters
