// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/device/kernel/matrix_reduce_kernel.cuh>
#include <wideload/device/kernel/staged_vector.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Rows of a few elements, reduced from shared memory by a thread each, or several by one.
template <class T, class Result>
struct ShortRowsPlan {
    using Element = T;
    using Value = Result;
    static constexpr bool kPitched = false;

    const T* input;  ///< aligned for its type
    std::size_t rows;
    unsigned columns;
    /// So many neighbouring lanes begin with the same element of their rows and meet in no bank ...
    unsigned lanes_per_turn;
    /// ... and those behind them begin so many elements further, whose banks are others'.
    unsigned elements_per_turn;
    /// So many rows, 2^n, are an odd number of words where one is not, and a warp's lanes take
    /// every so manyth. 0 where neighbours have banks of their own.
    unsigned apart_log2;
    /// Elements of a row that the first of two lanes takes, or all of them.
    unsigned first_half;
    unsigned rows_per_block;
    unsigned results;  ///< where those are in shared memory if rows are apart,
    unsigned pitch;    ///< and from one warp's to the next one's
    Result* output;
    Result initial;
    /// Elements that a lane gets at a time, where it may begin in the middle of its row.
    unsigned per_unit;

    /// Elements from row to row, in memory and in shared memory.
    __host__ __device__ unsigned row_pitch() const { return columns; }
    __host__ __device__ unsigned step() const { return columns; }
    /// Places that a lane comes by which begins in the middle of a row.
    __host__ __device__ unsigned turn() const { return columns; }
};

/// The same of rows that lie apart. What is between them is staged, too, or each row's words alone,
/// which all begin equally far into a word then.
template <class T, class Result>
struct PitchedShortRowsPlan : ShortRowsPlan<T, Result> {
    static constexpr bool kPitched = true;

    std::size_t apart;  ///< elements from row to row in memory
    unsigned words;     ///< of each row, 0 where all is staged
    unsigned staged;    ///< elements from row to row in shared memory
    unsigned places;    ///< the row, and so much behind it as keeps the banks of turns apart
    __host__ __device__ std::size_t row_pitch() const { return apart; }
    __host__ __device__ unsigned step() const { return staged; }
    __host__ __device__ unsigned turn() const { return places; }

    /// @param by_words  whether each row's words are staged alone
    void lie_apart(std::size_t pitch, bool by_words) {
        apart = pitch;
        staged = static_cast<unsigned>(pitch);
        words = 0;
        if (!by_words) return;
        const auto head = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(this->input)) & 15;
        words = divide_up<unsigned>(head + this->columns * static_cast<unsigned>(sizeof(T)),
                                    kWideBytes);
        // An odd number, so that the fewest lanes begin in one bank.
        staged = (words | 1) * static_cast<unsigned>(kWideBytes / sizeof(T));
    }
};

/// Whether lanes with neighbouring rows of so many bytes, no whole words, meet in a bank, wherever
/// in a word the first one begins.
inline bool short_rows_meet(unsigned row_bytes) {
    for (unsigned past = 0; past < 4; ++past) {
        unsigned word_of_bank[kWarpLanes] = {};
        for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
            const unsigned word = (past + lane * row_bytes) / 4 + 1;  // 0: none
            unsigned& known = word_of_bank[word % kWarpLanes];
            if (known != 0 && known != word) return true;
            known = word;
        }
    }
    return false;
}

/// Bytes of the widest vectors, 16 or 8, of which all rows consist; 0 where there are none.
template <class Plan>
unsigned short_row_vector(const Plan& plan) {
    constexpr unsigned kSize = sizeof(typename Plan::Element);
    const auto base = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(plan.input) % 16);
    const unsigned all = base | plan.columns * kSize | plan.step() * kSize |
                         static_cast<unsigned>(plan.row_pitch() * kSize % 16);
    return all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : 0;
}

