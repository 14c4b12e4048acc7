// SPDX-License-Identifier: Apache-2.0
// The block layer: tiles, reductions, and pipelines of either way that must deliver every piece
// once and in order.
#include <wideload/block/pipeline.cuh>
#include <wideload/block/reduce.cuh>
#include <wideload/block/tile.cuh>

#include "support/harness.cuh"

#include <climits>

namespace {

using namespace wideload;
using test::GuardedBuffer;

template <class Tile, class T>
__global__ void tile_kernel(const T* from, T* to) {
    __shared__ Tile tile;
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) tile(i / 32, i % 32) = from[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) to[i] = tile(i % 32, i / 32);
}

template <class Tile, class T>
void tile(const char* what) {
    GuardedBuffer from(32 * 32 * sizeof(T), 0, 1), to(32 * 32 * sizeof(T), 0, 2);
    tile_kernel<Tile, T><<<1, 128>>>(from.as<const T>(), to.as<T>());
    for (int i = 0; i < 32 * 32; ++i) {
        std::memcpy(to.expected() + i * sizeof(T),
                    from.expected() + (i % 32 * 32 + i / 32) * sizeof(T), sizeof(T));
    }
    to.expect_equal(what);
}

/// Whether the architecture has what a way needs: code for older ones is compiled too.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
template <class Way>
constexpr bool kExists = std::is_same_v<Way, block::by_thread>;
#else
template <class Way>
constexpr bool kExists = true;
#endif

template <int PieceBytes, int Stages, int Threads, class Way>
__global__ void pipeline_kernel(const char* from, char* to, std::size_t bytes) {
    if constexpr (kExists<Way>) {
        using Pipeline = block::pipeline<PieceBytes, Stages, Threads, Way>;
        __shared__ typename Pipeline::storage shared;
        Pipeline pipeline(shared, threadIdx.x);
        pipeline.start(from, bytes);
        std::size_t offset = 0;
        while (const char* piece = pipeline.next()) {
            const int size = pipeline.size();
            for (int i = threadIdx.x; i < size; i += Threads)
                to[offset + i] = static_cast<char>(piece[i] + 1);
            offset += size;
            pipeline.release();
        }
    }
}

template <int PieceBytes, int Stages, int Threads, class Way>
void pipeline(const char* way) {
    for (std::size_t bytes : {std::size_t{0}, std::size_t{16}, std::size_t{PieceBytes},
                              std::size_t{PieceBytes * 7 + 48}}) {
        const std::string what = std::string("pipeline ") + way + ": " + std::to_string(Stages) +
                                 " stages of " + std::to_string(PieceBytes) + " bytes, " +
                                 std::to_string(bytes) + " in all";
        GuardedBuffer from(bytes, 0, 3), to(bytes, 0, 4);
        pipeline_kernel<PieceBytes, Stages, Threads, Way>
            <<<1, Threads>>>(from.as<const char>(), to.as<char>(), bytes);
        test::expect_status(cudaGetLastError(), cudaSuccess, what);
        for (std::size_t i = 0; i < bytes; ++i)
            to.expected()[i] = static_cast<unsigned char>(from.expected()[i] + 1);
        to.expect_equal(what);
    }
}

/// Adds the values of the first `valid` threads, and of lane 0 of their warps; `to[2]` counts
/// others that the operation meets.
template <int Threads>
__global__ void reduce_kernel(const int* from, long long* to, int valid) {
    constexpr long long kNone = LLONG_MIN;
    __shared__ block::reduce_storage<long long, Threads> shared;
    const auto add = [=](long long a, long long b) {
        if (a == kNone || b == kNone)
            atomicAdd(reinterpret_cast<unsigned long long*>(to + 2), 1ull);
        return a + b;
    };
    const int thread = threadIdx.x;
    const long long own = thread < valid ? from[thread] : kNone;
    const long long sum = block::reduce<Threads>(own, add, shared, thread, valid);
    __syncthreads();
    const long long sum_of_warps = block::reduce_warps<Threads>(thread % 32 == 0 ? own : kNone, add,
                                                                shared, thread, (valid + 31) / 32);
    if (thread == 0) {
        to[0] = sum;
        to[1] = sum_of_warps;
    }
}

template <int Threads>
__global__ void reduce_to_warp_kernel(const float* from, float* to) {
    __shared__ block::reduce_to_warp_storage<float, Threads> shared;
    const float sum = block::reduce_to_warp<Threads>(
        from[threadIdx.x], [](float a, float b) { return a + b; }, shared, threadIdx.x);
    if (threadIdx.x < 32) to[threadIdx.x] = sum;
}

/// Every lane of the first warp has the sum, rounded alike: the threads' values are summed at
/// distances of 16, 8, 4, 2 and 1 within warps, then the warps' from half their number on.
template <int Threads>
void reductions_to_warp() {
    GuardedBuffer from(Threads * 4, 0, 5), to(128, 0, 6);
    std::vector<float> values(Threads);
    for (int i = 0; i < Threads; ++i)
        values[i] = static_cast<float>(test::mix(i) % 1000003) / 1000003.0f - 0.25f;
    test::require(cudaMemcpy(from.as<float>(), values.data(), Threads * 4, cudaMemcpyHostToDevice),
                  "upload");
    reduce_to_warp_kernel<Threads><<<1, Threads>>>(from.as<const float>(), to.as<float>());
    const auto halve = [&](int first, int count, int apart) {
        for (int half = count / 2; half >= 1; half /= 2)
            for (int i = 0; i < half; ++i)
                values[first + i * apart] += values[first + (i + half) * apart];
    };
    for (int warp = 0; warp < Threads / 32; ++warp) halve(warp * 32, 32, 1);
    halve(0, Threads / 32, 32);
    for (int lane = 0; lane < 32; ++lane) std::memcpy(to.expected() + lane * 4, &values[0], 4);
    to.expect_equal("reduction of " + std::to_string(Threads) + " threads to a warp");
}

