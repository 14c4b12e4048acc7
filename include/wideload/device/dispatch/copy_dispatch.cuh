// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/kernel/copy_kernel.cuh>
#include <wideload/tuning/copy_tuning.cuh>
#include <wideload/tuning/lookup.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Cuts a copy so that the body's stores are whole lines of the destination and no aligned word
/// that the body reads lies outside the source.
inline CopyPlan plan_copy(const char* source, char* destination, std::size_t bytes) {
    CopyPlan plan{source, destination, 0, 0, 0, 0, 0};
    std::size_t head = bytes_to_alignment(destination, kLineBytes);
    const unsigned shift =
        static_cast<unsigned>((reinterpret_cast<std::uintptr_t>(source) + head) % kWideBytes);
    if (head < shift) head += kLineBytes;
    if (head >= bytes) {
        plan.head_bytes = bytes;
        return plan;
    }
    std::size_t words = (bytes - head) / kWideBytes;
    if (shift != 0) {
        words -= words % kWarpLanes;
        // The last lane's second word must end inside the source too.
        const std::size_t tail = bytes - head - words * kWideBytes;
        if (words != 0 && tail + shift < kWideBytes) words -= kWarpLanes;
    }
    plan.head_bytes = head;
    plan.body_words = words;
    plan.tail_bytes = bytes - head - words * kWideBytes;
    plan.shift_bytes = shift;
    return plan;
}

/// Ends that are aligned differently, `Rows` rows a warp.
template <int Rows, class Load, class Store>
cudaError_t launch_copy_shifted(CopyPlan plan, cudaStream_t stream) {
    constexpr int kThreads = tuning::kCopyShiftedThreads;
    using Kernel = void (*)(const CopyPlan);
    static constexpr Kernel kKernels[2][4] = {
        {copy_shifted_kernel<kThreads, Rows, false, 0, Load, Store>,
         copy_shifted_kernel<kThreads, Rows, false, 1, Load, Store>,
         copy_shifted_kernel<kThreads, Rows, false, 2, Load, Store>,
         copy_shifted_kernel<kThreads, Rows, false, 3, Load, Store>},
        {copy_shifted_kernel<kThreads, Rows, true, 0, Load, Store>,
         copy_shifted_kernel<kThreads, Rows, true, 1, Load, Store>,
         copy_shifted_kernel<kThreads, Rows, true, 2, Load, Store>,
         copy_shifted_kernel<kThreads, Rows, true, 3, Load, Store>}};
    const std::size_t blocks = divide_up<std::size_t>(plan.body_words, kThreads * Rows);
    plan.body_blocks = static_cast<unsigned>(blocks);
    // Where the body's first word starts is where every warp's does.
    const bool mid_sector =
        bytes_to_alignment(plan.source + plan.head_bytes - plan.shift_bytes, kSectorBytes) != 0;
    return launch(kKernels[mid_sector][plan.shift_bytes / 4], blocks + 1, kThreads, 0, stream,
                  plan);
}

/// Ends that are aligned alike.
template <int Threads, int Words, class Load, class Store>
cudaError_t launch_copy(CopyPlan plan, cudaStream_t stream) {
    const std::size_t edge_blocks = plan.head_bytes + plan.tail_bytes != 0 ? 1 : 0;
    const std::size_t blocks = divide_up<std::size_t>(plan.body_words, Threads * Words);
    plan.body_blocks = static_cast<unsigned>(blocks);
    // Below 2^31 words no thread's index wraps, those past the end included.
    if (edge_blocks == 0 && plan.body_words < std::size_t{1} << 31) {
        return launch(copy_words_kernel<Threads, Words, Load, Store, unsigned>, blocks, Threads, 0,
                      stream, plan.source, plan.destination,
                      static_cast<unsigned>(plan.body_words));
    }
    return launch(copy_aligned_kernel<Threads, Words, Load, Store>, blocks + edge_blocks, Threads,
                  0, stream, plan);
}

template <class Load = tuning::CopyLoadPolicy, class Store = tuning::CopyStorePolicy>
cudaError_t dispatch_copy(const void* source, void* destination, std::size_t count,
                          std::size_t size, cudaStream_t stream) {
    std::size_t bytes = 0;
    if (cudaError_t error = checked_bytes(source, count, size, &bytes)) return error;
    if (cudaError_t error = checked_bytes(destination, count, size, &bytes)) return error;
    if (bytes == 0 || source == destination) return cudaSuccess;
    if (byte_range(source, bytes).overlaps(byte_range(destination, bytes)))
        return cudaErrorInvalidValue;

    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const tuning::CopyTuning& tuned =
        tuning::lookup(tuning::kCopyTuning, device.compute_capability, bytes);
    const CopyPlan plan =
        plan_copy(static_cast<const char*>(source), static_cast<char*>(destination), bytes);
    const bool pairs = tuning::copy_pairs_words(device.compute_capability, device.multiprocessors,
                                                plan.body_words);
    if (plan.shift_bytes != 0) {
        return pairs ? launch_copy_shifted<2, Load, Store>(plan, stream)
                     : launch_copy_shifted<1, Load, Store>(plan, stream);
    }
    if (pairs) return launch_copy<256, 2, Load, Store>(plan, stream);
    return tuned.threads_per_block == 128 ? launch_copy<128, 1, Load, Store>(plan, stream)
                                          : launch_copy<256, 1, Load, Store>(plan, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL
