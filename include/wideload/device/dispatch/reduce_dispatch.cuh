// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/kernel/reduce_atomic_kernel.cuh>
#include <wideload/device/kernel/reduce_in_order_kernel.cuh>
#include <wideload/device/kernel/reduce_staged_kernel.cuh>
#include <wideload/tuning/lookup.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Scratch memory holds the count of started blocks or the words of a counted sum, then the
/// blocks' mailboxes.
inline constexpr std::size_t kReduceScratchAlignment = 128, kReducePartialsOffset = 16384;
static_assert((counted_word(CountedWindows<double>::kBlocks) + 1) * sizeof(unsigned long long) <=
              kReducePartialsOffset);
static_assert(tuning::kReduceMaxBlocks <= kMaxCounted);

template <class Result>
constexpr std::size_t reduce_scratch_size() {
    return kReducePartialsOffset +
           tuning::kReduceMaxBlocks * Mailboxes<Result>::kWords * sizeof(unsigned long long);
}

/// An input of `count` elements, not 0, which lie at multiples of their size if they fill words:
/// cut for whole ones. All of others counts as words, of one element each.
template <class T>
ReduceInput<T> cut_reduce_input(const T* input, std::size_t count) {
    if constexpr (kFillsWords<T>) {
        constexpr std::size_t kPerWord = kWideBytes / sizeof(T);
        std::size_t head = bytes_to_alignment(input, kWideBytes) / sizeof(T);
        if (head > count) head = count;
        const std::size_t words = (count - head) / kPerWord;
        return {input, head, words, count - head - words * kPerWord};
    }
    return {input, 0, count, 0};
}

/// How a launch's blocks share an input.
struct ReduceShare {
    ReduceTiles tiles;
    std::size_t blocks;
};

/// How `input` is shared by `max_blocks` at most. If all are to be busy, the rest of a tile is no
/// block's only one.
template <class Build, class T>
ReduceShare share_reduce_input(const ReduceInput<T>& input, std::size_t max_blocks) {
    constexpr std::size_t kThreads = Build::kThreads;
    constexpr std::size_t kMost = Build::kWords == 0 ? 1 : Build::kWords;
    std::size_t words = kMost;
    if constexpr (Build::kFewest < Build::kWords) {
        constexpr std::size_t kFewest = Build::kFewest;
        const std::size_t even = divide_up<std::size_t>(input.words, max_blocks * kThreads);
        words = even < kFewest ? kFewest : even < kMost ? even : kMost;
    }
    const std::size_t tile = words * kThreads, rest = input.words % tile;
    const std::size_t blocks = input.words / tile + (!Build::kBusy && rest != 0);
    const auto* const first = reinterpret_cast<const char*>(input.elements + input.head_elements);
    return {{first, input.words - rest, static_cast<int>(words)},
            blocks > max_blocks ? max_blocks
            : blocks == 0       ? 1
                                : blocks};
}

/// Tiles from which on their blocks take what is left beside theirs, one word a thread.
inline constexpr std::size_t kTilesForBusy = 4;

/// How a reduction is launched on the current device.
struct ReduceShape {
    int mailboxes_of_lane;  ///< as of ReduceBuild
    bool many_words;
    std::size_t max_blocks;
};

/// The shape for `count` elements.
///
/// @tparam InMailboxes  whether the blocks' results meet there, not in a sum
template <bool InMailboxes, class T>
cudaError_t reduce_shape(std::size_t count, ReduceShape* shape) {
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const int capability = device.compute_capability;
    const std::size_t bytes = count * sizeof(T);
    const tuning::ReduceTuning& tuned =
        InMailboxes ? tuning::lookup(tuning::kReduceMailboxTuning, capability, bytes)
                    : tuning::lookup(tuning::kReduceSumTuning, capability, bytes);
    constexpr int kBlocks = 512 / tuning::kReduceManyThreads<static_cast<int>(sizeof(T))>;
    const int of_lane =
        tuned.small ? tuning::reduce_mailboxes_of_lane(tuned.blocks_per_multiprocessor) : 0;
    const int most = InMailboxes && tuned.small ? of_lane * kWarpLanes : tuning::kReduceMaxBlocks;
    const int blocks =
        device.multiprocessors * tuned.blocks_per_multiprocessor * (tuned.small ? 1 : kBlocks);
    *shape = {of_lane, tuned.many_words, static_cast<std::size_t>(blocks < most ? blocks : most)};
    return cudaSuccess;
}

