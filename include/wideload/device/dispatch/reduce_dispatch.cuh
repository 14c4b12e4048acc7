// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/kernel/reduce_atomic_kernel.cuh>
#include <wideload/device/kernel/reduce_in_order_kernel.cuh>
#include <wideload/tuning/lookup.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

namespace wideload::detail {

/// Scratch memory holds the count of started blocks or the words of a counted sum, then the
/// blocks' mailboxes.
inline constexpr std::size_t kReduceScratchAlignment = 128, kReducePartialsOffset = 16384;
static_assert((counted_word(CountedWindows<double>::kBlocks) + 1) * sizeof(unsigned long long) <=
              kReducePartialsOffset);
static_assert(tuning::kReduceMaxBlocks <= kMaxCounted);

template <class Result>
constexpr std::size_t reduce_scratch_size() {
    return kReducePartialsOffset +
           tuning::kReduceMaxBlocks * Mailbox<Result>::kWords * sizeof(unsigned long long);
}

/// An input of `count` elements, not 0, cut for whole words where its type and address allow;
/// `*wide` tells whether. All of it counts as words, of one element each, where they do not.
template <class T>
ReduceInput<T> cut_reduce_input(const T* input, std::size_t count, bool* wide) {
    *wide = false;
    if constexpr (is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes) {
        if (is_aligned(input, sizeof(T))) {
            constexpr std::size_t kPerWord = kWideBytes / sizeof(T);
            std::size_t head = bytes_to_alignment(input, kWideBytes) / sizeof(T);
            if (head > count) head = count;
            const std::size_t words = (count - head) / kPerWord;
            *wide = true;
            return {input, head, words, count - head - words * kPerWord};
        }
    }
    return {input, 0, count, 0};
}

/// Cuts an input for that: as `words` count as many elements as a lane takes, 32 of them a row.
/// False where it has no whole row, or none at an address that allows it.
template <class T>
bool cut_reduce_rows(const T* input, std::size_t count, ReduceInput<T>* cut) {
    using Shape = LaneShape<T>;
    constexpr std::size_t kRow = static_cast<std::size_t>(Shape::kElements) * kWarpLanes;
    std::ptrdiff_t head = elements_to_alignment(input, kSectorBytes);
    if (head < 0) head = elements_to_alignment(input, Shape::template kAccess<T>);
    if (head < 0 || count < static_cast<std::size_t>(head) + kRow) return false;
    const std::size_t rows = (count - head) / kRow;
    *cut = {input, static_cast<std::size_t>(head), rows * kWarpLanes, count - head - rows * kRow};
    return true;
}

/// The blocks of `Threads` threads that read `input` by `Words` words a thread (0: one element).
template <int Words, int Threads, class T>
std::size_t reduce_blocks(const ReduceInput<T>& input, std::size_t max_blocks) {
    const std::size_t blocks = divide_up<std::size_t>(
        input.words, static_cast<std::size_t>(Threads) * (Words == 0 ? 1 : Words));
    return blocks > max_blocks ? max_blocks : blocks == 0 ? 1 : blocks;
}

/// How a reduction is launched on the current device.
struct ReduceShape {
    int threads;
    bool many_words;
    std::size_t max_blocks;
};

/// The shape for `count` elements.
///
/// @tparam Mailboxes  whether the blocks' results meet there, not in a sum
template <bool Mailboxes, class T>
cudaError_t reduce_shape(std::size_t count, ReduceShape* shape) {
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const tuning::ReduceTuning& tuned =
        tuning::lookup(tuning::kReduceTuning, device.compute_capability, count * sizeof(T));
    constexpr int kMaxThreads = tuning::kReduceMaxThreads<static_cast<int>(sizeof(T))>;
    shape->threads = tuned.threads < kMaxThreads ? tuned.threads : kMaxThreads;
    shape->many_words = Mailboxes && tuned.many_words;
    shape->max_blocks =
        static_cast<std::size_t>(device.multiprocessors) * (tuned.threads / shape->threads) *
        (Mailboxes ? tuned.mailboxes_per_multiprocessor : tuned.blocks_per_multiprocessor);
    if (shape->max_blocks > tuning::kReduceMaxBlocks) shape->max_blocks = tuning::kReduceMaxBlocks;
    return cudaSuccess;
}

/// Launches `of(words, threads)`, both integral constants: `Words` as for `reduce_share`.
template <bool Mailboxes, class T, class Launch>
cudaError_t launch_shape(const ReduceShape& shape, bool wide, const Launch& of) {
    constexpr int kMaxThreads = tuning::kReduceMaxThreads<static_cast<int>(sizeof(T))>;
    using MaxThreads = std::integral_constant<int, kMaxThreads>;
    if constexpr (is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes) {
        using Words = std::integral_constant<int, tuning::kReduceWords>;
        using FewThreads = std::integral_constant<int, 256>;
        if constexpr (Mailboxes) {
            if (wide && shape.many_words)
                return of(std::integral_constant<int, tuning::kReduceManyWords>{}, FewThreads{});
        }
        if (wide && shape.threads == kMaxThreads) return of(Words{}, MaxThreads{});
        if (wide) return of(Words{}, FewThreads{});
    }
    return of(std::integral_constant<int, 0>{}, MaxThreads{});
}

/// @tparam Rows  that a warp has in flight
template <bool Wide, int Rows, class T, class Result, class Operation>
cudaError_t launch_reduce_in_order(const ReducePlan<T, Result>& plan, const Operation& operation,
                                   cudaStream_t stream) {
    constexpr int kThreads = tuning::kReduceInOrderThreads, kWarps = kThreads / kWarpLanes;
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const auto kernel = reduce_in_order_kernel<T, Result, Operation, Rows, Wide, kThreads,
                                               tuning::ReduceLoadPolicy>;
    // Each block has its share of the range from the start: one that had to wait for room would
    // come last. Asked once, as it takes longer than a launch.
    static const int resident = resident_blocks(kernel, kThreads);
    constexpr int kMost = tuning::kReduceInOrderBlocksPerMultiprocessor;
    std::size_t blocks = static_cast<std::size_t>(device.multiprocessors) *
                         (resident > 0 && resident < kMost ? resident : kMost);
    if (blocks > tuning::kReduceMaxBlocks) blocks = tuning::kReduceMaxBlocks;
    const std::size_t tiles = tiles_in_order<Rows>(plan.input.words);
    const std::size_t most = divide_up<std::size_t>(tiles, kWarps);
    if (blocks > most) blocks = most;
    const bool overlap = blocks <= static_cast<std::size_t>(device.multiprocessors) *
                                       tuning::kReduceInOrderOverlapBlocks;
    return launch(kernel, blocks, kThreads, 0, stream, plan, TileRuns(tiles, blocks * kWarps),
                  overlap, operation);
}

template <class T, class Result, class Operation>
cudaError_t launch_reduce_commuting(const ReducePlan<T, Result>& plan, std::size_t count, bool wide,
                                    const Operation& operation, cudaStream_t stream) {
    ReduceShape shape{};
    constexpr bool kMailboxes = !kCountedSum<Result, Operation>;
    if (cudaError_t error = reduce_shape<kMailboxes, T>(count, &shape)) return error;
    return launch_shape<kMailboxes, T>(shape, wide, [&](auto words, auto threads) {
        constexpr int kWords = words, kThreads = threads;
        return launch(
            reduce_kernel<T, Result, Operation, kWords, kThreads, tuning::ReduceLoadPolicy>,
            reduce_blocks<kWords, kThreads>(plan.input, shape.max_blocks), kThreads, 0, stream,
            plan, operation);
    });
}

/// The arguments are checked, `count` is not 0 and scratch is ready.
template <class T, class Result, class Operation>
cudaError_t dispatch_reduce(const T* input, std::size_t count, Result* output,
                            const Operation& operation, const Result& initial, void* scratch,
                            cudaStream_t stream) {
    ReducePlan<T, Result> plan{
        {},
        output,
        initial,
        reinterpret_cast<unsigned long long*>(static_cast<char*>(scratch) + kReducePartialsOffset),
        static_cast<unsigned*>(scratch)};
    if constexpr (kReducedByRows<T>) {
        if (cut_reduce_rows(input, count, &plan.input))
            return launch_reduce_in_order<true, 1>(plan, operation, stream);
    }
    bool wide = false;
    plan.input = cut_reduce_input(input, count, &wide);
    if constexpr (is_commutative<Operation, Result>::value) {
        return launch_reduce_commuting(plan, count, wide, operation, stream);
    } else {
        if constexpr (is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes) {
            if (wide && count * sizeof(T) <= tuning::kReduceInOrderOneWordBytes)
                return launch_reduce_in_order<true, 1>(plan, operation, stream);
            if (wide)
                return launch_reduce_in_order<true, tuning::kReduceWords>(plan, operation, stream);
        }
        return launch_reduce_in_order<false, tuning::kReduceInOrderElements<sizeof(T)>>(
            plan, operation, stream);
    }
}

/// The arguments are checked and `count` is not 0.
template <class T, class Result, class Operation>
cudaError_t dispatch_reduce_atomic(const T* input, std::size_t count, Result* output,
                                   const Operation& operation, cudaStream_t stream) {
    ReduceShape shape{};
    if (cudaError_t error = reduce_shape<false, T>(count, &shape)) return error;
    bool wide = false;
    const ReduceInput<T> cut = cut_reduce_input(input, count, &wide);
    return launch_shape<false, T>(shape, wide, [&](auto words, auto threads) {
        constexpr int kWords = words, kThreads = threads;
        return launch(
            reduce_atomic_kernel<T, Result, Operation, kWords, kThreads, tuning::ReduceLoadPolicy>,
            reduce_blocks<kWords, kThreads>(cut, shape.max_blocks), kThreads, 0, stream, cut,
            output, operation);
    });
}

template <class Result>
__global__ void store_value_kernel(Result* output, const __grid_constant__ Result value) {
    enter_stream_order();
    *output = value;
}

}  // namespace wideload::detail
