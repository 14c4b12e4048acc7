// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/matrix_reduce_kernel.cuh>
#include <wideload/device/kernel/reduce_staged_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Runs of a row's elements: shorter rows than one are not staged.
template <class T>
using StagedRowRuns = StagedRuns<T, tuning::kReduceStagedPartBytes>;

/// Where the rows of a warp end in its lanes' runs of a tile: in each run one at most.
class RowEnds {
public:
    /// @param left   elements to the end of the row in which this lane's run begins
    /// @param own    elements of the run
    WIDELOAD_DEVICE RowEnds(unsigned left, unsigned own, int lane) {
        const bool ends = left <= own;
        const unsigned ended = __ballot_sync(kFullWarp, ends);
        const unsigned wholly = __ballot_sync(kFullWarp, left == own);
        const unsigned before = ended & ((1u << lane) - 1);
        const int last = kWarpLanes - 1 - __clz(static_cast<int>(before));
        begin_ = before == 0 ? 0 : last + static_cast<int>(wholly >> last & 1);
        begin_behind_ = own == 0 ? kWarpLanes : !ends ? begin_ : lane + (left == own ? 1 : 0);
        ends_ = ends;
    }
    WIDELOAD_DEVICE bool ends() const { return ends_; }
    /// The first lane that has elements of the row in which this lane's run begins, and of that in
    /// which it ends: a later one than this if nothing is behind the end, or nothing in the run.
    WIDELOAD_DEVICE int begin() const { return begin_; }
    WIDELOAD_DEVICE int begin_behind() const { return begin_behind_; }

private:
    int begin_, begin_behind_;
    bool ends_;
};

/// What a lane combines of its run: of the row in which that begins, and of the next one.
template <class Result>
struct RunOfRows {
    Result head, tail;
};

/// `own` elements, 0 to all of a run, of which `left` are the first row's.
///
/// @tparam Whole  whether all lanes have all
template <bool Whole, class Result, class T, class Runs, class Operation>
WIDELOAD_DEVICE RunOfRows<Result> combine_run_of_rows(const StagedTiles<T, Runs>& tiles, int stage,
                                                      unsigned left, unsigned own,
                                                      Operation& operation) {
    const int first = static_cast<int>(threadIdx.x % kWarpLanes) * Runs::kRun;
    RunOfRows<Result> run;
#pragma unroll
    for (int i = 0; i < Runs::kRun; i += Runs::kTogether) {
        const auto some = tiles.template get<vec<T, Runs::kTogether>>(stage, first + i);
#pragma unroll
        for (int k = 0; k < Runs::kTogether; ++k) {
            const unsigned place = i + k;
            if (!Whole && place >= own) continue;
            const Result value = static_cast<Result>(some[k]);
            if (i + k == 0) {
                run.head = run.tail = value;
            } else {
                const bool next = place == left;
                run.head = warp::select(next, run.tail, run.head);
                run.tail = warp::select(next, value, operation(run.tail, value));
            }
        }
    }
    run.head = warp::select(left >= own, run.tail, run.head);
    return run;
}

/// Rows of elements that no words of 16 bytes are whole ones of, or that begin anywhere, of a run's
/// length at least: a warp reads several as the range that they are, tile by tile, each lane
/// combines a run of neighbours up to a row's end and behind it, and a scan over lanes brings
/// together what is one row's.
///
/// @param runs  of rows, one for each warp
template <class T, class Result, class Operation>
__global__ void __launch_bounds__(StagedRowRuns<T>::kThreads, tuning::kReduceStagedBlocks)
    reduce_staged_rows_kernel(const __grid_constant__ MatrixReducePlan<T, Result> plan,
                              const __grid_constant__ TileRuns runs, Operation operation) {
    enter_stream_order();
    using Runs = StagedRowRuns<T>;
    constexpr int kWarps = Runs::kWarps, kRun = Runs::kRun;
    constexpr int kWarpBytes = Runs::kStages * Runs::kBytes;
    __shared__ uint4 staged[kWarps * kWarpBytes / kWideBytes];
    const int lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
    const std::size_t own_warp = blockIdx.x * std::size_t{kWarps} + warp;
    if (own_warp >= runs.busy()) return;
    const std::size_t first_row = runs.begin(own_warp);
    const std::size_t count = (runs.begin(own_warp + 1) - first_row) * plan.columns;
    const ReduceInput<T> all{plan.input, 0, plan.rows * plan.columns, 0};
    const StagedTiles<T, Runs> tiles(all, plan.input + first_row * plan.columns, count,
                                     reinterpret_cast<char*>(staged) + warp * kWarpBytes);
    const std::size_t behind = divide_up<std::size_t>(count, Runs::kElements);

    const unsigned columns = static_cast<unsigned>(plan.columns);
    const unsigned step_rows = Runs::kElements / columns, step = Runs::kElements % columns;
    Result* row = plan.output + first_row + lane * kRun / columns;
    unsigned left = columns - lane * kRun % columns;
    Result carried;
    bool carries = false;
    tiles.for_each(0, behind, [&](std::size_t tile, int stage) {
        const std::size_t tile_left = count - tile * Runs::kElements;
        const bool whole = tile_left >= Runs::kElements;
        const int rest = (whole ? Runs::kElements : static_cast<int>(tile_left)) - lane * kRun;
        const unsigned own = rest < 0 ? 0 : rest < kRun ? rest : kRun;
        RunOfRows<Result> run =
            whole ? combine_run_of_rows<true, Result>(tiles, stage, left, kRun, operation)
                  : combine_run_of_rows<false, Result>(tiles, stage, left, own, operation);
        if (lane == 0 && carries) run.head = operation(carried, run.head);
        const RowEnds ends(left, own, lane);
        const Result scanned = warp::inclusive_scan(warp::select(ends.ends(), run.tail, run.head),
                                                    operation, lane, ends.begin_behind());
        const Result before = warp::shuffle(scanned, (lane - 1) & (kWarpLanes - 1));
        if (ends.ends()) {
            Result result = run.head;
            if (ends.begin() < lane) result = operation(before, result);
            *row = plan.combine_initial ? operation(plan.initial, result) : result;
        }
        carried = warp::shuffle(scanned, kWarpLanes - 1);
        carries = __shfl_sync(kFullWarp, ends.begin_behind() < kWarpLanes, kWarpLanes - 1);
        // This lane's run of the next tile.
        row += step_rows;
        if (left > step) {
            left -= step;
        } else {
            left += columns - step;
            ++row;
        }
    });
}

}  // namespace wideload::WIDELOAD_DETAIL