/// How the lanes of a warp take rows that lie one behind the other, so that they meet in no bank.
enum class ShortRowLanes {
    side_by_side,  ///< each the next
    in_turn,       ///< but some begin with other elements
    apart,         ///< each the second or fourth next
    halves         ///< two of them the fourth next
};

/// Fills in how the lanes of a warp share the rows.
///
/// Elements that are accessed together must differ in their address modulo all banks. With rows of
/// R words, that of row r begins at r R: the rows of one turn differ by multiples of g = gcd(R,
/// banks) words, all of them, and those of another turn by less than g, since rows that end in the
/// middle go on with their first element, a multiple of g words away; those that lie apart pass by
/// what makes them up to that.
///
/// Elements of less than a word are got by vectors where rows consist of such: as if those were the
/// words, and an access's lanes that many fewer.
///
/// Where rows are no whole words, 2 or 4 are an odd number of them. Every fourth of more than
/// `most_bytes` is two lanes', of 16 rows: a row's second part begins half of the banks further.
template <class Plan>
ShortRowLanes share_short_rows(Plan* plan, unsigned most_bytes) {
    constexpr unsigned kSize = sizeof(typename Plan::Element);
    plan->per_unit = 1;
    plan->lanes_per_turn = kWarpLanes;
    plan->elements_per_turn = plan->apart_log2 = 0;
    plan->first_half = plan->columns;
    const unsigned row_bytes = plan->step() * kSize;
    const unsigned vector = kSize < 4 ? short_row_vector(*plan) : 0;
    const unsigned word_bytes = vector != 0 ? vector : kSize < 4 ? 4 : kSize;
    if (row_bytes % word_bytes == 0) {
        const unsigned lanes = kLineBytes / word_bytes;
        const unsigned shared = greatest_common_divisor(row_bytes / word_bytes, lanes);
        if constexpr (Plan::kPitched) {
            const unsigned unit = shared * (word_bytes / kSize);
            plan->places = divide_up(plan->columns, unit) * unit;
        }
        if (vector != 0) plan->per_unit = vector / kSize;
        if (vector == 0 && shared == 1) return ShortRowLanes::side_by_side;
        plan->lanes_per_turn = lanes / shared;
        plan->elements_per_turn = word_bytes / kSize;
        return ShortRowLanes::in_turn;
    }
    if (!short_rows_meet(row_bytes)) return ShortRowLanes::side_by_side;
    plan->apart_log2 = row_bytes % 2 != 0 ? 2 : 1;
    if (plan->apart_log2 == 1 || row_bytes <= most_bytes) return ShortRowLanes::apart;
    plan->first_half = plan->columns * kSize / 2 / kLineBytes * kLineBytes + kLineBytes / 2;
    return ShortRowLanes::halves;
}

/// Brings the elements from `first` to `end` to `tile + first % 16`, by whole words: those that
/// reach over the ends of the block's share too, unless they reach over the input's.
template <int Threads, class T>
WIDELOAD_DEVICE void stage_elements(unsigned char* tile, const T* first, unsigned bytes,
                                    bool begins_input, bool ends_input) {
    const unsigned head = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first)) & 15;
    const char* words = reinterpret_cast<const char*>(first) - head;
    const unsigned end = head + bytes;
    const unsigned begin_whole = begins_input && head != 0 ? 16 : 0;
    const unsigned end_whole = ends_input ? end & ~15u : end;
    for (unsigned at = begin_whole + threadIdx.x * 16; at < end_whole; at += Threads * 16)
        async_copy<16>(tile + at, words + at);
    async_commit();
    const auto copy_element = [&](unsigned at) {
        if (at >= head && at < end)
            *reinterpret_cast<T*>(tile + at) = *reinterpret_cast<const T*>(words + at);
    };
    const unsigned own = threadIdx.x * static_cast<unsigned>(sizeof(T));
    if (own < 16 && begin_whole != 0) copy_element(own);
    if (own < 16 && ends_input)
        copy_element((end_whole < begin_whole ? begin_whole : end_whole) + own);
    async_wait<0>();
}