/// Launches `launch_build(ReduceBuild<...>{})`, as the shape and the input want it.
template <bool InMailboxes, class T, class Launch>
cudaError_t launch_shape(const ReduceShape& shape, const ReduceInput<T>& input,
                         const Launch& launch_build) {
    constexpr int kFew = tuning::kReduceFewThreads;
    constexpr int kMany = tuning::kReduceManyThreads<static_cast<int>(sizeof(T))>;
    if constexpr (kFillsWords<T>) {
        constexpr int kWords = tuning::kReduceWords, kManyWords = tuning::kReduceManyWords;
        constexpr int kOfLane = tuning::kReduceMailboxesOfLane;
        if (input.words < kTilesForBusy * kWords * kFew)
            return launch_build(ReduceBuild<kWords, kFew, kOfLane, false>{});
        if constexpr (InMailboxes) {
            if (shape.mailboxes_of_lane > kOfLane) {
                constexpr int kManyOfLane = tuning::kReduceManyMailboxesOfLane;
                return launch_build(ReduceBuild<kManyWords, kFew, kManyOfLane, true>{});
            }
            if (shape.many_words)
                return launch_build(ReduceBuild<kManyWords, kFew, kOfLane, true>{});
        }
        if (shape.mailboxes_of_lane != 0)
            return launch_build(ReduceBuild<kWords, kFew, kOfLane, true>{});
        return launch_build(ReduceBuild<kWords, kMany, 0, true>{});
    } else {
        return launch_build(ReduceBuild<0, kMany, 0, false>{});
    }
}

/// @tparam Rows  that a warp has in flight
/// @tparam Few   blocks a multiprocessor at most, 1 or 2, whose results one warp collects; 0: as
/// many as fit
/// @param waves  of those that fit
template <bool Wide, int Rows, int Few, class T, class Result, class Operation>
cudaError_t launch_reduce_in_order(const ReducePlan<T, Result>& plan, const Operation& operation,
                                   cudaStream_t stream, int waves = 1) {
    constexpr int kThreads = tuning::kReduceInOrderThreads, kWarps = kThreads / kWarpLanes;
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    constexpr int kOfLane = Few == 0 ? 0 : tuning::reduce_mailboxes_of_lane(Few);
    const auto kernel = reduce_in_order_kernel<T, Result, Operation, Rows, Wide, kThreads, kOfLane,
                                               tuning::ReduceLoadPolicy>;
    const std::size_t multiprocessors = device.multiprocessors;
    std::size_t blocks = multiprocessors;
    if constexpr (Few != 0) {
        blocks *= Few;
        if (blocks > kOfLane * kWarpLanes) blocks = kOfLane * kWarpLanes;
    } else {
        // Each block has its share of the range from the start: of blocks that fit but once, one
        // that had to wait for room would come last.
        static ResidentBlocks known;
        const int resident = known.of(kernel, kThreads);
        constexpr int kMost = tuning::kReduceInOrderBlocksPerMultiprocessor;
        blocks *= (resident > 0 && resident < kMost ? resident : kMost) * waves;
        if (blocks > std::size_t{tuning::kReduceMaxBlocks}) blocks = tuning::kReduceMaxBlocks;
    }
    const std::size_t tiles = tiles_in_order<Rows>(plan.input.words);
    const std::size_t most = divide_up<std::size_t>(tiles, kWarps);
    if (blocks > most) blocks = most;
    const bool overlap = blocks <= multiprocessors * tuning::kReduceInOrderOverlapBlocks;
    return launch(kernel, blocks, kThreads, evenly(0, kReductionsEvenFrom), stream, plan,
                  TileRuns(tiles, blocks * kWarps), overlap, operation);
}

