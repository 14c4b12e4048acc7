// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/reduce.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/reduce_kernel.cuh>
#include <wideload/thread/element.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// A row-major matrix, reduced along its rows or its columns. Few long rows (or columns) are cut
/// into `pieces`, whose results form a matrix that is reduced in turn.
template <class T, class Result>
struct MatrixReducePlan {
    using Element = T;
    using Value = Result;

    const T* input;
    std::size_t rows;
    std::size_t columns;
    std::size_t piece;  ///< elements of a row (of a column) that one group of threads combines
    Result* output;     ///< rows × pieces, or pieces × columns
    Result initial;
    bool combine_initial;  ///< false for the pieces
    bool ragged;           ///< rows (or their pieces) are no whole words

    /// Elements from row to row.
    WIDELOAD_DEVICE std::size_t pitch() const { return columns; }
};

/// The same of one whose rows lie apart.
template <class T, class Result>
struct PitchedReducePlan : MatrixReducePlan<T, Result> {
    std::size_t row_pitch;
    WIDELOAD_DEVICE std::size_t pitch() const { return row_pitch; }
};

/// Bytes that a reduction of rows or columns reads.
template <class Plan>
WIDELOAD_HOST_DEVICE std::size_t matrix_bytes(const Plan& plan) {
    return plan.rows * plan.columns * sizeof(typename Plan::Element);
}

/// `enter_stream_order`; see `Early`.
template <class Plan>
WIDELOAD_DEVICE void enter_reduction(const Plan& plan) {
    enter_with(plan, plan.input, matrix_bytes(plan));
}

/// `PerAccess` elements that are loaded at once, from a multiple of `Alignment`. One may lie at any
/// address if that is 1: asking each for its alignment keeps a thread's loads from being in flight
/// together. 8 or 16 bytes and 8 halves are held as the words that they came in: of loads behind a
/// condition the compiler would hold each element in a register of its own.
template <int PerAccess, int Alignment, class T>
class LoadedElements {
    static constexpr int kBytes = PerAccess * static_cast<int>(sizeof(T));
    static constexpr int kWidth = greatest_common_divisor(kBytes, Alignment);
    static constexpr bool kAccess = kWidth > static_cast<int>(alignof(T));

public:
    static constexpr bool kWords =
        kAccess && kWidth % 4 == 0 &&
        ((sizeof(T) == 1 && kBytes >= 8) || (sizeof(T) == 2 && kBytes == kWideBytes));

    WIDELOAD_DEVICE void load(const T* pointer) {
        Held loaded;
        if constexpr (kAccess) {
            load_bytes<kBytes, kWidth, cached>(pointer, &loaded);
        } else {
            constexpr bool kAligned = kWidth == alignof(T);
            loaded[0] = load_element<kAligned>(pointer);
        }
        held_ = loaded;
    }
    WIDELOAD_DEVICE vec<T, PerAccess> get() const {
        if constexpr (kWords) {
            vec<T, PerAccess> elements;
            memcpy(&elements, &held_, sizeof(elements));
            return elements;
        } else {
            return held_;
        }
    }
    /// Adds the elements, which are words, in turn to each of some accumulators; the sum of bytes
    /// by an instruction that sums four, as a whole.
    template <int Accumulators, class Result, class Operation>
    WIDELOAD_DEVICE void add_words(Accumulator<Result, Operation> (&accumulators)[Accumulators],
                                   Operation& operation) const {
        if constexpr (Accumulators == 1 && sizeof(T) == 1 && std::is_integral_v<T> &&
                      std::is_same_v<Operation, plus> && std::is_arithmetic_v<Result>) {
            std::conditional_t<std::is_signed_v<T>, int, unsigned> sum = 0, ones = 0x01010101;
#pragma unroll
            for (int word = 0; word < kBytes / 4; ++word)
                sum = __dp4a(static_cast<decltype(sum)>(held_[word]), ones, sum);
            accumulators[0].add(static_cast<Result>(sum), operation);
        } else {
            const vec<T, PerAccess> elements = get();
#pragma unroll
            for (int k = 0; k < PerAccess; ++k)
                accumulators[k % Accumulators].add(static_cast<Result>(elements[k]), operation);
        }
    }

private:
    using Held = std::conditional_t<kWords, vec<unsigned, kBytes / 4>, vec<T, PerAccess>>;
    Held held_;
};

/// A single element at its type's alignment.
template <class T>
using LoadedElement = LoadedElements<1, static_cast<int>(alignof(T)), T>;

