// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/kernel/matrix_reduce_kernel.cuh>

namespace wideload::detail {

inline constexpr int kMatrixReduceThreads = 256;
/// Rows up to this many bytes are a warp's work.
inline constexpr std::size_t kWarpRowBytes = 4096;
/// Rows of up to so many accesses are some neighbouring lanes' work.
inline constexpr std::size_t kFewAccesses = 16;
inline constexpr int kFewLanes = 8;
/// Columns up to this many rows are one block's work, 32 columns to a block of as many warps:
/// memory for the pieces' results costs more than their work.
inline constexpr std::size_t kBlockColumnRows = 4096;
/// The least that is worth a piece of its own, in elements.
inline constexpr std::size_t kLeastPiece = 512;

/// Elements per access: whole words where every row starts at one, 1 elsewhere.
template <class T>
inline constexpr int kMatrixReduceWide =
    is_power_of_two(sizeof(T)) && sizeof(T) <= 16 ? 16 / static_cast<int>(sizeof(T)) : 1;

template <class T>
bool rows_are_words(const T* input, std::size_t columns) {
    return kMatrixReduceWide<T> > 1 && is_aligned(input, kWideBytes) &&
           columns * sizeof(T) % kWideBytes == 0;
}

/// Blocks that keep a device busy.
constexpr std::size_t blocks_wanted(int multiprocessors) {
    return static_cast<std::size_t>(multiprocessors) * 8;
}

/// How many pieces of `length` elements keep the device busy if `groups` blocks are there anyway; a
/// multiple of 16 elements each.
inline std::size_t piece_length(std::size_t length, std::size_t groups, int multiprocessors) {
    const std::size_t wanted = blocks_wanted(multiprocessors);
    std::size_t pieces = groups >= wanted ? 1 : wanted / groups;
    if (pieces > length / kLeastPiece) pieces = length / kLeastPiece;
    if (pieces > 1024) pieces = 1024;
    if (pieces <= 1) return length;
    return divide_up<std::size_t>(divide_up(length, pieces), 16) * 16;
}

/// Calls `function` with whether `input` is aligned for its type, as a type.
template <class T, class Function>
cudaError_t with_alignment(const T* input, Function function) {
    if (is_aligned(input, alignof(T))) return function(std::true_type{});
    return function(std::false_type{});
}

template <class T, class Result, class Operation>
cudaError_t launch_reduce_rows(const MatrixReducePlan<T, Result>& plan, const Operation& operation,
                               cudaStream_t stream) {
    constexpr int kThreads = kMatrixReduceThreads, kWide = kMatrixReduceWide<T>;
    // Rows of a few words have little of them to read as such.
    const bool wide = kWide > 1 && is_aligned(plan.input, sizeof(T)) &&
                      (rows_are_words(plan.input, plan.columns) || plan.piece >= 8 * kWide);
    const bool by_warp = plan.columns * sizeof(T) <= kWarpRowBytes;
    // Elements outside of whole words are one a lane, which takes a warp.
    const bool by_lanes = by_warp && plan.columns <= kFewAccesses * (wide ? kWide : 1) &&
                          (!wide || rows_are_words(plan.input, plan.columns));
    const int group = by_lanes ? kFewLanes : kWarpLanes;
    const std::size_t groups =
        by_warp ? divide_up<std::size_t>(plan.rows, kThreads / group) : plan.rows;
    if (groups > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const dim3 grid(static_cast<unsigned>(groups),
                    static_cast<unsigned>(divide_up(plan.columns, plan.piece)));
    const auto start = [&](auto per_access, auto aligned) {
        constexpr int kPerAccess = decltype(per_access)::value;
        constexpr bool kAligned = decltype(aligned)::value;
        const auto kernel = by_lanes  ? reduce_rows_kernel<T, Result, Operation, kPerAccess,
                                                           kAligned, kFewLanes, kThreads>
                            : by_warp ? reduce_rows_kernel<T, Result, Operation, kPerAccess,
                                                           kAligned, kWarpLanes, kThreads>
                                      : reduce_rows_kernel<T, Result, Operation, kPerAccess,
                                                           kAligned, kThreads, kThreads>;
        return launch_grid(kernel, grid, kThreads, 0, stream, plan, operation);
    };
    if (wide) return start(std::integral_constant<int, kWide>{}, std::true_type{});
    return with_alignment(
        plan.input, [&](auto aligned) { return start(std::integral_constant<int, 1>{}, aligned); });
}

template <class T, class Result, class Operation>
cudaError_t launch_reduce_columns(const MatrixReducePlan<T, Result>& plan,
                                  const Operation& operation, cudaStream_t stream) {
    constexpr int kWarps = kMatrixReduceThreads / kWarpLanes;
    // At most 4 columns a lane: their results share the block's memory.
    constexpr int kWide = kMatrixReduceWide<T> < 4 ? kMatrixReduceWide<T> : 4;
    const bool wide = rows_are_words(plan.input, plan.columns);
    const std::size_t blocks = divide_up<std::size_t>(
        plan.columns, static_cast<std::size_t>(kWarpLanes) * (wide ? kWide : 1));
    if (blocks > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const dim3 grid(static_cast<unsigned>(blocks),
                    static_cast<unsigned>(divide_up(plan.rows, plan.piece)));
    if (wide) {
        return launch_grid(reduce_columns_kernel<T, Result, Operation, kWide, true, kWarps>, grid,
                           kMatrixReduceThreads, 0, stream, plan, operation);
    }
    return with_alignment(plan.input, [&](auto aligned) {
        return launch_grid(
            reduce_columns_kernel<T, Result, Operation, 1, decltype(aligned)::value, kWarps>, grid,
            kMatrixReduceThreads, 0, stream, plan, operation);
    });
}

/// Whole columns, 32 to a block.
template <class T, class Result, class Operation>
cudaError_t launch_reduce_short_columns(const MatrixReducePlan<T, Result>& plan,
                                        const Operation& operation, cudaStream_t stream) {
    constexpr int kWarps = 1024 / kWarpLanes;
    return with_alignment(plan.input, [&](auto aligned) {
        return launch(
            reduce_columns_kernel<T, Result, Operation, 1, decltype(aligned)::value, kWarps>,
            divide_up<std::size_t>(plan.columns, kWarpLanes), kWarps * kWarpLanes, 0, stream, plan,
            operation);
    });
}

template <bool Rows, class T, class Result, class Operation>
cudaError_t launch_matrix_reduce(const MatrixReducePlan<T, Result>& plan,
                                 const Operation& operation, cudaStream_t stream) {
    if constexpr (Rows) return launch_reduce_rows(plan, operation, stream);
    return launch_reduce_columns(plan, operation, stream);
}

/// In one launch, or in two with the pieces' results between them in stream-ordered memory.
template <bool Rows, class T, class Result, class Operation>
cudaError_t dispatch_matrix_reduce(const T* input, std::size_t rows, std::size_t columns,
                                   Result* output, const Operation& operation,
                                   const Result& initial, cudaStream_t stream) {
    std::size_t bytes = 0, output_bytes = 0;
    const std::size_t results = Rows ? rows : columns, length = Rows ? columns : rows;
    if (rows != 0 && columns > SIZE_MAX / rows) return cudaErrorInvalidValue;
    if (cudaError_t error = checked_bytes(input, rows * columns, sizeof(T), &bytes)) return error;
    if (cudaError_t error = checked_bytes(output, results, sizeof(Result), &output_bytes))
        return error;
    if (byte_range(input, bytes).overlaps(byte_range(output, output_bytes)))
        return cudaErrorInvalidValue;
    if (results == 0) return cudaSuccess;
    if (length == 0) return cudaErrorInvalidValue;

    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const std::size_t groups = Rows ? rows : divide_up<std::size_t>(columns, 128);
    const bool short_rows = Rows && columns * sizeof(T) <= kWarpRowBytes;
    const std::size_t piece =
        short_rows ? length : piece_length(length, groups, device.multiprocessors);
    const std::size_t pieces = divide_up(length, piece);
    MatrixReducePlan<T, Result> plan{input,  rows,    columns, piece,
                                     output, initial, true,    !rows_are_words(input, columns)};
    if constexpr (!Rows && sizeof(Result) <= kWideBytes) {
        if (rows <= kBlockColumnRows && groups < blocks_wanted(device.multiprocessors)) {
            plan.piece = rows;
            return launch_reduce_short_columns(plan, operation, stream);
        }
    }
    if (pieces == 1) return launch_matrix_reduce<Rows>(plan, operation, stream);

    void* partials = nullptr;
    if (cudaError_t error = cudaMallocAsync(&partials, results * pieces * sizeof(Result), stream))
        return error;
    plan.output = static_cast<Result*>(partials);
    plan.combine_initial = false;
    cudaError_t error = launch_matrix_reduce<Rows>(plan, operation, stream);
    if (error == cudaSuccess) {
        const MatrixReducePlan<Result, Result> second{plan.output,
                                                      Rows ? rows : pieces,
                                                      Rows ? pieces : columns,
                                                      pieces,
                                                      output,
                                                      initial,
                                                      true,
                                                      true};
        error = launch_matrix_reduce<Rows>(second, operation, stream);
    }
    const cudaError_t freed = cudaFreeAsync(partials, stream);
    return error != cudaSuccess ? error : freed;
}

}  // namespace wideload::detail
