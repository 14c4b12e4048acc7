// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/support/integer.cuh>
#include <wideload/thread/element.cuh>
#include <wideload/tuning/interleave_tuning.cuh>
#include <wideload/warp/exchange.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Structs of `Fields` fields of one type, and one array per field. `Pointer` is const on the side
/// that is read.
template <int Fields, class Structs, class Field>
struct InterleavePlan {
    Structs* structs;
    Field* fields[Fields];
    std::size_t count;  ///< structs

    /// What a kernel does that reads the structs, or the fields, once it lets the next one be
    /// scheduled.
    ///
    /// @tparam MayBeFew  whether they may be small work
    template <bool MayBeFew>
    WIDELOAD_DEVICE void await() const {
        if constexpr (MayBeFew && std::is_const_v<Structs>) {
            prefetch_input(structs, count * Fields * sizeof(Field));
        } else if constexpr (MayBeFew) {
            prefetch_inputs(fields, count * sizeof(Field));
        }
        await_last_kernel();
    }
};

/// How structs pass through shared memory: each lane owns a row of `Fields` units, read or written
/// whole. A unit is one field, or 4 bytes' worth of one field of neighbouring structs, where fields
/// are narrower.
///
/// @tparam ToFields  the direction: structs are split, not joined
/// @tparam Small     by smaller blocks, for structs of up to `tuning::kSmallInterleaveBytes`
template <int FieldBytes, int Fields, bool ToFields, bool Small = false>
struct InterleaveShape {
    static constexpr int kFields = Fields;
    static constexpr bool kToFields = ToFields;
    static constexpr int kUnitBytes = FieldBytes < 4 ? 4 : FieldBytes;
    static constexpr int kStructsPerRow = kUnitBytes / FieldBytes;
    static constexpr int kRowBytes = kUnitBytes * Fields;

    /// Rows of 8 or 16 bytes are one access; rows of 32 to 64 whole 16-byte words that change lanes
    /// by shuffle. Neither needs shared memory, but both need structs aligned to kWordBytes.
    static constexpr bool kThroughWarp =
        kRowBytes == 8 || (kRowBytes % kWideBytes == 0 && kRowBytes <= 64);
    /// Towards many arrays of narrow fields, shared memory was measured to be faster than the
    /// shuffles.
    static constexpr bool kSplitsThroughWarp =
        kThroughWarp && (kRowBytes <= kWideBytes || kUnitBytes >= 8);
    static constexpr int kWordBytes = kRowBytes < kWideBytes ? kRowBytes : kWideBytes;
    static constexpr int kRowWords = kRowBytes / kWordBytes;

    /// Rows per lane: enough for 16 bytes in flight a thread.
    static constexpr int kRows = divide_up(kWideBytes, kRowBytes);
    /// Threads of a block, as measured: few for long rows, so that several blocks' shared memory
    /// fits, and for splits into many arrays, which then write more of each at a time; where many
    /// arrays are joined, no power of two.
    static constexpr int kMostThreads = kRowBytes > 128                ? 64
                                        : kRowBytes == 128 && ToFields ? 96
                                        : kRowBytes > 64               ? (ToFields ? 128 : 320)
                                        : kRowBytes >= 32 && ToFields  ? 128
                                        : kRowBytes == 64 && !ToFields
                                            ? (FieldBytes == 1 ? 448 : 320)
                                            : 256;
    /// Long rows make tiles that are too few for small structs, as do those of other numbers of
    /// fields, whose joins by large blocks are not brought their input early either: 4 KiB at
    /// least, so that there are no more of them than ask for the next kernel, or, of long rows, at
    /// most, or a warp's rows.
    static constexpr bool kHasSmall = kRowBytes >= 64 || !is_power_of_two(Fields);
    static constexpr int kLaneBytes = kRows * kRowBytes;
    static constexpr int kFewLanes =
        kRowBytes < 64 ? divide_up(tuning::kSmallInterleaveTile, kLaneBytes) + kWarpLanes - 1
                       : tuning::kSmallInterleaveTile / kLaneBytes;
    static constexpr int kFewThreads = kFewLanes < kWarpLanes ? kWarpLanes
                                       : kFewLanes > kMostThreads
                                           ? kMostThreads
                                           : kFewLanes - kFewLanes % kWarpLanes;
    static constexpr std::size_t kSmallBytes =
        kRowBytes < 64 ? kSmallWorkBytes : tuning::kSmallInterleaveBytes;
    static constexpr int kThreads = Small ? kFewThreads : kMostThreads;
    /// Whether these may be small work whose input is brought early: not of long rows, for which
    /// ptxas has no register left, nor joins by large blocks, which to find a thread's field costs
    /// 2 to 6 %. Splits by large blocks are up to 8 % slower without.
    static constexpr bool kMayBeFew =
        Small ? kRowBytes <= 64 : kRowBytes < 64 && (ToFields || is_power_of_two(Fields));
    static constexpr bool kSmall = Small;
    static constexpr int kTileRows = kThreads * kRows;