/// Elements in order, whose input is cut for whole words.
template <class T, class Result, class Operation>
cudaError_t launch_words_in_order(const ReducePlan<T, Result>& plan, const Operation& operation,
                                  cudaStream_t stream) {
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const std::size_t bytes = plan.input.words * kWideBytes;
    const std::size_t each = bytes / static_cast<std::size_t>(device.multiprocessors);
    constexpr int kWords = tuning::kReduceWords, kManyWords = tuning::kReduceManyWords;
    if (each <= tuning::kReduceInOrderFewBytes)
        return launch_reduce_in_order<true, kWords, 1>(plan, operation, stream);
    switch (tuning::reduce_in_order_few_blocks(each)) {
        case 1:
            return launch_reduce_in_order<true, kManyWords, 1>(plan, operation, stream);
        case 2:
            return launch_reduce_in_order<true, kManyWords, 2>(plan, operation, stream);
        default:
            return launch_reduce_in_order<true, kManyWords, 0>(
                plan, operation, stream, bytes >= tuning::kReduceInOrderTwiceBytes ? 2 : 1);
    }
}

/// Blocks for a reduction of so many tiles that go through shared memory. Up to half a
/// multiprocessor's each, the next launch's find room beside them; above that all multiprocessors
/// have as many, or some would have two launches' and others none. One block each as long as its
/// warps have all tiles in flight.
template <class Runs, class Result, class T>
std::size_t staged_blocks(const ReduceInput<T>& input, std::size_t tiles,
                          std::size_t multiprocessors) {
    const std::size_t most = divide_up<std::size_t>(tiles, Runs::kWarps);
    if (most <= multiprocessors / 2) return most;
    constexpr bool kHalf = 2 * Runs::kWarps == Runs::kMostWarps;
    constexpr bool kLarge = !Runs::fits(Runs::kMostWarps, Runs::kRun);
    constexpr bool kFew = !Runs::kInOrder || (sizeof(Result) > tuning::kReduceStagedInOrderBytes &&
                                              (!kHalf || kLarge));
    if (most <= multiprocessors * (kFew ? Runs::kStages : 1)) return multiprocessors;
    const std::size_t each = input.words * sizeof(T) / multiprocessors;
    constexpr std::size_t kManyFrom =
        tuning::kReduceStagedManyBlocksBytes / (kHalf && Runs::kInOrder ? 2 : 1);
    const bool many = (kHalf || Runs::kInOrder) && each >= kManyFrom;
    const bool one = kLarge && each < tuning::kReduceStagedOneBlockBytes;
    std::size_t blocks = multiprocessors * (many  ? tuning::kReduceStagedManyBlocks
                                            : one ? 1
                                                  : tuning::kReduceStagedBlocks);
    if (blocks > tiles) blocks = tiles;
    return blocks < std::size_t{tuning::kReduceMaxBlocks} ? blocks : tuning::kReduceMaxBlocks;
}

/// Elements that go through shared memory, by `kernel(plan, runs, overlap, further..., operation)`.
template <class Result, class Kernel, class T, class Operation, class Plan, class... Further>
cudaError_t launch_reduce_staged(Kernel kernel, const ReduceInput<T>& input,
                                 const Operation& operation, cudaStream_t stream, const Plan& plan,
                                 Further... further) {
    using Runs = ReduceRuns<T, Result, Operation>;
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const std::size_t multiprocessors = device.multiprocessors;
    const std::size_t tiles = divide_up<std::size_t>(input.words, Runs::kElements);
    const std::size_t blocks = staged_blocks<Runs, Result>(input, tiles, multiprocessors);
    const bool overlap = blocks <= multiprocessors * tuning::kReduceInOrderOverlapBlocks;
    return launch(kernel, blocks, Runs::kThreads, evenly(0, kReductionsEvenFrom), stream, plan,
                  TileRuns(tiles, blocks), overlap, further..., operation);
}