/// Brings each row's words to `tile`, `plan.staged` elements from row to row: those that reach over
/// its ends too, unless they reach over the input's.
template <int Threads, class Plan>
WIDELOAD_DEVICE void stage_rows(unsigned char* tile, const Plan& plan,
                                const typename Plan::Element* first, unsigned rows,
                                bool begins_input, bool ends_input) {
    using T = typename Plan::Element;
    const unsigned head = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first)) & 15;
    const char* words = reinterpret_cast<const char*>(first) - head;
    const std::size_t pitch = plan.apart * sizeof(T);
    const unsigned step = plan.staged * static_cast<unsigned>(sizeof(T));
    const unsigned end = head + plan.columns * static_cast<unsigned>(sizeof(T));
    const bool part_first = begins_input && head != 0, part_last = ends_input && end % 16 != 0;
    const unsigned rows_further = Threads / plan.words, words_further = Threads % plan.words;
    unsigned row = threadIdx.x / plan.words, word = threadIdx.x % plan.words;
    while (row < rows) {
        const bool part = (part_first && row == 0 && word == 0) ||
                          (part_last && row + 1 == rows && word + 1 == plan.words);
        if (!part) async_copy<16>(tile + row * step + word * 16, words + row * pitch + word * 16);
        row += rows_further;
        word += words_further;
        if (word >= plan.words) {
            word -= plan.words;
            ++row;
        }
    }
    async_commit();
    const auto copy_element = [&](unsigned of_row, unsigned at) {
        if (at >= head && at < end)
            *reinterpret_cast<T*>(tile + of_row * step + at) =
                *reinterpret_cast<const T*>(words + of_row * pitch + at);
    };
    const unsigned own = threadIdx.x * static_cast<unsigned>(sizeof(T));
    if (own < 16 && part_first) copy_element(0, own);
    if (own < 16 && part_last) copy_element(rows - 1, (plan.words - 1) * 16 + own);
    async_wait<0>();
}

/// One of them, which lies at a multiple of its size: by one access, whatever its type asks for.
template <class T>
WIDELOAD_DEVICE T get_element(const T* staged) {
    T element;
    std::memcpy(&element, __builtin_assume_aligned(staged, sizeof(T)), sizeof(T));
    return element;
}

/// `Count` neighbouring elements, one or a vector, which lie at a multiple of their size, combined.
template <int Count, class Result, class T, class Operation>
WIDELOAD_DEVICE Result get_unit(const T* staged, Operation& operation) {
    if constexpr (Count == 1) {
        return static_cast<Result>(get_element(staged));
    } else {
        std::uint32_t words[Count * sizeof(T) / 4];
        get_staged_vector<Count * sizeof(T)>(words, staged);
        T elements[Count];
        std::memcpy(elements, words, sizeof(elements));
        Result result = static_cast<Result>(elements[0]);
#pragma unroll
        for (int i = 1; i < Count; ++i)
            result = operation(result, static_cast<Result>(elements[i]));
        return result;
    }
}

/// A row that lies at `elements`, of whole words or units of `PerUnit` elements, from one on that
/// depends on the lane.
template <int PerUnit, class T, class Result, class Operation, class Plan>
WIDELOAD_DEVICE Result reduce_row_in_turn(const Plan& plan, const T* elements,
                                          Operation& operation) {
    constexpr unsigned kWord = PerUnit == 1 && sizeof(T) < 4 ? 4 : PerUnit * sizeof(T);
    constexpr unsigned kLanes = kWord <= 4 ? kWarpLanes : kLineBytes / kWord;
    const unsigned units = plan.turn() / PerUnit;
    unsigned at = threadIdx.x % kLanes / plan.lanes_per_turn * (plan.elements_per_turn / PerUnit);
    constexpr bool kInOrder = !is_commutative<Operation, Result>::value;
    Accumulator<Result, Operation> accumulator, behind;
#pragma unroll 4
    for (unsigned k = 0; k < units; ++k) {
        if (!Plan::kPitched || at * PerUnit < plan.columns)
            accumulator.add(get_unit<PerUnit, Result>(elements + at * PerUnit, operation),
                            operation);
        at = at + 1 == units ? 0 : at + 1;
        // What was combined before the row's first element belongs behind the rest.
        if (kInOrder && at == 0) {
            behind = accumulator;
            accumulator = Accumulator<Result, Operation>();
        }
    }
    if constexpr (kInOrder) accumulator.add(behind, operation);
    return accumulator.value();
}

