// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "matrix_product.cuh"

namespace gemm {

/// How the lanes of a warp lie along one side of a matrix in a request: `count` of them, `step`
/// elements apart, each asking for `width`. Other requests begin in the gaps, so that together they
/// cover the side.
struct Lanes {
    int width, step, count;
};

/// What one request touches along a side: from `first` up to `end`, every `step` elements.
struct Run {
    int first, end, step;
};
using Runs = std::vector<Run>;

/// The requests that cover elements `from` to `end` of a side; lanes past the end are idle, and
/// requests without any other lane are not made.
inline Runs runs_inside(Lanes lanes, int from, int end) {
    Runs runs;
    for (int group = from; group < end; group += lanes.step * lanes.count) {
        for (int first = group; first < std::min(group + lanes.step, end); first += lanes.width) {
            const int active = std::min(lanes.count, ceil_divide(end - first, lanes.step));
            runs.push_back({first, first + (active - 1) * lanes.step + lanes.width, lanes.step});
        }
    }
    return runs;
}

/// The requests of lanes side by side that cover whole tiles of a side: those past the end ask for
/// its last elements again.
inline Runs runs_repeating_last(Lanes lanes, int tile, int end) {
    Runs runs = runs_inside(lanes, 0, ceil_divide(end, tile) * tile);
    for (Run& run : runs) {
        run.first = std::min(run.first, end - lanes.width);
        run.end = std::min(run.end, end);
    }
    return runs;
}

struct Traffic {
    std::uint64_t requests = 0;
    std::uint64_t sectors = 0;

    Traffic times(std::uint64_t factor) const { return {factor * requests, factor * sectors}; }
    Traffic plus(const Traffic& other) const {
        return {requests + other.requests, sectors + other.sectors};
    }
};

/// Requests for every pair of a run of rows and a run of columns, and the sectors that they touch.
/// Lanes in a row are at most a sector apart, so that none between the first and the last is left
/// out; its rows are longer than two sectors, so that a request's rows share none.
/// @param row_floats  of the packed matrix, which begins at a sector's start
inline Traffic traffic(const Runs& rows, const Runs& columns, int row_floats) {
    constexpr std::uint64_t kFloatsOfSector = 8;
    Traffic sum{static_cast<std::uint64_t>(rows.size()) * columns.size(), 0};
    for (const Run& run : rows) {
        for (int row = run.first; row < run.end; row += run.step) {
            const std::uint64_t begin = static_cast<std::uint64_t>(row) * row_floats;
            for (const Run& piece : columns) {
                sum.sectors += (begin + piece.end - 1) / kFloatsOfSector -
                               (begin + piece.first) / kFloatsOfSector + 1;
            }
        }
    }
    return sum;
}

}  // namespace gemm
