// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/kernel/reduce_kernel.cuh>
#include <wideload/tuning/lookup.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

namespace wideload::detail {

/// Scratch memory holds the count of started blocks, then the blocks' mailboxes.
inline constexpr std::size_t kReducePartialsOffset = 128;

template <class Result>
constexpr std::size_t reduce_scratch_size() {
    return kReducePartialsOffset +
           tuning::kReduceMaxBlocks * Mailbox<Result>::kWords * sizeof(unsigned long long);
}

template <int Words, class T, class Result, class Operation>
cudaError_t launch_reduce(const ReducePlan<T, Result>& plan, std::size_t max_blocks,
                          const Operation& operation, cudaStream_t stream) {
    constexpr int kThreads = tuning::kReduceThreads<static_cast<int>(sizeof(T))>;
    std::size_t blocks = divide_up<std::size_t>(
        plan.words, static_cast<std::size_t>(kThreads) * (Words == 0 ? 1 : Words));
    if (blocks > max_blocks) blocks = max_blocks;
    if (blocks == 0) blocks = 1;
    return launch(reduce_kernel<T, Result, Operation, Words, kThreads, tuning::ReduceLoadPolicy>,
                  blocks, kThreads, 0, stream, plan, operation);
}

/// The arguments are checked, `count` is not 0 and scratch is ready.
template <class T, class Result, class Operation>
cudaError_t dispatch_reduce(const T* input, std::size_t count, Result* output,
                            const Operation& operation, const Result& initial, void* scratch,
                            cudaStream_t stream) {
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const tuning::ReduceTuning& tuned =
        tuning::lookup(tuning::kReduceTuning, device.compute_capability, count * sizeof(T));
    std::size_t max_blocks = static_cast<std::size_t>(device.multiprocessors) *
                             tuned.blocks_per_multiprocessor *
                             (512 / tuning::kReduceThreads<static_cast<int>(sizeof(T))>);
    if (max_blocks > tuning::kReduceMaxBlocks) max_blocks = tuning::kReduceMaxBlocks;

    ReducePlan<T, Result> plan{
        input,
        0,
        count,
        0,
        output,
        initial,
        reinterpret_cast<unsigned long long*>(static_cast<char*>(scratch) + kReducePartialsOffset),
        static_cast<unsigned*>(scratch)};
    if constexpr (is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes) {
        if (is_aligned(input, sizeof(T))) {
            constexpr std::size_t kPerWord = kWideBytes / sizeof(T);
            plan.head_elements = bytes_to_alignment(input, kWideBytes) / sizeof(T);
            if (plan.head_elements > count) plan.head_elements = count;
            plan.words = (count - plan.head_elements) / kPerWord;
            plan.tail_elements = count - plan.head_elements - plan.words * kPerWord;
            return tuned.words_per_thread == 1
                       ? launch_reduce<1>(plan, max_blocks, operation, stream)
                       : launch_reduce<4>(plan, max_blocks, operation, stream);
        }
    }
    return launch_reduce<0>(plan, max_blocks, operation, stream);
}

template <class Result>
__global__ void store_value_kernel(Result* output, const __grid_constant__ Result value) {
    *output = value;
}

}  // namespace wideload::detail
