// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/matrix_reduce_shape.cuh>
#include <wideload/device/kernel/matrix_reduce_in_order_kernel.cuh>
#include <wideload/device/kernel/reduce_staged_rows_kernel.cuh>
#include <wideload/device/kernel/short_rows_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Rows up to so many bytes are a thread's work, unless they are many whole words: of so many
/// threads, whose rows fill a block's shared memory at most.
inline constexpr std::size_t kShortRowBytes = 256, kMediumRowBytes = 704;
/// Of odd ones, which go by four times 32, up to so many bytes.
inline constexpr unsigned kWholeOddRowBytes = 320;
inline constexpr int kShortRowThreads = 128, kMediumRowThreads = 64;
/// A thread takes so many bytes of rows, in at most so many rows, where there are many.
inline constexpr std::size_t kShortRowsBytes = 48, kMostShortRows = 16;
/// Rows from so many bytes on are by larger blocks' work, where they are several a multiprocessor.
inline constexpr std::size_t kLongRowBytes = 48 << 10;
inline constexpr int kLongRowThreads = 512;
/// Whole words of a row from which on some neighbouring lanes read them directly.
inline constexpr std::size_t kFewLanesLeast = 16;
/// The same in matrices of so many bytes.
inline constexpr std::size_t kFewLanesLeastOfMany = 24, kManyShortRowsBytes = std::size_t{64} << 20;
/// What a warp reads at once of rows in order.
inline constexpr std::size_t kWarpTileBytes = std::size_t{4} * kWarpLanes * kWideBytes;

/// Elements of which neighbouring lanes can take rows in order, too.
template <class T, class Result>
inline constexpr bool kLanesKeepOrder =
    kFillsWords<T> && kMatrixReduceWide<T> <= kFewLanes && sizeof(Result) <= kWideBytes;

/// Whether rows are staged in shared memory as the range that they are, a thread to each; whole
/// words only where neighbouring lanes would be slower, or not keep the order.
template <class T, class Result>
bool rows_are_short(const T* input, std::size_t rows, std::size_t columns, bool in_order) {
    const std::size_t row_bytes = columns * sizeof(T);
    const bool many = rows * row_bytes >= kManyShortRowsBytes;
    const bool by_lanes = rows_are_words(input, columns) &&
                          (!in_order || (kLanesKeepOrder<T, Result> && !many)) &&
                          row_bytes >= (many ? kFewLanesLeastOfMany : kFewLanesLeast) * kWideBytes;
    return kFillsWords<T> && is_aligned(input, sizeof(T)) && row_bytes <= kMediumRowBytes &&
           !by_lanes;
}

/// How rows that lie apart get into registers.
enum class PitchedRows {
    directly,
    as_range,  ///< by way of shared memory, with what lies between them
    by_words   ///< by way of shared memory, the words of each
};

/// From so many bytes between rows on it is quicker to leave them out.
inline constexpr std::size_t kLeastRowGapBytes = 64;

/// Where which way is quicker, in bytes: measured for rows of 12 to 512 bytes, gaps of up to twice
/// as many and some hundred bytes, elements of 1, 2, 4 and 8 bytes in any order and in theirs, and
/// matrices of 1, 16 and 256 MiB. Rows read directly, a few lanes' work each, take as long as some
/// hundred bytes of others.
struct ShortPitchedRows {
    std::size_t range;        ///< the longest way from row to row of those staged as a range,
    std::size_t words_range;  ///< and of such as are whole words
    std::size_t row;          ///< the longest row whose words are staged by themselves
};
constexpr ShortPitchedRows short_pitched_rows(std::size_t bytes, std::size_t element_bytes,
                                              bool in_order) {
    constexpr ShortPitchedRows kLimits[2][4][3] = {
        {{{98, 0, 24}, {202, 80, 64}, {386, 144, 128}},
         {{98, 80, 24}, {300, 144, 128}, {386, 272, 200}},
         {{136, 0, 100}, {200, 192, 128}, {352, 192, 200}},
         {{264, 64, 64}, {264, 192, 200}, {400, 256, 256}}},
        {{{300, 192, 64}, {682, 512, 128}, {682, 576, 128}},
         {{98, 0, 64}, {402, 80, 128}, {514, 528, 384}},
         {{304, 144, 128}, {400, 256, 128}, {520, 384, 256}},
         {{600, 96, 96}, {600, 336, 128}, {680, 576, 256}}}};
    const int element = element_bytes == 1 ? 0 : element_bytes < 4 ? 1 : element_bytes == 4 ? 2 : 3;
    const int size = bytes < std::size_t{4} << 20 ? 0 : bytes < kManyShortRowsBytes ? 1 : 2;
    return kLimits[in_order][element][size];
}

