// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "counters/atomic_packets.h"
#include "counters/bank_passes.h"
#include "counters/count.h"
#include "counters/far_request.h"
#include "counters/record.h"
#include "counters/request_shape.h"

/// The counting functions over the vectors of one extension of the host. Included by
/// count_<extension>.cpp alone.
namespace wideload::counters {
namespace {

inline std::uint32_t sectors_of(std::uint32_t bytes) {
    return (bytes + kSectorBytes - 1) / kSectorBytes;
}

/// Address of each lane in units of what a lane moves, counted from the base.
template <class Isa>
inline Lanes<Isa> unit_lanes(const Shape<Isa>& shape) {
    const unsigned shift = shape.shift();
    return shape.distance.map([=](auto part) { return part >> static_cast<int>(shift); });
}

template <class Isa>
inline unsigned progression_sectors(const Shape<Isa>& shape) {
    if (magnitude(shape.stride) >= kSectorBytes) {
        return shape.lanes;
    }
    if (shape.gaps && shape.stride != 0) {
        // At most 31 × 31 bytes apart: each sector is a bit.
        std::uint64_t touched = 0;
        const std::int64_t down = shape.stride < 0 ? shape.last_distance() : 0;
        const std::uint64_t lowest_sector = (shape.base + static_cast<std::uint64_t>(down)) >> 5;
        for (std::uint32_t rest = shape.mask; rest != 0; rest = without_lowest(rest)) {
            const auto steps = static_cast<std::int32_t>(lowest(rest) - shape.first);
            const std::uint64_t address =
                shape.base + static_cast<std::uint64_t>(std::int64_t{steps * shape.stride});
            touched |= std::uint64_t{1} << ((address >> 5) - lowest_sector);
        }
        return static_cast<unsigned>(__builtin_popcountll(touched));
    }
    // No step leaps a sector.
    const std::uint64_t last = shape.base + static_cast<std::uint64_t>(shape.last_distance());
    const std::uint64_t low = shape.stride < 0 ? last : shape.base;
    const std::uint64_t high = shape.stride < 0 ? shape.base : last;
    return static_cast<unsigned>((high >> 5) - (low >> 5)) + 1;
}

template <class Isa>
inline Figures global_figures(const Shape<Isa>& shape) {
    Figures figures;
    figures.active_lanes = shape.lanes;
    if (shape.progression) {
        figures.sectors = progression_sectors(shape);
        figures.distinct_bytes = shape.stride == 0 ? shape.bytes : shape.lanes * shape.bytes;
        figures.pattern = progression_pattern(shape, true);
    } else {
        figures.sectors = sector_lanes(shape).distinct();
        const unsigned distinct =
            figures.sectors == shape.lanes ? shape.lanes : unit_lanes(shape).distinct();
        figures.distinct_bytes = distinct * shape.bytes;
        figures.pattern = other_pattern(shape, distinct, true);
    }
    figures.ideal_sectors = sectors_of(figures.distinct_bytes);
    return figures;
}

/// Lanes of a progression meet in one word all or not at all, but where they are narrower than it.
template <class Isa>
inline bool shares_words(const Shape<Isa>& shape) {
    return shape.stride != 0 && magnitude(shape.stride) < kBankBytes;
}

template <class Isa>
inline Figures atomic_figures(const Shape<Isa>& shape) {
    Figures figures;
    figures.active_lanes = shape.lanes;
    unsigned distinct = shape.lanes;
    if (shape.progression && !shares_words(shape)) {
        distinct = shape.stride == 0 ? 1 : shape.lanes;
        figures.sectors = shape.stride == 0 ? shape.lanes : progression_sectors(shape);
    } else {
        figures.sectors = sector_lanes(shape).distinct();
        if (figures.sectors != shape.lanes) {
            distinct = unit_lanes(shape).distinct();
            figures.sectors = packet_sectors(shape, figures.sectors);
        }
    }
    figures.pattern =
        shape.progression ? progression_pattern(shape, true) : other_pattern(shape, distinct, true);
    figures.distinct_bytes = distinct * shape.bytes;
    figures.ideal_sectors = sectors_of(figures.distinct_bytes);
    return figures;
}

template <class Isa, Rule kRule>
inline Figures shared_figures(const Shape<Isa>& shape) {
    Figures figures;
    figures.active_lanes = shape.lanes;
    std::uint32_t repeated = 0;
    if (shape.progression) {
        repeated = shape.stride == 0 ? without_lowest(shape.mask) : 0;
        figures.pattern = progression_pattern(shape, false);
    } else {
        repeated = unit_lanes(shape).duplicates(shape.mask);
    }
    const unsigned distinct = shape.lanes - static_cast<unsigned>(__builtin_popcount(repeated));
    if (!shape.progression) {
        figures.pattern = other_pattern(shape, distinct, false);
    }
    figures.distinct_bytes = distinct * shape.bytes;
    const Wavefronts wavefronts = bank_passes<Isa, kRule>(shape, repeated);
    figures.wavefronts = wavefronts.taken;
    figures.ideal_wavefronts = wavefronts.ideal;
    return figures;
}

/// Words of local memory are interleaved by lane: eight lanes' words share a sector.
template <class Isa>
inline Figures local_figures(const Shape<Isa>& shape) {
    Figures figures;
    figures.active_lanes = shape.lanes;
    figures.distinct_bytes = shape.lanes * shape.bytes;
    figures.ideal_sectors = sectors_of(figures.distinct_bytes);
    const unsigned words = shape.bytes < 4 ? 1 : shape.bytes / 4;
    if (shape.progression && shape.stride == 0) {
        unsigned groups = 0;
        for (unsigned first = 0; first < kLanes; first += 8) {
            groups += (shape.mask >> first & 0xff) != 0;
        }
        figures.sectors = groups * words;
        figures.pattern = {shape.bytes < 4 ? PatternKind::irregular : PatternKind::contiguous, 0};
        return figures;
    }
    // A lane's place is its aligned vector of words within its group of eight lanes.
    const unsigned shift = shape.shift() < 2 ? 2 : shape.shift();
    const auto into_words = static_cast<std::int32_t>(shape.base & ((1u << shift) - 1));
    Lanes<Isa> place;
    const Lanes<Isa> lane = Lanes<Isa>::iota();
    for (unsigned p = 0; p < Lanes<Isa>::kParts; ++p) {
        const auto vector = (shape.distance.part[p] + into_words) >> static_cast<int>(shift);
        place.part[p] = vector * 4 + (lane.part[p] >> 3);
    }
    const std::uint32_t repeated = place.duplicates(shape.mask);
    figures.sectors = static_cast<unsigned>(__builtin_popcount(shape.mask & ~repeated)) * words;
    figures.pattern = {PatternKind::irregular, 0};
    return figures;
}

/// Closed forms cover most progressions.
template <Rule kRule, class Isa>
inline bool needs_distances(const Shape<Isa>& shape) {
    if constexpr (kRule == Rule::shared_load || kRule == Rule::shared_store ||
                  kRule == Rule::shared_atomic) {
        return !shape.progression || !progression_suffices(shape);
    }
    if constexpr (kRule == Rule::local) {
        return !shape.progression || shape.stride != 0;
    }
    if constexpr (kRule == Rule::atomic || kRule == Rule::uniform_atomic) {
        return !shape.progression || shares_words(shape);
    }
    return !shape.progression;
}

/// Loads the distances; false where they exceed what the vectors hold.
template <Rule kRule, class Isa>
inline bool load_distances(const std::uint64_t* addresses, Shape<Isa>& shape) {
    if (!Isa::load_distances(addresses, shape.mask, shape.base, shape.distance.part)) return false;
    return !(kRule == Rule::atomic && crosses_4_gib(shape));
}

template <class Isa, Rule kRule>
void count(SiteRow& row, const std::uint64_t* addresses, std::uint32_t mask,
           unsigned bytes_per_lane, std::uint64_t order) {
    if (mask == 0) {
        return;
    }
    Shape<Isa> shape;
    describe(addresses, mask, bytes_per_lane, shape);
    Figures figures;
    if (needs_distances<kRule>(shape) && !load_distances<kRule>(addresses, shape)) [[unlikely]] {
        figures = measure_far(addresses, mask, bytes_per_lane, kRule);
    } else if constexpr (kRule == Rule::global) {
        figures = global_figures(shape);
    } else if constexpr (kRule == Rule::atomic) {
        figures = atomic_figures(shape);
    } else if constexpr (kRule == Rule::uniform_atomic) {
        figures = atomic_figures(shape);
        figures.sectors = 1;
    } else if constexpr (kRule == Rule::local) {
        figures = local_figures(shape);
    } else {
        figures = shared_figures<Isa, kRule>(shape);
    }
    record(row, addresses, mask, order, figures);
}

template <class Isa>
constexpr CountFunctions kCountFunctions = {
    count<Isa, Rule::global>,      count<Isa, Rule::atomic>,       count<Isa, Rule::uniform_atomic>,
    count<Isa, Rule::shared_load>, count<Isa, Rule::shared_store>, count<Isa, Rule::shared_atomic>,
    count<Isa, Rule::local>};

}  // namespace
}  // namespace wideload::counters