/// The same by the units that the plan says.
template <class T, class Result, class Operation, class Plan>
WIDELOAD_DEVICE Result reduce_row_by_units(const Plan& plan, const T* elements,
                                           Operation& operation) {
    if constexpr (sizeof(T) < 4) {
        constexpr unsigned kEight = 8 / sizeof(T);
        if (plan.per_unit == 2 * kEight)
            return reduce_row_in_turn<2 * kEight, T, Result>(plan, elements, operation);
        if (plan.per_unit == kEight)
            return reduce_row_in_turn<kEight, T, Result>(plan, elements, operation);
    }
    return reduce_row_in_turn<1, T, Result>(plan, elements, operation);
}

/// `count` elements, one after the other; `least` of them at least, which is 1 or more and the same
/// in all lanes, so that these stay in step.
template <class Result, class T, class Operation>
WIDELOAD_DEVICE Result reduce_elements(const T* elements, unsigned least, unsigned count,
                                       Operation& operation) {
    Result result = static_cast<Result>(get_element(elements));
#pragma unroll 4
    for (unsigned k = 1; k < least; ++k)
        result = operation(result, static_cast<Result>(get_element(elements + k)));
#pragma unroll 1
    for (unsigned k = least; k < count; ++k)
        result = operation(result, static_cast<Result>(get_element(elements + k)));
    return result;
}

/// Where the results of rows apart change threads in shared memory, so that those of neighbours
/// write neighbours. They meet in no bank: what a warp reduced lies side by side, and what the next
/// one did as much further as makes up a wavefront of what a warp reads of each.
template <class Result>
struct ShortRowResults {
    using Value = SharedValue<Result>;
    /// Large results would fill the shared memory, and are several accesses each anyway.
    static constexpr bool kChange = sizeof(Value) <= kWideBytes;

    /// Values from one warp's to the next one's.
    static constexpr unsigned pitch(unsigned apart_log2) {
        constexpr unsigned kTogether = Value::kUnit <= 4 ? kWarpLanes : kLineBytes / Value::kUnit;
        return kWarpLanes + (kTogether >> apart_log2);
    }
};