template <class T, class Result, class Operation>
cudaError_t launch_reduce_commuting(const ReducePlan<T, Result>& plan, std::size_t count,
                                    const Operation& operation, cudaStream_t stream) {
    ReduceShape shape{};
    constexpr bool kMailboxes = !kCountedSum<Result, Operation>;
    if (cudaError_t error = reduce_shape<kMailboxes, T>(count, &shape)) return error;
    return launch_shape<kMailboxes>(shape, plan.input, [&](auto build) {
        using Build = decltype(build);
        const ReduceShare share = share_reduce_input<Build>(plan.input, shape.max_blocks);
        return launch(reduce_kernel<T, Result, Operation, Build, tuning::ReduceLoadPolicy>,
                      share.blocks, Build::kThreads, evenly(0, kReductionsEvenFrom), stream, plan,
                      share.tiles, operation);
    });
}

/// The arguments are checked, `count` is not 0 and scratch is ready.
template <class T, class Result, class Operation>
cudaError_t dispatch_reduce(const T* input, std::size_t count, Result* output,
                            const Operation& operation, const Result& initial, void* scratch,
                            cudaStream_t stream) {
    constexpr bool kCommutes = is_commutative<Operation, Result>::value;
    ReducePlan<T, Result> plan{
        {input, 0, count, 0},
        output,
        initial,
        reinterpret_cast<unsigned long long*>(static_cast<char*>(scratch) + kReducePartialsOffset),
        static_cast<unsigned*>(scratch)};
    if constexpr (StagedRuns<T>::kFits) {
        if (!kFillsWords<T> || is_reduced_staged(input))
            return launch_reduce_staged<Result>(reduce_staged_kernel<T, Result, Operation>,
                                                plan.input, operation, stream, plan);
    }
    if constexpr (kFillsWords<T> || !StagedRuns<T>::kFits) {
        plan.input = cut_reduce_input(input, count);
        if constexpr (kCommutes) {
            return launch_reduce_commuting(plan, count, operation, stream);
        } else if constexpr (kFillsWords<T>) {
            return launch_words_in_order(plan, operation, stream);
        } else {
            return launch_reduce_in_order<false, tuning::kReduceInOrderElements<sizeof(T)>, 0>(
                plan, operation, stream);
        }
    }
}

/// The arguments are checked and `count` is not 0.
template <class T, class Result, class Operation>
cudaError_t dispatch_reduce_atomic(const T* input, std::size_t count, Result* output,
                                   const Operation& operation, cudaStream_t stream) {
    if constexpr (StagedRuns<T>::kFits) {
        const ReduceInput<T> all{input, 0, count, 0};
        if (!kFillsWords<T> || is_reduced_staged(input))
            return launch_reduce_staged<Result>(reduce_staged_atomic_kernel<T, Result, Operation>,
                                                all, operation, stream, all, output);
    }
    if constexpr (kFillsWords<T> || !StagedRuns<T>::kFits) {
        ReduceShape shape{};
        if (cudaError_t error = reduce_shape<false, T>(count, &shape)) return error;
        const ReduceInput<T> cut = cut_reduce_input(input, count);
        return launch_shape<false>(shape, cut, [&](auto build) {
            using Build = decltype(build);
            const ReduceShare share = share_reduce_input<Build>(cut, shape.max_blocks);
            return launch(
                reduce_atomic_kernel<T, Result, Operation, Build, tuning::ReduceLoadPolicy>,
                share.blocks, Build::kThreads, evenly(0, kReductionsEvenFrom), stream, cut,
                share.tiles, output, operation);
        });
    }
}

template <class Result>
__global__ void store_value_kernel(Result* output, const __grid_constant__ Result value) {
    enter_stream_order();
    *output = value;
}

}  // namespace wideload::WIDELOAD_DETAIL