/// How many such loads a thread has in flight: 64 bytes' worth, 16 at most.
template <int PerAccess, class T>
inline constexpr int kLoadsTogether = [] {
    constexpr int kLoads = 64 / (PerAccess * static_cast<int>(sizeof(T)));
    return kLoads < 1 ? 1 : kLoads < 16 ? kLoads : 16;
}();

/// Adds `Together` loads, `step` elements apart from `first` on, the first `left` of which exist,
/// if not all do.
template <int PerAccess, int Alignment, int Together, bool All, int Accumulators, class T,
          class Result, class Operation>
WIDELOAD_DEVICE void accumulate_together(
    const T* first, std::size_t step, int left,
    Accumulator<Result, Operation> (&accumulators)[Accumulators], Operation& operation) {
    using Loaded = LoadedElements<PerAccess, Alignment, T>;
    Loaded loaded[Together];
#pragma unroll
    for (int i = 0; i < Together; ++i) {
        if (All || i == 0 || i < left) loaded[i].load(first + i * step);
    }
#pragma unroll
    for (int i = 0; i < Together; ++i) {
        const bool there = All || i == 0 || i < left;
        if constexpr (Loaded::kWords) {
            if (there) loaded[i].add_words(accumulators, operation);
        } else {
            const vec<T, PerAccess> elements = loaded[i].get();
#pragma unroll
            for (int k = 0; k < PerAccess; ++k) {
                if (there)
                    accumulators[k % Accumulators].add(static_cast<Result>(elements[k]), operation);
            }
        }
    }
}

/// Whether loads that all exist are not asked for that: those of single elements, which are most
/// instructions for their bytes, as measured.
template <int PerAccess, int Alignment, class T>
inline constexpr bool kAllTogether = PerAccess == 1 && Alignment > 1 && sizeof(T) <= 12;

/// Adds `loads` loads, `step` elements apart from `first` on, to `PerAccess` accumulators, or all
/// to the only one; `Together` of them are in flight together, which is written out, since a loop
/// that tests its end between two loads waits for each.
template <int PerAccess, int Alignment, int Together, int Accumulators, class T, class Result,
          class Operation>
WIDELOAD_DEVICE void accumulate_loads(const T* first, std::size_t step, std::size_t loads,
                                      Accumulator<Result, Operation> (&accumulators)[Accumulators],
                                      Operation& operation) {
    if constexpr (kAllTogether<PerAccess, Alignment, T>) {
        for (; loads >= Together; loads -= Together, first += Together * step) {
            accumulate_together<PerAccess, Alignment, Together, true>(first, step, Together,
                                                                      accumulators, operation);
        }
        if (loads != 0) {
            accumulate_together<PerAccess, Alignment, Together, false>(
                first, step, static_cast<int>(loads), accumulators, operation);
        }
    } else {
        for (std::size_t done = 0; done < loads; done += Together, first += Together * step) {
            const std::size_t rest = loads - done;
            accumulate_together<PerAccess, Alignment, Together, false>(
                first, step, rest < Together ? static_cast<int>(rest) : Together, accumulators,
                operation);
        }
    }
}

/// The fewest elements, at most `count`, after which an address is a multiple of `Word`, a power of
/// two. There is such a number if the address is a multiple of what divides both the element's size
/// and `Word`.
template <int Word, class T>
WIDELOAD_DEVICE std::size_t elements_before_word(const T* pointer, std::size_t count) {
    constexpr unsigned kCommon = greatest_common_divisor<unsigned>(sizeof(T), Word);
    constexpr unsigned kPeriod = Word / kCommon;
    constexpr unsigned kInverse =
        inverse_modulo_power_of_two(static_cast<unsigned>(sizeof(T)) / kCommon, kPeriod);
    const unsigned bytes = 0u - static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(pointer));
    const std::size_t elements = bytes / kCommon * kInverse & (kPeriod - 1);
    return elements < count ? elements : count;
}

/// Accumulators of a thread that reads rows: halves' additions wait for each other less in two
/// chains; bytes are summed by words.
template <int PerAccess, class T>
inline constexpr int kRowChains = PerAccess > 1 && sizeof(T) == 2 ? 2 : 1;

/// Blocks for which registers are to be left: of words of bytes 40 a thread, as ptxas was seen to
/// take one more, and 48 where few lanes have the elements around them, or where the input is
/// brought early; else (0) as it likes.
template <int PerAccess, class T, class Result, class Operation, int Threads, int Group,
          bool Ragged, bool IsEarly>
