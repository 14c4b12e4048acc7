// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/pipeline.cuh>
#include <wideload/block/reduce.cuh>
#include <wideload/block/tile.cuh>
#include <wideload/warp/aos.cuh>

#include "case.cuh"

/// The warp and block layers, in kernels as a user writes them.
namespace counts {

template <class Tile, class T>
__global__ void transpose_tile(const T* from, T* to) {
    __shared__ Tile tile;
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) tile(i / 32, i % 32) = from[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) to[i] = tile(i % 32, i / 32);
}

template <class Tile, class T>
void tile(const char* name) {
    Memory from(32 * 32 * sizeof(T)), to(32 * 32 * sizeof(T));
    Case(std::string(name) + " of " + std::to_string(sizeof(T)) + " bytes")
        .whole("global_ld", sectors(32 * 32 * sizeof(T)))
        .whole("global_st", sectors(32 * 32 * sizeof(T)))
        .run([&] {
            transpose_tile<Tile, T><<<1, 128>>>(from.as<T>(), to.as<T>());
            return cudaGetLastError();
        });
}

template <class T>
__global__ void copy_structs(const T* from, T* to) {
    constexpr int kCount = wideload::warp::kStructsPerLane<T>;
    const int lane = threadIdx.x % 32;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 32 * kCount;
    const auto structs = wideload::warp::load_aos(wideload::assume_aligned<16>(from + first), lane);
    wideload::warp::store_aos(wideload::assume_aligned<16>(to + first), structs, lane);
}

template <int Size>
void structs() {
    constexpr std::size_t kBytes =
        std::size_t{8} * 32 * wideload::warp::kStructsPerLane<Blob<Size>> * Size;
    Memory from(kBytes), to(kBytes);
    Case("structs of " + std::to_string(Size) + " bytes through a warp")
        .whole("global_ld", sectors(kBytes))
        .whole("global_st", sectors(kBytes))
        .run([&] {
            copy_structs<<<2, 128>>>(from.as<Blob<Size>>(), to.as<Blob<Size>>());
            return cudaGetLastError();
        });
}

template <class Way, int Threads>
__global__ void through_pipeline(const char* from, char* to, std::size_t bytes) {
    using Pipeline = wideload::block::pipeline<Threads * 16, 3, Threads, Way>;
    __shared__ typename Pipeline::storage shared;
    Pipeline pipeline(shared, threadIdx.x);
    pipeline.start(from, bytes);
    auto* out = reinterpret_cast<uint4*>(to);
    while (const char* piece = pipeline.next()) {
        const int words = pipeline.size() / 16;
        const int own = static_cast<int>(threadIdx.x);
        if (own < words) out[own] = reinterpret_cast<const uint4*>(piece)[own];
        out += words;
        pipeline.release();
    }
}

template <class Way>
void pipeline(const char* loads, const char* name) {
    constexpr int kThreads = 128;
    constexpr std::size_t kBytes = kThreads * 16 * 7 + 96;
    Memory from(kBytes), to(kBytes);
    Case(std::string("pipeline ") + name)
        .whole(loads, sectors(kBytes))
        .whole("global_st", sectors(kBytes))
        .run([&] {
            through_pipeline<Way, kThreads>
                <<<1, kThreads>>>(from.as<char>(), to.as<char>(), kBytes);
            return cudaGetLastError();
        });
}

__global__ void reduce_block(const float* from, float* to) {
    __shared__ wideload::block::reduce_storage<float, 256> shared;
    const float sum = wideload::block::reduce<256>(
        from[threadIdx.x], [](float a, float b) { return a + b; }, shared, threadIdx.x, 256);
    if (threadIdx.x == 0) *to = sum;
}

inline void blocks() {
    using namespace wideload::block;
    tile<padded_tile<float, 32, 32>, float>("padded tile");
    tile<padded_tile<double, 32, 32>, double>("padded tile");
    tile<padded_tile<uint4, 32, 32>, uint4>("padded tile");
    tile<xor_tile<float, 32, 32>, float>("xor tile");
    tile<xor_tile<double, 32, 32>, double>("xor tile");
    tile<xor_tile<uint4, 32, 32>, uint4>("xor tile");
    structs<3>();
    structs<12>();
    structs<20>();
    structs<24>();
    structs<36>();
    pipeline<by_thread>("global_ld", "by thread");
    pipeline<by_bulk>("bulk_ld", "by bulk copies");
    Memory from(1024), to(32);
    Case("block reduction").whole("global_ld", 32).whole("global_st", 1).run([&] {
        reduce_block<<<1, 256>>>(from.as<float>(), to.as<float>());
        return cudaGetLastError();
    });
}

}  // namespace counts
