// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/bank_swizzle.cuh>
#include <wideload/device/kernel/interleave_kernel.cuh>
#include <wideload/thread/window.cuh>
#include <wideload/warp/aos.cuh>

namespace wideload::detail {

/// How structs whose fields are no whole words, or lie at any address, are split or joined: a block
/// reads its part of one side as ranges of bytes, moves the fields to a second copy in shared
/// memory, and writes that as ranges of bytes. Both sides go by words of 16 bytes whatever their
/// addresses, shifted into place; in shared memory they lie as if all addresses were aligned.
template <int Size, int Fields, bool ToFields>
struct StagedInterleave {
    static constexpr int kThreads = 256, kWarps = kThreads / kWarpLanes;
    static constexpr int kRowBytes = kWarpLanes * kWideBytes;  ///< that a warp moves at a time
    static constexpr int kSize = Size, kFields = Fields, kStructBytes = Size * Fields;
    /// Bytes of the structs that a block takes, about.
    static constexpr int kStageBytes = 16384;
    /// Structs whose fields of 1 or 2 bytes fill words of 4, which turn in registers.
    static constexpr int kRowStructs = Size <= 2 ? 4 / Size : 1;
    static constexpr int kUnit = kRowStructs > 1 ? 4 : access_width(Size, kWideBytes);
    static constexpr int kTileStructs = kStageBytes / kStructBytes / kWarpLanes * kWarpLanes;
    static constexpr bool kFits = kTileStructs > 0;

    /// What is written begins and ends at sectors, so that none is written in parts: a block holds
    /// as many structs of the next one's as that takes.
    static constexpr int kItemRead = ToFields ? kStructBytes : Size;
    static constexpr int kItemWritten = ToFields ? Size : kStructBytes;
    static constexpr int kBehind =
        divide_up(divide_up(kSectorBytes - 1, kItemWritten), kRowStructs) * kRowStructs;
    static constexpr int kHeld = kTileStructs + kBehind;

    /// Bytes of a range in shared memory: whole lines, and a word to read behind the last byte.
    static constexpr int range_bytes(int item) {
        return divide_up(kHeld * item + kWideBytes, kLineBytes) * kLineBytes;
    }
    static constexpr int kFieldBytes = range_bytes(Size);
    static constexpr int kStructsBytes = range_bytes(kStructBytes);
    static constexpr int kSharedBytes = kStructsBytes + Fields * kFieldBytes;

    static constexpr BankSwizzle swizzle(int distance) {
        return distance <= 4 || kUnit < 4 ? BankSwizzle{}
                                          : BankSwizzle::for_stride(kUnit, distance);
    }
    static constexpr BankSwizzle kStructsSwizzle = swizzle(kStructBytes * kRowStructs);
    static constexpr BankSwizzle kFieldsSwizzle = swizzle(Size * kRowStructs);
};

/// A warp's row of 32 words from byte `row` of a range on, to shared memory. Reads nothing outside
/// [begin, end).
///
/// @param bytes  of the range; what is behind them in its last word is unspecified
template <class Policy, class Swizzle>
WIDELOAD_DEVICE void stage_row(const char* range, int row, int bytes, const char* begin,
                               const char* end, char* staged, const Swizzle& swizzle, int lane) {
    constexpr int kRowBytes = kWarpLanes * kWideBytes;
    const unsigned shift =
        static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(range) % kWideBytes);
    const char* const first = range + row - shift;
    const int own = row + lane * kWideBytes;
    uint4 words[1];
    if (first >= begin && end - first >= kRowBytes + (shift != 0 ? kWideBytes : 0)) {
        warp::aos_detail::load_units<Policy>(words, range + row, shift, lane);
        if (own < bytes) put_word(staged, own, words[0], swizzle);
    } else {
#pragma unroll 1
        for (int i = row + lane; i < bytes && i < row + kRowBytes; i += kWarpLanes)
            staged[swizzle.place(i)] = access<Policy>::template load<1>(range + i);
    }
}

/// Word number `word` of memory from [begin, end) on, which may begin within the first, from shared
/// memory, where byte number `held` is what `begin` gets.
template <class Policy, class Swizzle>
WIDELOAD_DEVICE void drain_word(const char* staged, int held, char* begin, char* end, int word,
                                const Swizzle& swizzle) {
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(begin) % kWideBytes);
    char* const address = begin - shift + word * kWideBytes;
    if (address >= end) return;
    const int from = held - shift + word * kWideBytes;
    if (address >= begin && end - address >= kWideBytes) {
        const int turn = from % kWideBytes;
        uint4 value = get_word(staged, from - turn, swizzle);
        if (turn != 0) {
            value = funnel_shift_bytes(value, get_word(staged, from - turn + kWideBytes, swizzle),
                                       turn);
        }
        access<Policy>::template store<kWideBytes>(address, value);
    } else {
#pragma unroll 1
        for (int i = 0; i < kWideBytes; ++i) {
            if (address + i >= begin && address + i < end)
                address[i] = staged[swizzle.place(from + i)];
        }
    }
}

