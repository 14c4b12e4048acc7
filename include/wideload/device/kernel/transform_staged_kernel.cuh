// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/slots.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/slipped_range.cuh>
#include <wideload/device/kernel/staged_value.cuh>
#include <wideload/tuning/transform_tuning.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// Elements that are whole words of 4 bytes of every stream.
template <class... Elements>
inline constexpr unsigned kElementsOfWords = [] {
    unsigned elements = 1;
    for (const std::size_t size : {sizeof(Elements)...}) {
        const unsigned needed = 4 / greatest_common_divisor<unsigned>(size, 4);
        elements = needed > elements ? needed : elements;
    }
    return elements;
}();

/// A transform of elements that begin in no words, or are too odd to fill some: a block reads its
/// part of each input as the range of bytes that it is, and writes the results as one, by words of
/// 16 bytes whatever their addresses. In between a lane has an element at a time, by words of 4
/// bytes of shared memory.
///
/// @tparam Count     elements of a block
/// @tparam Elements  the types of the output and the inputs
template <int Count, int Threads, class... Elements>
struct StagedTransformOf {
    static constexpr unsigned kElements = Count;
    static constexpr int kThreads = Threads;
    /// A warp's lanes take every so manyth, which then begin at the same byte of a word, and are an
    /// odd number of words apart or swizzled.
    static constexpr unsigned kApart = kElementsOfWords<Elements...>;
    static_assert(kElements % (kApart * kWarpLanes) == 0, "warps take whole turns");

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

    /// The words of 16 bytes that a block's elements of a stream reach into, dealt to its threads
    /// in turns.
    template <class T>
    struct Words {
        static constexpr unsigned kOwn = kElements * sizeof(T), kStep = kThreads * kWideBytes;
        static constexpr unsigned kTurns = divide_up<unsigned>(kOwn + kWideBytes - 1, kStep);
        static WIDELOAD_DEVICE unsigned place(unsigned turn) {
            return turn * kStep + threadIdx.x * kWideBytes;
        }
        /// Whether all threads have a word, wherever the range begins.
        static WIDELOAD_DEVICE constexpr bool all_have(unsigned turn) {
            return (turn + 1) * kStep <= kOwn;
        }
    };
};

template <bool Large, class... Elements>
inline constexpr tuning::TransformStagedBlock kStagedTransformBlock =
    tuning::transform_staged_block(Large, static_cast<int>(sizeof...(Elements)),
                                   static_cast<int>((sizeof(Elements) + ...)),
                                   kWarpLanes* static_cast<int>(kElementsOfWords<Elements...>));

/// @tparam Large  whether there is much to transform
template <bool Large, class... Elements>
using StagedTransform =
    StagedTransformOf<kStagedTransformBlock<Large, Elements...>.elements,
                      kStagedTransformBlock<Large, Elements...>.threads, Elements...>;

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

/// What a block reads of one input, on its way to shared memory.
template <class Shape, class Policy, class T>
class StagedInput {
    using Words = typename Shape::template Words<T>;
    using Swizzle = typename Shape::template Swizzle<T>;

public:
    /// Asks for it. Only words of the first and the last block can reach outside the input.
    WIDELOAD_DEVICE StagedInput(const T* input, std::size_t count, const StagedElements& tile)
        : inside_(ReachedWordsInside::of(input, count)),
          range_(inside_.begin + tile.first * sizeof(T),
                 tile.count * static_cast<unsigned>(sizeof(T))),
          whole_(inside_.hold(range_)) {
        if (!whole_) return;
#pragma unroll
        for (unsigned turn = 0; turn < Words::kTurns; ++turn) {
            if (has(turn))
                words_[turn] =
                    access<Policy>::template load<kWideBytes>(range_.at(Words::place(turn)));
        }
    }
    WIDELOAD_DEVICE void put(char* staged) const {
        if (!whole_) return stage_range<1, Policy>(range_, staged, Swizzle{}, inside_);
#pragma unroll
        for (unsigned turn = 0; turn < Words::kTurns; ++turn) {
            if (has(turn)) put_word(staged, Words::place(turn), words_[turn], Swizzle{});
        }
    }
    WIDELOAD_DEVICE T get(const char* staged, unsigned element) const {
        return get_by_units<T, 4>(
            staged, range_.begin() + element * static_cast<unsigned>(sizeof(T)), Swizzle{});
    }

private:
    WIDELOAD_DEVICE bool has(unsigned turn) const {
        return Words::all_have(turn) || range_.reaches_into(Words::place(turn));
    }