    /// Rows lie `Fields` units apart, which meets every bank once where that is odd. Otherwise a
    /// unit of padding after each common multiple of a row and all banks makes up for it, and never
    /// separates a row or a coalesced access.
    static constexpr int kBankUnits = kLineBytes / kUnitBytes;
    static constexpr int kCommon = greatest_common_divisor(Fields, kBankUnits);
    static constexpr int kPeriod = Fields / kCommon * kBankUnits;
    static WIDELOAD_HOST_DEVICE constexpr int place(int unit) {
        return kCommon == 1 ? unit : unit + unit / kPeriod;
    }
    static constexpr int kSharedUnits = place(kTileRows * Fields - 1) + 1;
};

/// Turns a lane's row of structs into one unit per field, or back: the identity unless fields are
/// narrower than a unit.
template <int FieldBytes, int Fields, bool ToFields, class Unit>
WIDELOAD_DEVICE void turn_row(Unit (&row)[Fields]) {
    constexpr int kStructs = InterleaveShape<FieldBytes, Fields, ToFields>::kStructsPerRow;
    if constexpr (kStructs > 1) {
        using Element = access_word_t<FieldBytes>;
        Element from[kStructs * Fields], to[kStructs * Fields];
        std::memcpy(from, row, sizeof(from));
#pragma unroll
        for (int s = 0; s < kStructs; ++s) {
#pragma unroll
            for (int f = 0; f < Fields; ++f) {
                if (ToFields) {
                    to[f * kStructs + s] = from[s * Fields + f];
                } else {
                    to[s * Fields + f] = from[f * kStructs + s];
                }
            }
        }
        std::memcpy(row, to, sizeof(to));
    }
}

/// The few structs that do not fill a row, a thread each field of each.
template <class T, int Fields, bool ToFields, class Plan>
WIDELOAD_DEVICE void interleave_rest(const Plan& plan, std::size_t done) {
    using Element = access_word_t<sizeof(T)>;
    const int elements = static_cast<int>(plan.count - done) * Fields;
#pragma unroll 1
    for (int i = threadIdx.x; i < elements; i += blockDim.x) {
        const auto* const inside = plan.structs + done * Fields + i;
        const auto* const apart = plan.fields[i % Fields] + done + i / Fields;
        const auto* const from = reinterpret_cast<const Element*>(ToFields ? inside : apart);
        auto* const to = const_cast<T*>(ToFields ? apart : inside);
        *reinterpret_cast<Element*>(to) = *from;
    }
}

/// Rows [first_row, first_row + tile_rows) of structs by warps: lane l of warp w takes row 32 * w +
/// l of each round.
template <class T, class Shape, class Load, class Store, class Plan>
WIDELOAD_DEVICE void deinterleave_warps(const Plan& plan, std::size_t first_row, int tile_rows) {
    constexpr int Fields = Shape::kFields;
    using Unit = access_word_t<Shape::kUnitBytes>;
    using Word = access_word_t<Shape::kWordBytes>;
    const int lane = threadIdx.x % kWarpLanes;
    const Word* source = reinterpret_cast<const Word*>(plan.structs) + first_row * Shape::kRowWords;
    Word words[Shape::kRows][Shape::kRowWords];
#pragma unroll
    for (int i = 0; i < Shape::kRows; ++i) {
        const int warp_word = (i * Shape::kThreads + threadIdx.x - lane) * Shape::kRowWords;
#pragma unroll
        for (int k = 0; k < Shape::kRowWords; ++k) {
            const int word = warp_word + k * kWarpLanes + lane;
            if (word < tile_rows * Shape::kRowWords)
                words[i][k] = access<Load>::template load<Shape::kWordBytes>(source + word);
        }
    }
#pragma unroll
    for (int i = 0; i < Shape::kRows; ++i) {
        if constexpr (Shape::kRowWords > 1) warp::striped_to_blocked(words[i], lane);
        Unit units[Fields];
        std::memcpy(units, words[i], sizeof(units));
        turn_row<sizeof(T), Fields, true>(units);
        const int row = i * Shape::kThreads + threadIdx.x;
        if (row < tile_rows) {
#pragma unroll
            for (int f = 0; f < Fields; ++f) {
                access<Store>::template store<Shape::kUnitBytes>(
                    reinterpret_cast<Unit*>(plan.fields[f]) + first_row + row, units[f]);
            }
        }
    }
}

