// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/slots.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/slipped_range.cuh>
#include <wideload/device/kernel/staged_value.cuh>
#include <wideload/tuning/transform_tuning.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// A transform of elements that begin in no words, or are too odd to fill some: a block reads its
/// part of each input as the range of bytes that it is, and writes the results as one, by words of
/// 16 bytes whatever their addresses. In between a lane has an element at a time, by words of 4
/// bytes of shared memory.
///
/// @tparam Bytes     of all streams that a block takes, at most, if that is 128 elements
/// @tparam Elements  the types of the output and the inputs
template <int Bytes, class... Elements>
struct StagedTransform {
    static constexpr std::size_t kElementBytes = (sizeof(Elements) + ...);
    /// Elements that are whole words of every stream. A warp's lanes take every so manyth, which
    /// then begin at the same byte of a word, and are an odd number of words apart or swizzled.
    static constexpr unsigned kApart = [] {
        unsigned apart = 1;
        for (const std::size_t size : {sizeof(Elements)...}) {
            const unsigned needed = 4 / greatest_common_divisor<unsigned>(size, 4);
            apart = needed > apart ? needed : apart;
        }
        return apart;
    }();
    /// Elements of a block: so many times 128 as fit, or more bytes of large ones, of which further
    /// warps then share the reading and writing.
    static constexpr unsigned kElements = [] {
        constexpr unsigned kTogether = 4 * kWarpLanes;
        constexpr unsigned kTimes = Bytes / (kTogether * kElementBytes);
        return kTogether * (kTimes > 1 ? kTimes : 1);
    }();
    static constexpr int kThreads = kElementBytes < tuning::kTransformManyStagedBytes ? 128 : 256;
    /// Blocks for which a multiprocessor is to have registers; 0: as many as ptxas sees fit.
    static constexpr int kBlocks =
        Bytes > tuning::kTransformStagedBytes ? tuning::kTransformLargeStagedBlocks : 0;

    template <class T>
    static constexpr BankSwizzle kSwizzleOf = BankSwizzle::for_stride(4, kApart * sizeof(T));
    template <class T>
    using Swizzle = FixedSwizzle<kSwizzleOf<T>.shift, kSwizzleOf<T>.mask>;
    /// Bytes of shared memory for a stream, which begins anywhere in a word and is read by words.
    template <class T>
    static constexpr unsigned kBytes =
        divide_up<unsigned>(kElements * sizeof(T) + 2 * kWideBytes, kLineBytes) * kLineBytes;
    static constexpr unsigned kSharedBytes = (kBytes<Elements> + ...);
    static constexpr bool kFits = kSharedBytes <= (48 << 10);
};

template <class Output, class... Inputs>
struct StagedTransformPlan {
    Output* output;
    Slots<const Inputs*...> inputs;
    std::size_t count;
};

/// Puts a value at any byte of shared memory: the words that it fills as such, and of those at its
/// ends its own bytes.
template <class T, class Swizzle>
WIDELOAD_DEVICE void put_by_words(char* staged, unsigned byte, const T& value,
                                  const Swizzle& swizzle) {
    constexpr int kSize = static_cast<int>(sizeof(T)), kWords = divide_up(kSize, 4);
    const int past = static_cast<int>(byte % 4), end = past + kSize;
    const unsigned first = byte - past;
    std::uint32_t words[kWords + 1] = {};
    std::memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i <= kWords; ++i) {
        const std::uint32_t before = i == 0 ? 0 : words[i - 1];
        const std::uint32_t word = __funnelshift_l(before, words[i], past * 8);
        char* const place = staged + swizzle.place(first + 4 * i);
        if (4 * i >= past && 4 * i + 4 <= end) {
            *reinterpret_cast<std::uint32_t*>(place) = word;
        } else {
#pragma unroll
            for (int own = 0; own < 4; ++own) {
                if (4 * i + own >= past && 4 * i + own < end)
                    place[own] = static_cast<char>(word >> 8 * own);
            }
        }
    }
}

/// A block's elements.
struct StagedElements {
    std::size_t first;
    unsigned count;
};

/// What a block reads of one input.
template <class Shape, class Policy, class T>
WIDELOAD_DEVICE SlippedRange<false, const char> stage_input(const T* input, std::size_t count,
                                                            const StagedElements& tile,
                                                            char* staged) {
    const char* const begin = reinterpret_cast<const char*>(input);
    const SlippedRange<false, const char> range(begin + tile.first * sizeof(T),
                                                tile.count * static_cast<unsigned>(sizeof(T)));
    stage_range<1, Policy>(range, staged, typename Shape::template Swizzle<T>{},
                           ReachedWordsInside{begin, begin + count * sizeof(T)});
    return range;
}

template <class Shape, class LoadPolicy, class StorePolicy, class Operation, class Output,
          class... Inputs, std::size_t... I>
WIDELOAD_DEVICE void transform_staged(const StagedTransformPlan<Output, Inputs...>& plan,
                                      Operation& operation, char* staged,
                                      std::index_sequence<I...>) {
    release_next_kernel();
    const std::size_t few = plan.count <= kSmallWorkBytes / (sizeof(Inputs) + ...) ? plan.count : 0;
    (prefetch_input(slot<I>(plan.inputs), few * sizeof(Inputs)), ...);
    await_last_kernel();
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * Shape::kElements;
    const std::size_t left = plan.count - first;
    const StagedElements tile{
        first, left < Shape::kElements ? static_cast<unsigned>(left) : Shape::kElements};
    const SlippedRange<false, char> written(
        reinterpret_cast<char*>(plan.output) + first * sizeof(Output),
        tile.count * static_cast<unsigned>(sizeof(Output)));

    constexpr unsigned kBytes[] = {Shape::template kBytes<Inputs>...};
    char* input_of[sizeof...(Inputs)];
    char* turned = staged;
#pragma unroll
    for (std::size_t i = 0; i < sizeof...(Inputs); ++i) {
        input_of[i] = turned;
        turned += kBytes[i];
    }
    const unsigned begins[] = {
        stage_input<Shape, LoadPolicy>(slot<I>(plan.inputs), plan.count, tile, input_of[I])
            .begin()...};
    __syncthreads();
    constexpr typename Shape::template Swizzle<Output> kSwizzle{};
    constexpr unsigned kWarps = Shape::kThreads / kWarpLanes, kApart = Shape::kApart;
    const unsigned lane = threadIdx.x % kWarpLanes;
    for (unsigned item = threadIdx.x / kWarpLanes; item < Shape::kElements / kWarpLanes;
         item += kWarps) {
        const unsigned element = (item / kApart * kWarpLanes + lane) * kApart + item % kApart;
        if (element >= tile.count) continue;
        const Output result = operation(get_by_units<Inputs, 4>(
            input_of[I], begins[I] + element * static_cast<unsigned>(sizeof(Inputs)),
            typename Shape::template Swizzle<Inputs>{})...);
        put_by_words(turned, written.begin() + element * static_cast<unsigned>(sizeof(Output)),
                     result, kSwizzle);
    }
    __syncthreads();
    drain_range<1, StorePolicy>(written, turned, kSwizzle);
}

template <class Shape, class LoadPolicy, class StorePolicy, class Operation, class Output,
          class... Inputs>
__global__ void __launch_bounds__(Shape::kThreads, kBlocksWithin<Shape::kThreads, Shape::kBlocks>)
    transform_staged_kernel(const __grid_constant__ StagedTransformPlan<Output, Inputs...> plan,
                            Operation operation) {
    __shared__ uint4 words[Shape::kSharedBytes / kWideBytes];
    transform_staged<Shape, LoadPolicy, StorePolicy>(
        plan, operation, reinterpret_cast<char*>(words), std::index_sequence_for<Inputs...>{});
}

}  // namespace wideload::WIDELOAD_DETAIL