    ReachedWordsInside inside_;
    SlippedRange<false, const char> range_;
    bool whole_;
    uint4 words_[Words::kTurns];
};

/// Writes a block's results.
template <class Shape, class Policy, class T>
WIDELOAD_DEVICE void drain_results(const SlippedRange<false, char>& range, const char* staged) {
    using Words = typename Shape::template Words<T>;
    constexpr typename Shape::template Swizzle<T> kSwizzle{};
#pragma unroll
    for (unsigned turn = 0; turn < Words::kTurns; ++turn) {
        const unsigned place = Words::place(turn);
        if (range.has_word(place))
            access<Policy>::template store<kWideBytes>(range.at(place),
                                                       get_word(staged, place, kSwizzle));
    }
    drain_edges<1, Policy>(range, staged, kSwizzle);
}

template <class Shape, class LoadPolicy, class StorePolicy, class Operation, class Output,
          class... Inputs, std::size_t... Index>
WIDELOAD_DEVICE void transform_staged(const StagedTransformPlan<Output, Inputs...>& plan,
                                      Operation& operation, char* staged,
                                      std::index_sequence<Index...>) {
    release_next_kernel();
    const std::size_t few = plan.count <= kSmallWorkBytes / (sizeof(Inputs) + ...) ? plan.count : 0;
    (prefetch_input(slot<Index>(plan.inputs), few * sizeof(Inputs)), ...);
    await_last_kernel();
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * Shape::kElements;
    const std::size_t left = plan.count - first;
    const StagedElements tile{
        first, left < Shape::kElements ? static_cast<unsigned>(left) : Shape::kElements};
    const SlippedRange<false, char> written(
        reinterpret_cast<char*>(plan.output) + first * sizeof(Output),
        tile.count * static_cast<unsigned>(sizeof(Output)));

    const Slots<StagedInput<Shape, LoadPolicy, Inputs>...> streams{
        StagedInput<Shape, LoadPolicy, Inputs>(slot<Index>(plan.inputs), plan.count, tile)...};
    constexpr unsigned kBytes[] = {Shape::template kBytes<Inputs>...};
    char* input_of[sizeof...(Inputs)];
    char* turned = staged;
#pragma unroll
    for (std::size_t i = 0; i < sizeof...(Inputs); ++i) {
        input_of[i] = turned;
        turned += kBytes[i];
    }
    (slot<Index>(streams).put(input_of[Index]), ...);
    __syncthreads();
    constexpr typename Shape::template Swizzle<Output> kSwizzle{};
    constexpr unsigned kWarps = Shape::kThreads / kWarpLanes, kApart = Shape::kApart;
    const unsigned lane = threadIdx.x % kWarpLanes;
    for (unsigned item = threadIdx.x / kWarpLanes; item < Shape::kElements / kWarpLanes;
         item += kWarps) {
        const unsigned element = (item / kApart * kWarpLanes + lane) * kApart + item % kApart;
        if (element >= tile.count) continue;
        const Output result = operation(slot<Index>(streams).get(input_of[Index], element)...);
        put_by_words(turned, written.begin() + element * static_cast<unsigned>(sizeof(Output)),
                     result, kSwizzle);
    }
    __syncthreads();
    drain_results<Shape, StorePolicy, Output>(written, turned);
}

template <class Shape, class LoadPolicy, class StorePolicy, class Operation, class Output,
          class... Inputs>
__global__ void __launch_bounds__(Shape::kThreads)
    transform_staged_kernel(const __grid_constant__ StagedTransformPlan<Output, Inputs...> plan,
                            Operation operation) {
    __shared__ uint4 words[Shape::kSharedBytes / kWideBytes];
    transform_staged<Shape, LoadPolicy, StorePolicy>(
        plan, operation, reinterpret_cast<char*>(words), std::index_sequence_for<Inputs...>{});
}

}  // namespace wideload::WIDELOAD_DETAIL
