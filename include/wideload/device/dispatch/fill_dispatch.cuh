// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/kernel/fill_kernel.cuh>
#include <wideload/tuning/fill_tuning.cuh>
#include <wideload/tuning/lookup.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// The largest value that `fill` takes, in bytes: its pattern travels as a kernel parameter (4 KiB
/// at most).
inline constexpr int kMaxFillBytes = 224;

/// `period_bytes`: after which the pattern, which starts at the body, repeats.
inline FillPlan plan_fill(char* destination, std::size_t bytes, std::size_t period_bytes) {
    FillPlan plan{destination, 0, 0, 0, 0, 0, 0};
    plan.head_bytes = bytes_to_alignment(destination, kLineBytes);
    if (plan.head_bytes > bytes) plan.head_bytes = bytes;
    plan.body_words = (bytes - plan.head_bytes) / kWideBytes;
    plan.tail_bytes = bytes - plan.head_bytes - plan.body_words * kWideBytes;
    plan.head_phase =
        static_cast<unsigned>((period_bytes - plan.head_bytes % period_bytes) % period_bytes);
    plan.tail_phase = static_cast<unsigned>(plan.body_words * kWideBytes % period_bytes);
    return plan;
}

/// The repeating words as the body sees them: byte b of the body is byte (head + b) % size of the
/// value.
template <int Size>
FillPattern<fill_period(Size)> make_fill_pattern(const void* value, std::size_t head_bytes) {
    FillPattern<fill_period(Size)> pattern;
    char* bytes = reinterpret_cast<char*>(&pattern);
    for (std::size_t i = 0; i < sizeof(pattern); ++i) {
        bytes[i] = static_cast<const char*>(value)[(head_bytes + i) % Size];
    }
    return pattern;
}

/// Launches `kernel`, whose threads store so many words each, and one block more where there are
/// edges.
template <int Period>
cudaError_t launch_fill_kernel(void (*kernel)(const FillPlan, const FillPattern<Period>),
                               FillPlan plan, const FillPattern<Period>& pattern, int threads,
                               int words, cudaStream_t stream) {
    const std::size_t blocks = divide_up<std::size_t>(
        plan.body_words, static_cast<std::size_t>(threads) * static_cast<unsigned>(words));
    plan.body_blocks = static_cast<unsigned>(blocks);
    const std::size_t edge_blocks = plan.head_bytes + plan.tail_bytes != 0 ? 1 : 0;
    return launch(kernel, blocks + edge_blocks, threads, 0, stream, plan, pattern);
}

/// @param threads  of a block; short patterns take as many as they fit, long ones `kFillThreads`
template <int Words, int Period>
cudaError_t launch_fill(const FillPlan& plan, const FillPattern<Period>& pattern, int threads,
                        cudaStream_t stream) {
    if constexpr (Period == 1) {
        return launch_fill_kernel(fill_word_kernel<Words, tuning::FillStorePolicy>, plan, pattern,
                                  threads, Words, stream);
    } else if constexpr (Period <= tuning::kFillShortPeriod) {
        // Each thread's words are then all the same one.
        constexpr int kThreads = tuning::fill_pattern_threads(Period, tuning::kFillThreads);
        constexpr int kMoreThreads =
            Period <= tuning::kFillLargeBlockPeriod
                ? tuning::fill_pattern_threads(Period, tuning::kFillMoreThreads)
                : kThreads;
        const bool more = threads > tuning::kFillThreads;
        return launch_fill_kernel(
            more ? fill_short_pattern_kernel<Period, Words, kMoreThreads, tuning::FillStorePolicy>
                 : fill_short_pattern_kernel<Period, Words, kThreads, tuning::FillStorePolicy>,
            plan, pattern, more ? kMoreThreads : kThreads, Words, stream);
    } else {
        return launch_fill_kernel(fill_pattern_kernel<Period, Words, tuning::FillStorePolicy>, plan,
                                  pattern, tuning::kFillThreads, Words, stream);
    }
}

template <int Size>
cudaError_t dispatch_fill(void* destination, std::size_t count, const void* value,
                          cudaStream_t stream) {
    std::size_t bytes = 0;
    if (cudaError_t error = checked_bytes(destination, count, Size, &bytes)) return error;
    if (bytes == 0) return cudaSuccess;

    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const tuning::FillTuning& tuned =
        tuning::lookup(tuning::kFillTuning, device.compute_capability, bytes);
    const FillPlan plan =
        plan_fill(static_cast<char*>(destination), bytes, fill_period(Size) * kWideBytes);
    const auto pattern = make_fill_pattern<Size>(value, plan.head_bytes);
    constexpr int kWords = tuning::fill_pattern_words(fill_period(Size));
    if (fill_period(Size) <= tuning::kFillShortPeriod && bytes < tuning::kFillShortPatternBytes)
        return launch_fill<1>(plan, pattern, tuned.threads_per_block, stream);
    return launch_fill<kWords>(plan, pattern, tuned.threads_per_block, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL
