// SPDX-License-Identifier: Apache-2.0
#include "counters/static_pattern.h"

#include "counters/record.h"

namespace wideload::counters {
namespace {

Request request_at(std::uint64_t base, const LaneOffsets& offsets, unsigned bytes_per_lane) {
    Request request;
    request.mask = 0xffffffff;
    request.bytes_per_lane = bytes_per_lane;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        request.addresses[lane] = base + static_cast<std::uint64_t>(offsets[lane]);
    }
    return request;
}

bool aligned(const Request& request) {
    for (const std::uint64_t address : request.addresses) {
        if (address % request.bytes_per_lane != 0) {
            return false;
        }
    }
    return true;
}

std::uint32_t level_of(const Figures& figures) { return figures.sectors + figures.wavefronts; }

}  // namespace

StaticFigures static_figures(const LaneOffsets& offsets, unsigned bytes_per_lane, Rule rule) {
    // Far from 0, so that negative offsets wrap nowhere; a multiple of every sector and bank row.
    constexpr std::uint64_t kSomewhere = std::uint64_t{1} << 48;
    StaticFigures figures{};
    for (unsigned place = 0; place < kSectorBytes; ++place) {
        const Request request = request_at(kSomewhere + place, offsets, bytes_per_lane);
        if (aligned(request)) {
            figures.by_class[place] = measure(request, rule);
        }
    }
    return figures;
}

void fold(SiteRow& row, const LaneOffsets& offsets, unsigned bytes_per_lane, Rule rule) {
    for (SiteRow::StaticClass& counted : row.static_classes) {
        if (counted.requests == 0) {
            continue;
        }
        const Request request = request_at(counted.last_base, offsets, bytes_per_lane);
        const Figures figures = measure(request, rule);
        add_figures(row, figures, counted.requests);
        const std::uint32_t level = level_of(figures);
        if (row.first.order == 0) {
            keep(row.first, request.addresses.data(), request.mask, kUnknownOrder, level);
        }
        if (level > row.worst.sectors) {
            // As bad as the first request: that one is the earlier of the two.
            if (row.first.sectors == level) {
                row.worst = row.first;
            } else {
                keep(row.worst, request.addresses.data(), request.mask, kUnknownOrder, level);
            }
        }
        counted = {};
    }
}

}  // namespace wideload::counters