inline constexpr int kRowBlocks =
    PerAccess > 1 && sizeof(T) == 1 && kLightOperation<Result, Operation>
        ? kBlocksWithin<Threads,
                        (Ragged && (Group < kWarpLanes || IsEarly) ? 1280 : 1536) / Threads>
        : 0;

/// The elements of a row before and behind its whole words, some a thread: asked for before the
/// words are waited for, since a row is a few loads.
///
/// @tparam PerAccess  elements of a word
/// @tparam Group      threads of a row
template <int PerAccess, int Group, class T>
class RowEdges {
    static constexpr int kEach = divide_up(2 * (PerAccess - 1), Group);

public:
    /// @param head   elements of the row before its words
    /// @param inner  elements of its words
    /// @param count  elements outside of them
    WIDELOAD_DEVICE void load(const T* row, std::size_t head, std::size_t inner, unsigned count,
                              unsigned thread) {
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const unsigned edge = thread + i * Group;
            if (edge < count) loaded_[i].load(row + edge + (edge < head ? 0 : inner));
        }
        count_ = count;
    }
    template <class Result, class Operation>
    WIDELOAD_DEVICE void add_to(Accumulator<Result, Operation>& accumulator, unsigned thread,
                                Operation& operation) const {
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (thread + i * Group < count_)
                accumulator.add(static_cast<Result>(loaded_[i].get()[0]), operation);
        }
    }

private:
    LoadedElement<T> loaded_[kEach];
    unsigned count_ = 0;
};

/// One group of `Group` threads (of a warp, or the whole block) per piece of a row. blockIdx.y is
/// the piece.
///
/// @tparam Ragged  whether the rows may be no whole words (else they are)
template <class T, class Result, class Operation, int PerAccess, int Alignment, int Group,
          int Threads, bool Ragged, class Plan = MatrixReducePlan<T, Result>>
__global__ void __launch_bounds__(
    Threads, (kRowBlocks<PerAccess, T, Result, Operation, Threads, Group, Ragged, kIsEarly<Plan>>))
    reduce_rows_kernel(const __grid_constant__ Plan plan, Operation operation) {
    enter_reduction(plan);
    constexpr bool kEdges = Ragged && PerAccess > 1;
    __shared__ block::reduce_storage<Result, Threads> shared;
    const std::size_t row =
        static_cast<std::size_t>(blockIdx.x) * (Threads / Group) + threadIdx.x / Group;
    const int thread = threadIdx.x % Group;
    const bool exists = Group > kWarpLanes || row < plan.rows;
    const std::size_t begin = blockIdx.y * plan.piece;
    const std::size_t end = begin + plan.piece < plan.columns ? begin + plan.piece : plan.columns;
    const T* elements = plan.input + row * plan.pitch();
    constexpr int kChains = kRowChains<PerAccess, T>;
    Accumulator<Result, Operation> accumulators[kChains];
    // Whole words from the first boundary on.
    const std::size_t head = kEdges && plan.ragged
                                 ? elements_before_word<PerAccess* static_cast<int>(sizeof(T))>(
                                       elements + begin, end - begin)
                                 : 0;
    const std::size_t words = (end - begin - head) / PerAccess;
    const auto outside = static_cast<unsigned>(end - begin - words * PerAccess);
    RowEdges<kEdges ? PerAccess : 2, Group, T> edges;
    if (kEdges && exists) edges.load(elements + begin, head, words * PerAccess, outside, thread);
    if (exists && static_cast<std::size_t>(thread) < words) {
        accumulate_loads<PerAccess, Alignment, kLoadsTogether<PerAccess, T>>(
            elements + begin + head + thread * PerAccess, Group * PerAccess,
            (words - thread - 1) / Group + 1, accumulators, operation);
    }
    if (kEdges) edges.add_to(accumulators[0], thread, operation);
#pragma unroll
    for (int k = 1; k < kChains; ++k) accumulators[0].add(accumulators[k], operation);
    const std::size_t busy = kEdges && outside > words ? outside : words;
    // No operation meets what no elements make, a group's without a row.
    const int valid = !exists ? 0 : busy < Group ? static_cast<int>(busy) : Group;
    Result result;
    if constexpr (Group <= kWarpLanes) {
        result = warp::reduce<Group>(accumulators[0].value(), operation, threadIdx.x % kWarpLanes,
                                     valid);
    } else {
        result = block::reduce<Threads>(accumulators[0].value(), operation, shared, thread, valid);
    }
    if (exists && thread == 0) {
        if (plan.combine_initial) result = operation(plan.initial, result);
        plan.output[row * gridDim.y + blockIdx.y] = result;
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