/// The inverse of `deinterleave_warps`.
template <class T, class Shape, class Load, class Store, class Plan>
WIDELOAD_DEVICE void interleave_warps(const Plan& plan, std::size_t first_row, int tile_rows) {
    constexpr int Fields = Shape::kFields;
    using Unit = access_word_t<Shape::kUnitBytes>;
    using Word = access_word_t<Shape::kWordBytes>;
    const int lane = threadIdx.x % kWarpLanes;
    Word* destination = reinterpret_cast<Word*>(plan.structs) + first_row * Shape::kRowWords;
    Unit units[Shape::kRows][Fields];
#pragma unroll
    for (int i = 0; i < Shape::kRows; ++i) {
        const int row = i * Shape::kThreads + threadIdx.x;
        if (row < tile_rows) {
#pragma unroll
            for (int f = 0; f < Fields; ++f) {
                units[i][f] = access<Load>::template load<Shape::kUnitBytes>(
                    reinterpret_cast<const Unit*>(plan.fields[f]) + first_row + row);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < Shape::kRows; ++i) {
        turn_row<sizeof(T), Fields, false>(units[i]);
        Word words[Shape::kRowWords];
        std::memcpy(words, units[i], sizeof(words));
        if constexpr (Shape::kRowWords > 1) warp::blocked_to_striped<Shape::kSmall>(words, lane);
        const int warp_word = (i * Shape::kThreads + threadIdx.x - lane) * Shape::kRowWords;
#pragma unroll
        for (int k = 0; k < Shape::kRowWords; ++k) {
            const int word = warp_word + k * kWarpLanes + lane;
            if (word < tile_rows * Shape::kRowWords)
                access<Store>::template store<Shape::kWordBytes>(destination + word, words[k]);
        }
    }
}

/// The same through shared memory, for rows that are no whole words.
template <class T, class Shape, class Load, class Store, class Plan, class Shared>
WIDELOAD_DEVICE void deinterleave_block(const Plan& plan, std::size_t first_row, int tile_rows,
                                        Shared& shared) {
    constexpr int Fields = Shape::kFields;
    using Unit = access_word_t<Shape::kUnitBytes>;
    constexpr int kThreads = Shape::kThreads;
    const Unit* source = reinterpret_cast<const Unit*>(plan.structs) + first_row * Fields;
    Unit held[Fields * Shape::kRows];
#pragma unroll
    for (int i = 0; i < Fields * Shape::kRows; ++i) {
        const int unit = i * kThreads + threadIdx.x;
        if (unit < tile_rows * Fields)
            held[i] = access<Load>::template load<Shape::kUnitBytes>(source + unit);
    }
    // Keeps the compiler from storing some before it asks for the rest, which of long rows in large
    // blocks takes more registers than it is worth.
    if constexpr (Shape::kRowBytes <= 64 || kThreads < Shape::kMostThreads) __syncwarp();
#pragma unroll
    for (int i = 0; i < Fields * Shape::kRows; ++i)
        shared[Shape::place(i * kThreads + threadIdx.x)] = held[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Shape::kRows; ++i) {
        const int row = i * kThreads + threadIdx.x;
        Unit units[Fields];
#pragma unroll
        for (int f = 0; f < Fields; ++f) units[f] = shared[Shape::place(row * Fields) + f];
        turn_row<sizeof(T), Fields, true>(units);
        if (row < tile_rows) {
#pragma unroll
            for (int f = 0; f < Fields; ++f) {
                access<Store>::template store<Shape::kUnitBytes>(
                    reinterpret_cast<Unit*>(plan.fields[f]) + first_row + row, units[f]);
            }
        }
    }
}

/// The inverse of `deinterleave_block`.
template <class T, class Shape, class Load, class Store, class Plan, class Shared>
WIDELOAD_DEVICE void interleave_block(const Plan& plan, std::size_t first_row, int tile_rows,
                                      Shared& shared) {
    constexpr int Fields = Shape::kFields;
    using Unit = access_word_t<Shape::kUnitBytes>;
    constexpr int kThreads = Shape::kThreads;
    Unit units[Shape::kRows][Fields];
#pragma unroll
    for (int i = 0; i < Shape::kRows; ++i) {
        const int row = i * kThreads + threadIdx.x;
        if (row < tile_rows) {
#pragma unroll
            for (int f = 0; f < Fields; ++f) {
                units[i][f] = access<Load>::template load<Shape::kUnitBytes>(
                    reinterpret_cast<const Unit*>(plan.fields[f]) + first_row + row);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < Shape::kRows; ++i) {
        const int row = i * kThreads + threadIdx.x;
        turn_row<sizeof(T), Fields, false>(units[i]);
#pragma unroll
        for (int f = 0; f < Fields; ++f) shared[Shape::place(row * Fields) + f] = units[i][f];
    }
    __syncthreads();
    Unit* destination = reinterpret_cast<Unit*>(plan.structs) + first_row * Fields;
#pragma unroll
    for (int i = 0; i < Fields * Shape::kRows; ++i) {
        const int unit = i * kThreads + threadIdx.x;
        if (unit < tile_rows * Fields) {
            access<Store>::template store<Shape::kUnitBytes>(destination + unit,
                                                             shared[Shape::place(unit)]);
        }
    }
}

/// The rows that block `blockIdx.x` has of a plan of either direction.
template <class T, class Shape, bool ThroughWarp, class Load, class Store, class Plan>
WIDELOAD_DEVICE void interleave_tile_of(const Plan& plan) {
    constexpr bool ToFields = Shape::kToFields;
    const std::size_t rows = plan.count / Shape::kStructsPerRow;
    const std::size_t first_row = static_cast<std::size_t>(blockIdx.x) * Shape::kTileRows;
    const std::size_t left = rows - first_row;
    const int tile_rows = left < Shape::kTileRows ? static_cast<int>(left) : Shape::kTileRows;

    if constexpr (ThroughWarp && ToFields) {
        deinterleave_warps<T, Shape, Load, Store>(plan, first_row, tile_rows);
    } else if constexpr (ThroughWarp) {
        interleave_warps<T, Shape, Load, Store>(plan, first_row, tile_rows);
    } else {
        __shared__ access_word_t<Shape::kUnitBytes> shared[Shape::kSharedUnits];
        if constexpr (ToFields) {
            deinterleave_block<T, Shape, Load, Store>(plan, first_row, tile_rows, shared);
        } else {
            interleave_block<T, Shape, Load, Store>(plan, first_row, tile_rows, shared);
        }
    }
}

/// In the block behind those of tiles moves the structs that fill no row, from number `whole` on,
/// which any other block would have to wait for, too, and returns whether this is that block. To be
/// called in front of the wait for the stream's last kernel, behind which the question would add to
/// the time.
template <class T, int Fields, bool ToFields, class Plan>
WIDELOAD_DEVICE bool moves_rest(const Plan& plan, std::size_t whole, int tile_structs) {
    if (std::size_t{blockIdx.x} * tile_structs < whole) return false;
    await_last_kernel();
    interleave_rest<T, Fields, ToFields>(plan, whole);
    return true;
}

/// Either direction.
template <class T, class Shape, bool ThroughWarp, class Load, class Store, class Plan>
WIDELOAD_DEVICE void interleave_rows(const Plan& plan) {
    release_next_kernel();
    constexpr int kStructs = Shape::kStructsPerRow;
    if constexpr (kStructs > 1) {
        if (moves_rest<T, Shape::kFields, Shape::kToFields>(
                plan, plan.count - plan.count % kStructs, Shape::kTileRows * kStructs))
            return;
    }
    plan.template await<Shape::kMayBeFew>();
    interleave_tile_of<T, Shape, ThroughWarp, Load, Store>(plan);
}

template <class T, int Fields, bool ThroughWarp, bool Small, class Load, class Store>
__global__ void __launch_bounds__(InterleaveShape<sizeof(T), Fields, true, Small>::kThreads)
    deinterleave_kernel(const __grid_constant__ InterleavePlan<Fields, const T, T> plan) {
    interleave_rows<T, InterleaveShape<sizeof(T), Fields, true, Small>, ThroughWarp, Load, Store>(
        plan);
}

template <class T, int Fields, bool ThroughWarp, bool Small, class Load, class Store>
__global__ void __launch_bounds__(InterleaveShape<sizeof(T), Fields, false, Small>::kThreads)
    interleave_kernel(const __grid_constant__ InterleavePlan<Fields, T, const T> plan) {
    interleave_rows<T, InterleaveShape<sizeof(T), Fields, false, Small>, ThroughWarp, Load, Store>(
        plan);
}

/// Where the rows (or columns) of a matrix begin, as many fields of structs.
template <class Field>
struct MatrixFields {
    Field* first;
    std::size_t count;
    WIDELOAD_DEVICE Field* operator[](int field) const { return first + field * count; }
};

/// A matrix as structs that are split (or joined): an InterleavePlan whose fields follow one
/// another.
template <class Structs, class Field>
struct MatrixOfFields {
    Structs* structs;
    MatrixFields<Field> fields;
    std::size_t count;
};

/// Matrix number `matrix` of those of `Fields` columns (or rows) that lie one behind the other.
template <int Fields, bool ToFields, class T>
WIDELOAD_DEVICE auto matrix_of_fields(const T* input, T* output, std::size_t count,
                                      std::size_t matrix) {
    const std::size_t begin = matrix * count * Fields;
    if constexpr (ToFields) {
        return MatrixOfFields<const T, T>{input + begin, {output + begin, count}, count};
    } else {
        return MatrixOfFields<T, const T>{output + begin, {input + begin, count}, count};
    }
}

/// What the kernels of such matrices do first: gridDim.y of them, from `first` on, `elements` each.
/// Of many small ones the blocks of two launches are not there at once.
///
/// @tparam MayBeFew  whether they may be small work
template <bool MayBeFew, class T>
WIDELOAD_DEVICE void enter_matrices(const T* first, std::size_t elements) {
    release_next_kernel();
    if constexpr (MayBeFew) {
        const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
        const std::size_t bytes = elements * gridDim.y * sizeof(T);
        const bool few = bytes <= kSmallWorkBytes && gridDim.x * gridDim.y <= 2 * kAskingBlocks;
        prefetch_line(first, few ? static_cast<unsigned>(bytes) : 0,
                      block * blockDim.x + threadIdx.x);
    }
    await_last_kernel();
}

/// All of them; blockIdx.y counts them.
template <class T, int Fields, bool ToFields, bool ThroughWarp, bool Small, class Load, class Store>
__global__ void __launch_bounds__(InterleaveShape<sizeof(T), Fields, ToFields, Small>::kThreads)
    transpose_fields_kernel(const T* input, T* output, std::size_t count,
                            std::size_t first_matrix) {
    using Shape = InterleaveShape<sizeof(T), Fields, ToFields, Small>;
    constexpr bool kMayBeFew = Shape::kMayBeFew && (Small || !Shape::kHasSmall);
    enter_matrices<kMayBeFew>(input + first_matrix * count * Fields, count * Fields);
    interleave_tile_of<T, Shape, ThroughWarp, Load, Store>(
        matrix_of_fields<Fields, ToFields>(input, output, count, blockIdx.y + first_matrix));
}

/// Field i of all structs' fields, of `Size` bytes each, where they lie in an array per field.
template <int Size, int Fields, class Byte, class IndexType>
struct SplitFields {
    static constexpr int kSize = Size;
    static constexpr bool kIndexed = false;
    using Index = IndexType;  ///< counts all words
    Byte* arrays[Fields];
    bool is_aligned(int bytes) const {
        bool all = true;
        for (const auto* array : arrays) all = all && wideload::is_aligned(array, bytes);
        return all;
    }
    WIDELOAD_DEVICE Byte* place(Index i) const {
        return arrays[i % Fields] + std::size_t{i / Fields} * Size;
    }
    template <bool>
    WIDELOAD_DEVICE Byte* at(Byte* place) const {
        return place;
    }
    template <int Word>
    WIDELOAD_DEVICE std::size_t touched(std::size_t words) const {
        return words * Word;
    }
};

}  // namespace wideload::WIDELOAD_DETAIL