template <int Threads, class T, class Operation>
__global__ void combine_kernel(const T* from, T* to) {
    __shared__ block::reduce_to_warp_storage<T, Threads> shared;
    const T all =
        block::reduce_to_warp<Threads>(from[threadIdx.x], Operation{}, shared, threadIdx.x);
    if (threadIdx.x < 32) to[threadIdx.x] = all;
}

/// The same of small whole numbers, whose sums are exact.
template <int Threads, class T, class Operation>
void combinations() {
    GuardedBuffer from(Threads * sizeof(T), 0, 5), to(32 * sizeof(T), 0, 6);
    std::vector<T> values(Threads);
    for (int i = 0; i < Threads; ++i) values[i] = static_cast<T>(test::mix(i) % 1000) - T(500);
    test::require(
        cudaMemcpy(from.as<T>(), values.data(), Threads * sizeof(T), cudaMemcpyHostToDevice),
        "upload");
    combine_kernel<Threads, T, Operation><<<1, Threads>>>(from.as<const T>(), to.as<T>());
    T all = values[0];
    for (int i = 1; i < Threads; ++i) all = Operation{}(all, values[i]);
    for (int lane = 0; lane < 32; ++lane)
        std::memcpy(to.expected() + lane * sizeof(T), &all, sizeof(T));
    to.expect_equal("combination of " + std::to_string(Threads) + " threads' " +
                    std::to_string(sizeof(T)) + " bytes for a warp");
}

template <int Threads, class T>
void combinations() {
    combinations<Threads, T, wideload::plus>();
    combinations<Threads, T, wideload::minimum>();
    combinations<Threads, T, wideload::maximum>();
    if constexpr (std::is_integral_v<T>) {
        combinations<Threads, T, wideload::bit_and>();
        combinations<Threads, T, wideload::bit_or>();
        combinations<Threads, T, wideload::bit_xor>();
        combinations<Threads, T, cuda::std::plus<>>();
        combinations<Threads, T, cuda::minimum<T>>();
    }
}

template <int Threads>
void combinations() {
    combinations<Threads, int>();
    combinations<Threads, long long>();
    combinations<Threads, float>();
    combinations<Threads, double>();
}

template <int Threads>
void reductions() {
    for (int valid : {1, 2, 9, 31, 32, 33, Threads - 1, Threads}) {
        if (valid < 1 || valid > Threads) continue;
        GuardedBuffer from(Threads * 4, 0, 5), to(24, 0, 6);
        test::require(cudaMemset(to.as<char>() + 16, 0, 8), "count of others");
        reduce_kernel<Threads><<<1, Threads>>>(from.as<const int>(), to.as<long long>(), valid);
        const auto* values = reinterpret_cast<const int*>(from.expected());
        long long sums_and_others[3] = {};
        for (int i = 0; i < valid; ++i) sums_and_others[0] += values[i];
        for (int i = 0; i < valid; i += 32) sums_and_others[1] += values[i];
        std::memcpy(to.expected(), sums_and_others, 24);
        to.expect_equal("block reduction of " + std::to_string(valid) + " of " +
                        std::to_string(Threads));
    }
}

bool has_bulk_copies() {
    int major = 0;
    test::require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0),
                  "cudaDeviceGetAttribute");
    return major >= 9;
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    tile<block::padded_tile<float, 32, 32>, float>("padded tile of 4 bytes");
    tile<block::padded_tile<double, 32, 32>, double>("padded tile of 8 bytes");
    tile<block::padded_tile<uint4, 32, 32>, uint4>("padded tile of 16 bytes");
    tile<block::xor_tile<float, 32, 32>, float>("xor tile of 4 bytes");
    tile<block::xor_tile<double, 32, 32>, double>("xor tile of 8 bytes");
    tile<block::xor_tile<uint4, 32, 32>, uint4>("xor tile of 16 bytes");
    pipeline<256, 2, 64, block::by_thread>("by_thread");
    pipeline<1024, 3, 64, block::by_thread>("by_thread");
    pipeline<4096, 4, 128, block::by_thread>("by_thread");
    reductions<32>();
    reductions<64>();
    reductions<96>();
    reductions<256>();
    reductions<352>();
    reductions<1024>();
    reductions_to_warp<32>();
    reductions_to_warp<64>();
    reductions_to_warp<512>();
    reductions_to_warp<1024>();
    combinations<32>();
    combinations<64>();
    combinations<128>();
    combinations<1024>();
    if (has_bulk_copies()) {
        pipeline<256, 2, 64, block::by_bulk>("by_bulk");
        pipeline<1024, 3, 64, block::by_bulk>("by_bulk");
        pipeline<4096, 4, 128, block::by_bulk>("by_bulk");
    }
    return test::finish("block_test");
}
