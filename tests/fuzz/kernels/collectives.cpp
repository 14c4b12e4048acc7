// SPDX-License-Identifier: Apache-2.0
#include "collectives.h"

#include <algorithm>

#include "masks.h"

namespace wideload::fuzz {
namespace {

std::uint32_t reduce_lanes(Collective collective, const LaneValues& values, std::uint32_t active) {
    std::uint32_t result = values[static_cast<std::size_t>(std::countr_zero(active))];
    for_each_lane(active & (active - 1), [&](std::uint32_t lane) {
        const std::uint32_t next = values[lane];
        switch (collective) {
            case Collective::reduce_add:
                result += next;
                break;
            case Collective::reduce_min_s32:
                result = static_cast<std::uint32_t>(
                    std::min(static_cast<std::int32_t>(result), static_cast<std::int32_t>(next)));
                break;
            case Collective::reduce_max_u32:
                result = std::max(result, next);
                break;
            case Collective::reduce_and:
                result &= next;
                break;
            case Collective::reduce_or:
                result |= next;
                break;
            default:
                result ^= next;
                break;
        }
    });
    return result;
}

}  // namespace

std::uint64_t combine(Reduction reduction, std::uint64_t a, std::uint64_t b) {
    const auto word = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    const auto integer = [](std::uint64_t v) { return static_cast<std::int32_t>(v); };
    switch (reduction) {
        case Reduction::add_u32:
            return word(a + b);
        case Reduction::min_s32:
            return word(static_cast<std::uint64_t>(std::min(integer(a), integer(b))));
        case Reduction::max_u32:
            return std::max(word(a), word(b));
        case Reduction::and_b32:
            return word(a & b);
        case Reduction::or_b32:
            return word(a | b);
        case Reduction::xor_b32:
            return word(a ^ b);
        case Reduction::add_u64:
            return a + b;
        default:
            return static_cast<std::uint64_t>(
                std::max(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
    }
}

LaneResults collect(Collective collective, std::uint32_t active, const LaneValues& values,
                    const LaneValues& seconds) {
    LaneResults found;
    std::uint32_t ballot = 0;
    for_each_lane(active,
                  [&](std::uint32_t lane) { ballot |= (values[lane] != 0 ? 1u : 0u) << lane; });
    for_each_lane(active, [&](std::uint32_t lane) {
        switch (collective) {
            case Collective::shuffle_index:
            case Collective::shuffle_up:
            case Collective::shuffle_down:
            case Collective::shuffle_xor: {
                std::int64_t from = seconds[lane] & 31;
                if (collective == Collective::shuffle_up) from = lane - from;
                if (collective == Collective::shuffle_down) from = lane + from;
                if (collective == Collective::shuffle_xor) from = lane ^ from;
                found.in_range[lane] = from >= 0 && from < 32;
                found.results[lane] =
                    values[found.in_range[lane] != 0 ? static_cast<std::size_t>(from) : lane];
                break;
            }
            case Collective::vote_all:
                found.results[lane] = ballot == active;
                break;
            case Collective::vote_any:
                found.results[lane] = ballot != 0;
                break;
            case Collective::vote_uniform:
                found.results[lane] = ballot == 0 || ballot == active;
                break;
            case Collective::vote_ballot:
                found.results[lane] = ballot;
                break;
            case Collective::match_any:
                for_each_lane(active, [&](std::uint32_t other) {
                    found.results[lane] |= (values[other] == values[lane] ? 1u : 0u) << other;
                });
                break;
            case Collective::active_mask:
                found.results[lane] = active;
                break;
            default:
                found.results[lane] = reduce_lanes(collective, values, active);
                break;
        }
    });
    return found;
}

}  // namespace wideload::fuzz
