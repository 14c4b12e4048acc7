// SPDX-License-Identifier: Apache-2.0
// `strided_copy` against the bound of the sectors (up to stride 8) and 64-byte lines (beyond) that
// it must move, also where L2 fetches single sectors, and `gather` and `scatter` with random and
// with sorted indices against Thrust's.
#include <wideload/device/fetch_granularity.cuh>
#include <wideload/device/gather.cuh>
#include <wideload/device/strided_copy.cuh>

#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>

#include "harness.cuh"

namespace {

bench::Pool* source_pool;
bench::Pool* destination_pool;

/// Bytes that a strided read of floats must move: whole sectors, whole 64-byte lines where elements
/// are further apart.
std::size_t strided_bytes(std::size_t count, std::size_t stride) {
    const std::size_t span = count * stride * 4;
    return count * 4 + (stride <= 16 ? span : count * 64);
}

/// `suffix` says what else holds for all of them.
void strides(bench::Bench& bench, const std::string& suffix) {
    const std::size_t count = std::size_t{1} << 25;
    for (std::size_t stride = 1; stride <= 32; stride += stride < 10 ? 1 : stride < 16 ? 2 : 4) {
        const std::size_t span = count * stride * 4;
        const float* source = source_pool->buffer<const float>(0, span);
        float* destination = destination_pool->buffer<float>(0, count * 4);
        const auto run = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(wideload::strided_copy(
                source_pool->buffer<const float>(rotation, span), stride,
                destination_pool->buffer<float>(rotation, count * 4), 1, count, stream));
        };
        bench.poison(destination, count * 4);
        run(0, bench.stream());
        const auto* a = reinterpret_cast<const unsigned*>(source);
        const auto* b = reinterpret_cast<const unsigned*>(destination);
        const bool ok =
            bench::check(count, [=] __device__(std::size_t i) { return a[i * stride] == b[i]; });
        const std::size_t bytes = strided_bytes(count, stride);
        const std::string parameters = "stride=" + std::to_string(stride) + suffix;
        // The bound: a copy of as many bytes, counted in both directions.
        const std::size_t half = bytes / 2 / 16 * 16;
        bench.compare("strided", parameters, bytes,
                      {{"wideload", run, ok}, bench::copy_of(source_pool, destination_pool, half)});
    }
}

template <int Count>
struct Floats {
    float values[Count];
};

/// Bit by bit.
template <class T>
__device__ bool same(const T& a, const T& b) {
    std::uint32_t words[2][sizeof(T) / 4];
    memcpy(words[0], &a, sizeof(T));
    memcpy(words[1], &b, sizeof(T));
    for (int i = 0; i < static_cast<int>(sizeof(T) / 4); ++i) {
        if (words[0][i] != words[1][i]) return false;
    }
    return true;
}

/// @param type  what the parameters say of `T`; nothing for floats
template <class T>
void indices(bench::Bench& bench, bool random, std::size_t count, const std::string& type = "") {
    const bench::Memory indices(count * 4);
    unsigned* const index = indices.get<unsigned>();
    bench::check(count, [=] __device__(std::size_t i) {
        index[i] = random ? bench::permuted(static_cast<unsigned>(i), static_cast<unsigned>(count))
                          : static_cast<unsigned>(i);
        return true;
    });
    const std::string parameters =
        type + (random ? "random;count=" : "in_order;count=") + std::to_string(count);
    const std::size_t bytes = count * (2 * sizeof(T) + 4);
    const T* source = source_pool->buffer<const T>(0, count * sizeof(T));
    T* destination = destination_pool->buffer<T>(0, count * sizeof(T));
    const auto launch = [=](const auto& move) {
        return [=](int rotation, cudaStream_t stream) {
            move(source_pool->buffer<const T>(rotation, count * sizeof(T)),
                 destination_pool->buffer<T>(rotation, count * sizeof(T)), stream);
        };
    };
    const auto gather = [=](const T* from, T* to, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::gather(from, index, to, count, stream));
    };
    const auto thrust_gather = [=](const T* from, T* to, cudaStream_t stream) {
        thrust::gather(thrust::cuda::par_nosync.on(stream), index, index + count, from, to);
    };
    const auto scatter = [=](const T* from, T* to, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::scatter(from, index, to, count, stream));
    };
    const auto thrust_scatter = [=](const T* from, T* to, cudaStream_t stream) {
        thrust::scatter(thrust::cuda::par_nosync.on(stream), from, from + count, index, to);
    };
    gather(source, destination, bench.stream());
    bool ok = bench::check(
        count, [=] __device__(std::size_t i) { return same(source[index[i]], destination[i]); });
    bench.compare("gather", parameters, bytes,
                  {{"wideload", launch(gather), ok}, {"thrust", launch(thrust_gather)}});
    scatter(source, destination, bench.stream());
    ok = bench::check(
        count, [=] __device__(std::size_t i) { return same(source[i], destination[index[i]]); });
    bench.compare("scatter", parameters, bytes,
                  {{"wideload", launch(scatter), ok}, {"thrust", launch(thrust_scatter)}});
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    source_pool = new bench::Pool(std::size_t{9} << 30, 1);
    destination_pool = new bench::Pool(std::size_t{9} << 30, 2);
    strides(bench, "");
    {
        const wideload::fetch_granularity sectors(wideload::kSectorBytes);
        BENCH_REQUIRE(sectors.status());
        strides(bench, ";fetch=32");
        BENCH_REQUIRE(cudaDeviceSynchronize());
    }
    for (const bool random : {false, true}) {
        for (int log2 = 16; log2 <= 26; log2 += 2)
            indices<float>(bench, random, std::size_t{1} << log2);
        for (int log2 : {16, 24}) {
            const std::size_t count = std::size_t{1} << log2;
            indices<Floats<3>>(bench, random, count, "type=struct12;");
            indices<Floats<4>>(bench, random, count, "type=struct16;");
            indices<Floats<11>>(bench, random, count, "type=struct44;");
        }
    }
}