/// @param words  whether all rows are whole words
template <class T>
PitchedRows pitched_rows_go(const T* input, std::size_t rows, std::size_t columns,
                            std::size_t pitch, bool words, bool in_order) {
    if (!kFillsWords<T> || !is_aligned(input, sizeof(T))) return PitchedRows::directly;
    const std::size_t row_bytes = columns * sizeof(T), pitch_bytes = pitch * sizeof(T);
    const ShortPitchedRows most = short_pitched_rows(rows * row_bytes, sizeof(T), in_order);
    const bool as_range = pitch_bytes <= (words ? most.words_range : most.range);
    // All rows begin equally far into a word.
    const bool by_words = pitch_bytes % kWideBytes == 0 && row_bytes <= most.row;
    if (by_words && (!as_range || pitch_bytes - row_bytes >= kLeastRowGapBytes))
        return PitchedRows::by_words;
    return as_range ? PitchedRows::as_range : PitchedRows::directly;
}

/// Whether rows in order are neighbouring lanes' work, where they are not short: ever longer ones
/// the more there are, but for those that are whole tiles of a warp.
template <class T, class Result>
bool rows_by_lanes_in_order(const T* input, std::size_t rows, std::size_t columns) {
    const std::size_t row_bytes = columns * sizeof(T);
    const bool tiles = rows_are_words(input, columns) && row_bytes % kWarpTileBytes == 0;
    return kLanesKeepOrder<T, Result> && is_aligned(input, sizeof(T)) && !tiles &&
           row_bytes >= kWideBytes &&
           row_bytes <= (rows < 8192    ? std::size_t{768}
                         : rows < 24576 ? std::size_t{1700}
                                        : std::size_t{6} << 10);
}

/// How many rows a block of so many threads takes, where shared memory has `held` bytes for each.
constexpr std::size_t short_rows_per_block(std::size_t rows, std::size_t held, int threads,
                                           int multiprocessors) {
    const std::size_t fill = static_cast<std::size_t>(threads) * blocks_wanted(multiprocessors);
    std::size_t each = kShortRowsBytes / held;
    if (each > kMostShortRows) each = kMostShortRows;
    if (each > rows / fill) each = rows / fill;
    return static_cast<std::size_t>(threads) * (each > 1 ? each : 1);
}

/// How blocks take such rows.
struct ShortRowsShape {
    ShortRowLanes lanes;
    int threads;
    std::size_t shared_bytes;
};

/// Fills in all of a plan but what its matrix says.
template <class Plan>
ShortRowsShape shape_short_rows(Plan* plan, int multiprocessors) {
    using Results = ShortRowResults<typename Plan::Value>;
    constexpr std::size_t kHeld = sizeof(typename Results::Value);
    const std::size_t row_bytes = plan->step() * sizeof(typename Plan::Element);
    const ShortRowLanes lanes = share_short_rows(plan, kWholeOddRowBytes);
    const bool halves = lanes == ShortRowLanes::halves;
    const bool change = Results::kChange && (lanes == ShortRowLanes::apart || halves);
    // Four times 32 rows belong together.
    const int threads =
        plan->apart_log2 == 2 || row_bytes <= kShortRowBytes ? kShortRowThreads : kMediumRowThreads;
    const std::size_t rows =
        halves ? threads / 2
               : short_rows_per_block(plan->rows, change ? row_bytes / 2 + kHeld : row_bytes,
                                      threads, multiprocessors);
    const std::size_t tile =
        divide_up<std::size_t>(rows * row_bytes + 2 * kWideBytes, kWideBytes) * kWideBytes;
    const std::size_t warps = (halves ? threads : rows) / kWarpLanes;
    plan->rows_per_block = static_cast<unsigned>(rows);
    plan->results = static_cast<unsigned>(tile);
    plan->pitch = Results::pitch(plan->apart_log2);
    return {lanes, threads, tile + (change ? warps * plan->pitch * kHeld : 0)};
}

/// A plan for short rows that knows its matrix, but not how far apart they lie.
template <class Plan, class T, class Result>
Plan short_rows_of(const MatrixReducePlan<T, Result>& plan) {
    Plan short_rows{};
    short_rows.input = plan.input;
    short_rows.rows = plan.rows;
    short_rows.columns = static_cast<unsigned>(plan.columns);
    short_rows.output = plan.output;
    short_rows.initial = plan.initial;
    return short_rows;
}