/// Moves the fields of `held` structs from one copy to the other, lanes along the structs.
template <int Size, int Fields, bool ToFields>
WIDELOAD_DEVICE void move_fields(char* structs, char* fields, int held) {
    using Shape = StagedInterleave<Size, Fields, ToFields>;
    using Unit = access_word_t<Shape::kUnit>;
    constexpr int kUnit = Shape::kUnit, kRowBytes = Shape::kStructBytes * Shape::kRowStructs;
    constexpr int kOfField = Size * Shape::kRowStructs / kUnit, kUnits = Fields * kOfField;
    constexpr int kBatch = Shape::kRowStructs > 1 ? kUnits : kUnits < 8 ? kUnits : 8;
    constexpr BankSwizzle kStructsSwizzle = Shape::kStructsSwizzle;
    constexpr BankSwizzle kFieldsSwizzle = Shape::kFieldsSwizzle;
    constexpr int kAtOnce = kUnits < 8 ? 8 / kUnits : 1;
    const int rows = divide_up(held, Shape::kRowStructs);
    const auto in_structs = [&](int row, int unit) -> Unit& {
        return *reinterpret_cast<Unit*>(structs +
                                        kStructsSwizzle.place(row * kRowBytes + unit * kUnit));
    };
    const auto in_fields = [&](int row, int unit) -> Unit& {
        return *reinterpret_cast<Unit*>(
            fields + unit / kOfField * Shape::kFieldBytes +
            kFieldsSwizzle.place((row * kOfField + unit % kOfField) * kUnit));
    };
    for (int own = threadIdx.x; own < rows; own += Shape::kThreads * kAtOnce) {
#pragma unroll(kUnits <= 32 ? kUnits : 1)
        for (int first = 0; first < kUnits; first += kBatch) {
            Unit units[kAtOnce][kBatch];
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k) {
                const int row = own + k * Shape::kThreads;
#pragma unroll
                for (int i = 0; i < kBatch; ++i) {
                    if (row < rows && first + i < kUnits)
                        units[k][i] =
                            ToFields ? in_structs(row, first + i) : in_fields(row, first + i);
                }
            }
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k) {
                const int row = own + k * Shape::kThreads;
                if constexpr (Shape::kRowStructs > 1) turn_row<Size, Fields, ToFields>(units[k]);
#pragma unroll
                for (int i = 0; i < kBatch; ++i) {
                    if (row < rows && first + i < kUnits)
                        (ToFields ? in_fields(row, first + i) : in_structs(row, first + i)) =
                            units[k][i];
                }
            }
        }
    }
}

/// Deals rows of 32 words to the block's warps, of the one range of structs or of the ranges of all
/// fields: calls `use(pointer, staged, swizzle, row)`.
template <class Shape, bool OfStructs, class Plan, class Use>
WIDELOAD_DEVICE void for_rows(const Plan& plan, char* structs, char* fields, const Use& use) {
    constexpr int kItem = OfStructs ? Shape::kStructBytes : Shape::kSize;
    constexpr int kRows = divide_up(Shape::kHeld * kItem + kWideBytes, Shape::kRowBytes);
    constexpr int kRanges = OfStructs ? 1 : Shape::kFields;
    constexpr BankSwizzle kSwizzle = OfStructs ? Shape::kStructsSwizzle : Shape::kFieldsSwizzle;
    for (int item = threadIdx.x / kWarpLanes; item < kRanges * kRows; item += Shape::kWarps) {
        const int range = item / kRows, row = item - range * kRows;
        if constexpr (OfStructs) {
            use(plan.structs, structs, kSwizzle, row);
        } else {
            use(plan.fields[range], fields + range * Shape::kFieldBytes, kSwizzle, row);
        }
    }
}

/// Splits or joins structs of any fields at any addresses; see StagedInterleave. `Plan` is an
/// InterleavePlan of either direction.
template <int Size, int Fields, bool ToFields, class Load, class Store, class Plan>
__global__ void __launch_bounds__(StagedInterleave<Size, Fields, ToFields>::kThreads)
    staged_interleave_kernel(const __grid_constant__ Plan plan) {
    enter_stream_order();
    using Shape = StagedInterleave<Size, Fields, ToFields>;
    __shared__ uint4 shared[Shape::kSharedBytes / kWideBytes];
    char* const structs = reinterpret_cast<char*>(shared);
    char* const fields = structs + Shape::kStructsBytes;
    const int lane = threadIdx.x % kWarpLanes;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * Shape::kTileStructs;
    const std::size_t left = plan.count - first;
    const int held = left < Shape::kHeld ? static_cast<int>(left) : Shape::kHeld;

    for_rows<Shape, ToFields>(
        plan, structs, fields, [&](const auto* base, char* staged, const auto& swizzle, int row) {
            constexpr int kItem = Shape::kItemRead;
            const char* const begin = reinterpret_cast<const char*>(base);
            if (row * Shape::kRowBytes >= held * kItem) return;
            stage_row<Load>(begin + first * kItem, row * Shape::kRowBytes, held * kItem, begin,
                            begin + plan.count * kItem, staged, swizzle, lane);
        });
    __syncthreads();
    move_fields<Size, Fields, ToFields>(structs, fields, held);
    __syncthreads();
    for_rows<Shape, !ToFields>(
        plan, structs, fields, [&](auto* base, const char* staged, const auto& swizzle, int row) {
            constexpr int kItem = Shape::kItemWritten;
            char* const from = reinterpret_cast<char*>(base) + first * kItem;
            char* const end = from + left * kItem;
            const auto to_sector = [&](char* address) {
                const std::size_t bytes =
                    (0 - reinterpret_cast<std::uintptr_t>(address)) % kSectorBytes;
                return static_cast<std::size_t>(end - address) < bytes ? end : address + bytes;
            };
            char* const begin = first == 0 ? from : to_sector(from);
            char* const behind =
                left <= Shape::kTileStructs ? end : to_sector(from + Shape::kTileStructs * kItem);
            drain_word<Store>(staged, static_cast<int>(begin - from), begin, behind,
                              row * kWarpLanes + lane, swizzle);
        });
}

}  // namespace wideload::detail
