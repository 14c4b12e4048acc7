// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/atomic_combine.cuh>
#include <wideload/device/kernel/reduce_kernel.cuh>

namespace wideload::detail {

/// Every block reduces a share of the words and combines its result with what *output holds, in
/// whatever order the blocks end.
template <class T, class Result, class Operation, int Words, int Threads, class LoadPolicy>
__global__ void __launch_bounds__(Threads,
                                  kBlocksForRegisters<T, Result, Operation, Words, Threads>)
    reduce_atomic_kernel(const __grid_constant__ ReduceInput<T> input, Result* output,
                         Operation operation) {
    enter_stream_order();
    __shared__ combine_storage<Threads, Result, Operation> shared;
    const Result partial =
        reduce_share<Words, Threads, LoadPolicy, T, Result>(input, operation, shared);
    if (threadIdx.x == 0) atomic_combine(output, partial, operation);
}

}  // namespace wideload::detail