/// Reduces a block's rows where lanes do not take neighbours; `values` is shared memory for
/// results.
template <bool Halves, int Threads, class T, class Result, class Operation, class Plan>
WIDELOAD_DEVICE void reduce_rows_apart(const Plan& plan, const T* elements, unsigned rows,
                                       SharedValue<Result>* values, Result* output,
                                       Operation& operation) {
    constexpr bool kChange = ShortRowResults<Result>::kChange;
    constexpr unsigned kLanes = Halves ? kWarpLanes / 2 : kWarpLanes;
    const unsigned thread = threadIdx.x, warp = thread / kWarpLanes, lane = thread % kLanes;
    const unsigned log2 = plan.apart_log2, rest = (1u << log2) - 1;
    const unsigned warp_step = Threads / kWarpLanes * plan.pitch;
    const bool second = Halves && thread % kWarpLanes >= kLanes;
    unsigned count = plan.columns, least = count;
    if constexpr (Halves) {
        const unsigned others = plan.columns - plan.first_half;
        count = second ? others : plan.first_half;
        least = others < plan.first_half ? others : plan.first_half;
    }
    unsigned row = (((warp >> log2) * kLanes + lane) << log2) + (warp & rest);
    const T* own = elements + row * plan.step() + (second ? plan.first_half : 0);
    SharedValue<Result>* put = values + warp * plan.pitch + lane;
#pragma unroll 1
    for (unsigned turn = 0; turn < rows; turn += Threads) {
        Result result;
        if (row < rows) result = reduce_elements<Result>(own, least, count, operation);
        const Result half = Halves ? warp::shuffle(result, lane + kLanes) : result;
        if (row < rows && !second) {
            if constexpr (Halves) result = operation(result, half);
            result = operation(plan.initial, result);
            if constexpr (kChange) {
                put->put(result);
            } else {
                output[row] = result;
            }
        }
        row += Threads;
        own += Threads * plan.step();
        put += warp_step;
    }
    if constexpr (kChange) {
        __syncthreads();
        const unsigned number = thread >> log2;
        const SharedValue<Result>* get =
            values + ((number / kLanes << log2) + (thread & rest)) * plan.pitch + number % kLanes;
        for (row = thread; row < rows; row += Threads, get += warp_step) output[row] = get->get();
    }
}

/// A row per thread and turn: the block's rows lie one behind the other, so that it moves whole
/// words whatever the rows' length. Dynamic shared memory: the block's rows and 32 bytes, and the
/// results of rows apart.
template <class Plan, class Operation, ShortRowLanes Lanes, int Threads>
__global__ void __launch_bounds__(Threads)
    reduce_short_rows_kernel(const __grid_constant__ Plan plan, Operation operation) {
    using T = typename Plan::Element;
    using Result = typename Plan::Value;
    enter_reduction(plan);
    extern __shared__ uint4 short_rows_tile[];
    unsigned char* tile = reinterpret_cast<unsigned char*>(short_rows_tile);
    const std::size_t first_row = static_cast<std::size_t>(blockIdx.x) * plan.rows_per_block;
    const std::size_t rest = plan.rows - first_row;
    const unsigned rows =
        rest < plan.rows_per_block ? static_cast<unsigned>(rest) : plan.rows_per_block;
    const T* first = plan.input + first_row * plan.row_pitch();
    // A last block of a few bytes may lie in the word that the block before it ends in.
    const bool ends_input = (rest - rows) * plan.row_pitch() * sizeof(T) < kWideBytes;
    const auto stage_range = [&] {
        const unsigned elements_of_block = (rows - 1) * plan.step() + plan.columns;
        stage_elements<Threads>(tile, first, elements_of_block * static_cast<unsigned>(sizeof(T)),
                                blockIdx.x == 0, ends_input);
    };
    if constexpr (Plan::kPitched) {
        if (plan.words != 0) {
            stage_rows<Threads>(tile, plan, first, rows, blockIdx.x == 0, ends_input);
        } else {
            stage_range();
        }
    } else {
        stage_range();
    }
    __syncthreads();
    const T* elements =
        reinterpret_cast<const T*>(tile + (reinterpret_cast<std::uintptr_t>(first) & 15));
    Result* const output = plan.output + first_row;
    if constexpr (Lanes == ShortRowLanes::apart || Lanes == ShortRowLanes::halves) {
        auto* const values = reinterpret_cast<SharedValue<Result>*>(tile + plan.results);
        reduce_rows_apart<Lanes == ShortRowLanes::halves, Threads>(plan, elements, rows, values,
                                                                   output, operation);
    } else {
        for (unsigned row = threadIdx.x; row < rows; row += Threads) {
            const T* own = elements + row * plan.step();
            Result result;
            if constexpr (Lanes == ShortRowLanes::in_turn) {
                result = reduce_row_by_units<T, Result>(plan, own, operation);
            } else {
                result = reduce_elements<Result>(own, plan.columns, plan.columns, operation);
            }
            output[row] = operation(plan.initial, result);
        }
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
