// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/interleave_kernel.cuh>
#include <wideload/support/turn.cuh>

/// Structs of 16 fields of 1, 2 or 4 bytes, split with 16 bytes a lane on both sides.
namespace wideload::WIDELOAD_DETAIL {

/// What the fields' sizes share: lanes read 16 bytes at a time, the block puts every field's values
/// side by side, and lanes store 16 bytes of one field at a time. So small a tile, as pieces of 256
/// bytes of each array are the fastest.
struct WideSplitShape {
    static constexpr int kThreads = 128, kWords = 2;  ///< a thread's
    static WIDELOAD_DEVICE int word(int i) { return i * kThreads + threadIdx.x; }
};

/// Fields of 4 bytes: a lane puts four neighbouring fields of a struct where 64 structs' lie side
/// by side. Lanes that put together have fields four apart, which an XOR keeps apart in the banks.
struct WordSplitShape : WideSplitShape {
    static constexpr int kLaneStructs = 4, kStructWords = 4;
    static constexpr int kTileStructs = kThreads * kWords / kStructWords;
    static WIDELOAD_DEVICE int place(int field, int number) {
        return field * kTileStructs + (number ^ field / 4 * 8);
    }
    static WIDELOAD_DEVICE void put(std::uint32_t* staged, const uint4 (&held)[kWords]) {
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const int field = word(i) % kStructWords * 4, number = word(i) / kStructWords;
            staged[place(field, number)] = held[i].x;
            staged[place(field + 1, number)] = held[i].y;
            staged[place(field + 2, number)] = held[i].z;
            staged[place(field + 3, number)] = held[i].w;
        }
    }
};

/// Of 2 bytes: a lane reads the same eight fields of two neighbours and puts every field's two
/// values, as a word, where 64 pairs' lie side by side.
struct HalfSplitShape : WideSplitShape {
    static constexpr int kLaneStructs = 8, kStructWords = 2;
    static constexpr int kTileStructs = kThreads * kWords / kStructWords;
    static WIDELOAD_DEVICE int word(int i) { return threadIdx.x / 2 * 4 + threadIdx.x % 2 + 2 * i; }
    static WIDELOAD_DEVICE int place(int field, int number) {
        return field * (kTileStructs / 2) + (number / 2 ^ field / 8 * 16);
    }
    static WIDELOAD_DEVICE void put(std::uint32_t* staged, const uint4 (&held)[kWords]) {
        const std::uint32_t one[] = {held[0].x, held[0].y, held[0].z, held[0].w};
        const std::uint32_t next[] = {held[1].x, held[1].y, held[1].z, held[1].w};
        const int field = threadIdx.x % 2 * 8, number = threadIdx.x / 2 * 2;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            std::uint32_t turned[2];
            turn_halves(one[k], next[k], turned);
            staged[place(field + 2 * k, number)] = turned[0];
            staged[place(field + 2 * k + 1, number)] = turned[1];
        }
    }
};

/// Of a byte: four lanes, whose words are four neighbours', hand each other those of four fields
/// through the warp's memory, and every lane puts each of its fields' four values as a word.
struct ByteSplitShape : WideSplitShape {
    static constexpr int kLaneStructs = 16, kStructWords = 1;
    static constexpr int kTileStructs = kThreads * kWords;
    static WIDELOAD_DEVICE int place(int field, int number) {
        return WordSplitShape::place(field, number / 4);
    }
    /// Where a word lies so that lanes four words apart meet no others in the banks.
    static WIDELOAD_DEVICE int own_place(int word) { return word ^ word / 8 % 4; }

    static WIDELOAD_DEVICE void put(std::uint32_t* staged, const uint4 (&held)[kWords]) {
        __shared__ uint4 own_words[kThreads * kWords];
        const std::uint32_t* const own = reinterpret_cast<const std::uint32_t*>(own_words);
#pragma unroll
        for (int i = 0; i < kWords; ++i) own_words[own_place(word(i))] = held[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const int part = word(i) % 4, number = word(i) - part;
            std::uint32_t picked[4], turned[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) picked[k] = own[own_place(number + k) * 4 + part];
            turn_bytes(picked[0], picked[1], picked[2], picked[3], turned);
#pragma unroll
            for (int f = 0; f < 4; ++f) staged[place(part * 4 + f, number)] = turned[f];
        }
    }
};

template <class T, class Shape, class Load, class Store>
__global__ void __launch_bounds__(Shape::kThreads)
    deinterleave_wide_kernel(const __grid_constant__ InterleavePlan<16, const T, T> plan) {
    release_next_kernel();
    __shared__ uint4 words[Shape::kThreads * Shape::kWords];
    const std::size_t whole = plan.count - plan.count % Shape::kLaneStructs;  // that fill lanes
    if (moves_rest<T, 16, true>(plan, whole, Shape::kTileStructs)) return;
    plan.template await<true>();
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * Shape::kTileStructs;
    const std::size_t left = whole - first;
    const int structs = left < Shape::kTileStructs ? static_cast<int>(left) : Shape::kTileStructs;
    const uint4* const source = reinterpret_cast<const uint4*>(plan.structs + first * 16);
    uint4 held[Shape::kWords];
#pragma unroll
    for (int i = 0; i < Shape::kWords; ++i) {
        const int word = Shape::word(i);
        if (word < structs * Shape::kStructWords)
            held[i] = access<Load>::template load<kWideBytes>(source + word);
    }
    Shape::put(reinterpret_cast<std::uint32_t*>(words), held);
    __syncthreads();
    constexpr int kFieldWords = Shape::kTileStructs / Shape::kLaneStructs;
#pragma unroll
    for (int i = 0; i < Shape::kWords; ++i) {
        const int word = WideSplitShape::word(i);
        const int field = word / kFieldWords, number = word % kFieldWords * Shape::kLaneStructs;
        if (number < structs) {
            access<Store>::template store<kWideBytes>(plan.fields[field] + first + number,
                                                      words[Shape::place(field, number) / 4]);
        }
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