template <class Plan, class Operation>
cudaError_t launch_reduce_short_rows(Plan short_rows, const Operation& operation,
                                     cudaStream_t stream) {
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const ShortRowsShape shape = shape_short_rows(&short_rows, device.multiprocessors);
    const auto start = [&](auto lanes, auto threads) {
        return launch(reduce_short_rows_kernel<Plan, Operation, decltype(lanes)::value,
                                               decltype(threads)::value>,
                      divide_up<std::size_t>(short_rows.rows, short_rows.rows_per_block),
                      shape.threads, shape.shared_bytes, stream, short_rows, operation);
    };
    const auto start_by = [&](auto lanes) {
        return shape.threads == kShortRowThreads
                   ? start(lanes, std::integral_constant<int, kShortRowThreads>{})
                   : start(lanes, std::integral_constant<int, kMediumRowThreads>{});
    };
    using Lanes = ShortRowLanes;
    constexpr std::size_t kSize = sizeof(typename Plan::Element);
    if (shape.lanes == Lanes::in_turn)
        return start_by(std::integral_constant<Lanes, Lanes::in_turn>{});
    if constexpr (kSize == 1) {
        if (shape.lanes == Lanes::halves)
            return start(std::integral_constant<Lanes, Lanes::halves>{},
                         std::integral_constant<int, kShortRowThreads>{});
    }
    if constexpr (kSize < 4) {
        if (shape.lanes == Lanes::apart)
            return start_by(std::integral_constant<Lanes, Lanes::apart>{});
    }
    return start_by(std::integral_constant<Lanes, Lanes::side_by_side>{});
}

