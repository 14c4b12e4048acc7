// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/atomic_combine.cuh>
#include <wideload/device/kernel/reduce_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Every block reduces a share of the words and combines its result with what *output holds, in
/// whatever order the blocks end.
template <class T, class Result, class Operation, class Build, class LoadPolicy>
__global__ void __launch_bounds__(Build::kThreads, kBlocksForRegisters<Result, Operation, Build>)
    reduce_atomic_kernel(const __grid_constant__ ReduceInput<T> input,
                         const __grid_constant__ ReduceTiles tiles, Result* output,
                         Operation operation) {
    release_next_kernel();
    __shared__ combine_storage<Build::kThreads, false, Result> shared;
    const Result partial = reduce_share<Build, LoadPolicy>(input, tiles, operation, shared, [] {});
    if (threadIdx.x == 0) atomic_combine(output, partial, operation);
}

}  // namespace wideload::WIDELOAD_DETAIL
