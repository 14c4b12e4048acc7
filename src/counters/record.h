// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "counters/rules.h"
#include "counters/site_row.h"

namespace wideload::counters {
// Compiled into objects for different vector extensions: internal linkage keeps the linker from
// choosing one object's copy for all.
namespace {

inline void keep(RequestSample& sample, const std::uint64_t* addresses, std::uint32_t mask,
                 std::uint64_t order, std::uint32_t level) {
    sample.order = order;
    sample.mask = mask;
    sample.sectors = level;
    std::memcpy(&sample.addresses, addresses, sizeof(sample.addresses));
}

inline void tally_stride(PatternTally& patterns, std::int32_t bytes, std::uint64_t requests) {
    PatternTally::Stride* stride = reinterpret_cast<PatternTally::Stride*>(&patterns.strides);
    for (unsigned i = 0; i < sizeof(patterns.strides) / sizeof(*stride); ++i, ++stride) {
        if (stride->requests == 0 || stride->bytes == bytes) {
            stride->bytes = bytes;
            stride->requests += requests;
            return;
        }
    }
    patterns.other_strides += requests;
}

inline void tally(PatternTally& patterns, Pattern pattern, std::uint64_t requests) {
    switch (pattern.kind) {
        case PatternKind::none:
            break;
        case PatternKind::contiguous:
            patterns.contiguous += requests;
            break;
        case PatternKind::broadcast:
            patterns.broadcast += requests;
            break;
        case PatternKind::irregular:
            patterns.irregular += requests;
            break;
        case PatternKind::misaligned:
            reinterpret_cast<std::uint64_t*>(&patterns.misaligned)[pattern.value] += requests;
            break;
        case PatternKind::strided:
            tally_stride(patterns, pattern.value, requests);
            break;
    }
}

inline void add_figures(SiteRow& row, const Figures& figures, std::uint64_t requests) {
    row.requests += requests;
    row.active_lanes += requests * figures.active_lanes;
    row.sectors += requests * figures.sectors;
    row.ideal_sectors += requests * figures.ideal_sectors;
    row.distinct_bytes += requests * figures.distinct_bytes;
    row.wavefronts += requests * figures.wavefronts;
    row.ideal_wavefronts += requests * figures.ideal_wavefronts;
    // One of the two is 0.
    const std::uint32_t level = figures.sectors + figures.wavefronts;
    reinterpret_cast<std::uint64_t*>(&row.histogram)[level < kMaxSectors ? level : kMaxSectors] +=
        requests;
    tally(row.patterns, figures.pattern, requests);
}

/// Whether a sample of this order precedes the one that is kept. An order of 0 (none kept) wraps to
/// the latest.
inline bool precedes(std::uint64_t order, const RequestSample& kept) {
    return order - 1 < kept.order - 1;
}

inline void record(SiteRow& row, const std::uint64_t* addresses, std::uint32_t mask,
                   std::uint64_t order, const Figures& figures) {
    add_figures(row, figures, 1);
    const std::uint32_t level = figures.sectors + figures.wavefronts;
    if (precedes(order, row.first)) {
        keep(row.first, addresses, mask, order, level);
    }
    if (level > row.worst.sectors || (level == row.worst.sectors && precedes(order, row.worst))) {
        keep(row.worst, addresses, mask, order, level);
    }
}

}  // namespace
}  // namespace wideload::counters