/// Rows by the warp or, where they are long, by the block, in the order of their elements.
template <class Plan, class Operation>
cudaError_t launch_reduce_rows_in_order(const Plan& plan, const Operation& operation,
                                        cudaStream_t stream) {
    using T = typename Plan::Element;
    using Result = typename Plan::Value;
    constexpr int kThreads = kMatrixReduceThreads;
    if constexpr (kLanesKeepOrder<T, Result>) {
        if (rows_by_lanes_in_order<T, Result>(plan.input, plan.rows, plan.columns)) {
            return launch(reduce_rows_by_lanes_in_order_kernel<T, Result, Operation, kFewLanes,
                                                               kThreads, Plan>,
                          divide_up<std::size_t>(plan.rows, kThreads / kFewLanes), kThreads,
                          evenly(0, kReductionsEvenFrom), stream, plan, operation);
        }
    }
    const bool by_warp = rows_are_for_warps(plan.input, plan.rows, plan.columns);
    const std::size_t groups =
        by_warp ? divide_up<std::size_t>(plan.rows, kThreads / kWarpLanes) : plan.rows;
    if (groups > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const dim3 grid(static_cast<unsigned>(groups),
                    static_cast<unsigned>(divide_up(plan.columns, plan.piece)));
    const auto start = [&](auto wide) {
        constexpr bool kWide = decltype(wide)::value;
        const auto kernel = by_warp ? reduce_rows_in_order_kernel<T, Result, Operation, kWide,
                                                                  kWarpLanes, kThreads, Plan>
                                    : reduce_rows_in_order_kernel<T, Result, Operation, kWide,
                                                                  kThreads, kThreads, Plan>;
        return launch_grid(kernel, grid, kThreads, evenly(0, kReductionsEvenFrom), stream, plan,
                           operation);
    };
    if constexpr (kFillsWords<T>) {
        if (is_aligned(plan.input, sizeof(T))) return start(std::true_type{});
    }
    if constexpr (kReducedByRows<T>) {
        if (rows_are_exchanged(plan.input, plan.rows, plan.columns)) return start(std::true_type{});
    }
    return start(std::false_type{});
}

/// Rows by some lanes, the warp or the block, in any order.
template <class Plan, class Operation>
cudaError_t launch_reduce_rows_in_any_order(const Plan& plan, const Operation& operation,
                                            cudaStream_t stream) {
    using T = typename Plan::Element;
    using Result = typename Plan::Value;
    constexpr int kThreads = kMatrixReduceThreads, kWide = kMatrixReduceWide<T>;
    const bool wide = kWide > 1 && is_aligned(plan.input, sizeof(T));
    const bool by_warp = rows_are_for_warps(plan.input, plan.rows, plan.columns);
    const bool by_lanes = rows_are_for_lanes(plan.input, plan.rows, plan.columns, wide ? kWide : 1);
    const int group = by_lanes ? kFewLanes : kWarpLanes;
    const std::size_t groups =
        by_warp ? divide_up<std::size_t>(plan.rows, kThreads / group) : plan.rows;
    if (groups > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const dim3 grid(static_cast<unsigned>(groups),
                    static_cast<unsigned>(divide_up(plan.columns, plan.piece)));
    bool long_pieces = wide && plan.piece * sizeof(T) >= kLongRowBytes;
    if (long_pieces) {
        DeviceProperties device{};
        if (cudaError_t error = current_device_properties(&device)) return error;
        long_pieces = groups * grid.y > static_cast<std::size_t>(device.multiprocessors) * 2;
    }
    const auto start = [&](auto per_access, auto alignment, auto ragged) {
        constexpr int kPerAccess = decltype(per_access)::value;
        constexpr int kAlignment = decltype(alignment)::value;
        if constexpr (kWide > 1 && !kIsEarly<Plan>) {  // so many long ones are no small work
            if (long_pieces) {
                return launch_grid(reduce_rows_kernel<T, Result, Operation, kWide, kWideBytes,
                                                      kLongRowThreads, kLongRowThreads, true, Plan>,
                                   grid, kLongRowThreads, evenly(0, kReductionsEvenFrom), stream,
                                   plan, operation);
            }
        }
        constexpr bool kRagged = decltype(ragged)::value;
        const auto kernel =
            by_lanes  ? reduce_rows_kernel<T, Result, Operation, kPerAccess, kAlignment, kFewLanes,
                                           kThreads, kRagged, Plan>
            : by_warp ? reduce_rows_kernel<T, Result, Operation, kPerAccess, kAlignment, kWarpLanes,
                                           kThreads, kRagged, Plan>
                      : reduce_rows_kernel<T, Result, Operation, kPerAccess, kAlignment, kThreads,
                                           kThreads, (kPerAccess > 1), Plan>;
        return launch_grid(kernel, grid, kThreads, evenly(0, kReductionsEvenFrom), stream, plan,
                           operation);
    };
    if constexpr (kWide > 1) {
        if (wide) {
            const auto start_wide = [&](auto ragged) {
                return start(std::integral_constant<int, kWide>{},
                             std::integral_constant<int, kWideBytes>{}, ragged);
            };
            return plan.ragged ? start_wide(std::true_type{}) : start_wide(std::false_type{});
        }
    }
    const auto start_apart = [&](auto alignment) {
        return start(std::integral_constant<int, 1>{}, alignment, std::false_type{});
    };
    if constexpr (kWide > 1 && alignof(T) == sizeof(T)) {
        return start_apart(std::integral_constant<int, 1>{});
    } else {
        return with_alignment(plan.input, start_apart);
    }
}

/// Rows that lie anywhere, not by way of shared memory.
template <class Plan, class Operation>
cudaError_t launch_reduce_rows_directly(const Plan& plan, const Operation& operation,
                                        cudaStream_t stream) {
    if constexpr (!is_commutative<Operation, typename Plan::Value>::value) {
        return launch_reduce_rows_in_order(plan, operation, stream);
    } else {
        if constexpr (kReducedByRows<typename Plan::Element>) {
            if (rows_are_exchanged(plan.input, plan.rows, plan.columns))
                return launch_reduce_rows_in_order(plan, operation, stream);
        }
        return launch_reduce_rows_in_any_order(plan, operation, stream);
    }
}

/// Rows by way of shared memory.
template <class T, class Result, class Operation>
cudaError_t launch_reduce_staged_rows(const MatrixReducePlan<T, Result>& plan,
                                      const Operation& operation, cudaStream_t stream) {
    using Runs = StagedRowRuns<T>;
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const TileRuns runs(plan.rows, staged_rows_warps<T>(plan.rows, device.multiprocessors));
    return launch(reduce_staged_rows_kernel<T, Result, Operation>,
                  divide_up<std::size_t>(runs.warps, Runs::kWarps), Runs::kThreads,
                  evenly(0, kReductionsEvenFrom), stream, plan, runs, operation);
}

/// @tparam MayBeEarly  of `launch_early`
template <bool MayBeEarly, class T, class Result, class Operation>
cudaError_t launch_reduce_rows(const MatrixReducePlan<T, Result>& plan, const Operation& operation,
                               cudaStream_t stream) {
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    if constexpr (StagedRowRuns<T>::kFits) {
        if (rows_are_staged(plan.input, plan.rows, plan.columns, kInOrder))
            return launch_reduce_staged_rows(plan, operation, stream);
    }
    if constexpr (kFillsWords<T>) {
        if (plan.combine_initial &&
            rows_are_short<T, Result>(plan.input, plan.rows, plan.columns, kInOrder))
            return launch_reduction_early<MayBeEarly>(
                short_rows_of<ShortRowsPlan<T, Result>>(plan), [&](const auto& rows) {
                    return launch_reduce_short_rows(rows, operation, stream);
                });
    }
    return launch_reduction_early<MayBeEarly>(plan, [&](const auto& rows) {
        return launch_reduce_rows_directly(rows, operation, stream);
    });
}

}  // namespace wideload::WIDELOAD_DETAIL
