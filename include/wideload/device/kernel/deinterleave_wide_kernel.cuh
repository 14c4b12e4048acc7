// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/bank_swizzle.cuh>
#include <wideload/device/kernel/interleave_kernel.cuh>
#include <wideload/support/turn.cuh>

/// Structs of 16 fields of 1 or 4 bytes, split with 16 bytes a lane on both sides.
namespace wideload::detail {

/// A block's part of such structs: `structs` of them from number `first` on, of `whole` in all that
/// fill lanes.
template <class Shape>
struct WideSplitTile {
    std::size_t whole, first;
    int structs;

    WIDELOAD_DEVICE explicit WideSplitTile(std::size_t count)
        : whole(count - count % Shape::kLaneStructs),
          first(static_cast<std::size_t>(blockIdx.x) * Shape::kTileStructs) {
        const std::size_t left = first < whole ? whole - first : 0;
        structs = left < Shape::kTileStructs ? static_cast<int>(left) : Shape::kTileStructs;
    }

    /// Reads them, word number kThreads * i + threadIdx.x to held[i].
    template <class Load, class T>
    WIDELOAD_DEVICE void read(uint4 (&held)[Shape::kWords], const T* all) const {
        const uint4* const source = reinterpret_cast<const uint4*>(all + first * 16);
#pragma unroll
        for (int i = 0; i < Shape::kWords; ++i) {
            const int word = i * Shape::kThreads + threadIdx.x;
            if (word < structs * Shape::kStructWords)
                held[i] = access<Load>::template load<kWideBytes>(source + word);
        }
    }
};

/// How structs of 16 fields of a byte are split with 16 bytes a lane on both sides: a block stages
/// them as they are, and a lane picks 4 bytes of each of 16 neighbours.
struct ByteSplitShape {
    static constexpr int kLaneStructs = 16, kStructWords = 1;
    static constexpr int kTileStructs = kWarpLanes * kLaneStructs;
    static constexpr int kThreads = 128;  ///< a warp for every 4 fields
    static constexpr int kWords = kTileStructs * kStructWords / kThreads;  ///< a thread's
};

template <class T, class Load, class Store>
__global__ void __launch_bounds__(ByteSplitShape::kThreads)
    deinterleave_bytes_kernel(const __grid_constant__ InterleavePlan<16, const T, T> plan) {
    enter_stream_order();
    using Shape = ByteSplitShape;
    constexpr BankSwizzle kSwizzle = BankSwizzle::for_stride(4, Shape::kLaneStructs * kWideBytes);
    __shared__ uint4 words[Shape::kThreads * Shape::kWords];
    char* const staged = reinterpret_cast<char*>(words);
    const WideSplitTile<Shape> tile(plan.count);
    uint4 held[Shape::kWords];
    tile.template read<Load>(held, plan.structs);
#pragma unroll
    for (int i = 0; i < Shape::kWords; ++i)
        put_word(staged, (i * Shape::kThreads + threadIdx.x) * kWideBytes, held[i], kSwizzle);
    __syncthreads();

    const int lane_first = threadIdx.x % kWarpLanes * Shape::kLaneStructs;
    const int field = threadIdx.x / kWarpLanes * 4;
    std::uint32_t picked[Shape::kLaneStructs], fields[4][4];
#pragma unroll
    for (int s = 0; s < Shape::kLaneStructs; ++s) {
        const unsigned byte = (lane_first + s) * kWideBytes + field;
        picked[s] = *reinterpret_cast<const std::uint32_t*>(staged + kSwizzle.place(byte));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        std::uint32_t turned[4];
        const std::uint32_t* const own = picked + i * 4;
        turn_bytes(own[0], own[1], own[2], own[3], turned);
#pragma unroll
        for (int f = 0; f < 4; ++f) fields[f][i] = turned[f];
    }
    if (lane_first < tile.structs) {
#pragma unroll
        for (int f = 0; f < 4; ++f) {
            access<Store>::template store<kWideBytes>(
                plan.fields[field + f] + tile.first + lane_first,
                make_uint4(fields[f][0], fields[f][1], fields[f][2], fields[f][3]));
        }
    }
    if (blockIdx.x == 0) interleave_rest<T, 16, true>(plan, tile.whole);
}

/// How structs of 16 fields of 4 bytes are split with 16 bytes a lane on both sides: a lane puts
/// four neighbouring fields of a struct where 64 structs' lie side by side, and gets one field of
/// four neighbours. Lanes that put together have fields four apart, which an XOR keeps apart in the
/// banks. So small a tile, as pieces of 256 bytes of each array are the fastest.
struct WordSplitShape {
    static constexpr int kLaneStructs = 4, kStructWords = 4;
    static constexpr int kThreads = 128, kWords = 2;  ///< a thread's
    static constexpr int kTileStructs = kThreads * kWords / kStructWords;
    static WIDELOAD_DEVICE int place(int field, int number) {
        return field * kTileStructs + (number ^ field / 4 * 8);
    }
};

template <class T, class Load, class Store>
__global__ void __launch_bounds__(WordSplitShape::kThreads)
    deinterleave_words_kernel(const __grid_constant__ InterleavePlan<16, const T, T> plan) {
    enter_stream_order();
    using Shape = WordSplitShape;
    __shared__ uint4 words[Shape::kThreads * Shape::kWords];
    std::uint32_t* const staged = reinterpret_cast<std::uint32_t*>(words);
    const WideSplitTile<Shape> tile(plan.count);
    uint4 held[Shape::kWords];
    tile.template read<Load>(held, plan.structs);
#pragma unroll
    for (int i = 0; i < Shape::kWords; ++i) {
        const int word = i * Shape::kThreads + threadIdx.x;
        const int field = word % Shape::kStructWords * 4, number = word / Shape::kStructWords;
        staged[Shape::place(field, number)] = held[i].x;
        staged[Shape::place(field + 1, number)] = held[i].y;
        staged[Shape::place(field + 2, number)] = held[i].z;
        staged[Shape::place(field + 3, number)] = held[i].w;
    }
    __syncthreads();
    constexpr int kFieldWords = Shape::kTileStructs / Shape::kLaneStructs;
#pragma unroll
    for (int i = 0; i < Shape::kWords; ++i) {
        const int word = i * Shape::kThreads + threadIdx.x;
        const int field = word / kFieldWords, number = word % kFieldWords * Shape::kLaneStructs;
        if (number < tile.structs) {
            access<Store>::template store<kWideBytes>(plan.fields[field] + tile.first + number,
                                                      words[Shape::place(field, number) / 4]);
        }
    }
    if (blockIdx.x == 0) interleave_rest<T, 16, true>(plan, tile.whole);
}

}  // namespace wideload::detail
