// SPDX-License-Identifier: Apache-2.0
// What kernels of one's own are made of: sums through `block::pipeline` against plain loads, and
// copies of structs by `warp::load_aos` against one struct a thread.
#include <wideload/block/pipeline.cuh>
#include <wideload/block/reduce.cuh>
#include <wideload/device/reduce.cuh>
#include <wideload/thread/operations.cuh>
#include <wideload/warp/aos.cuh>

#include "harness.cuh"

namespace {

constexpr int kThreads = 256;

bench::Pool* input_pool;
bench::Pool* output_pool;
int multiprocessors;

/// The bytes of [0, bytes) that a block of a grid reads: whole `piece`s, but for the last block's.
struct Share {
    std::size_t begin, bytes;
};
__device__ Share share_of(std::size_t bytes, std::size_t piece) {
    const std::size_t pieces = (bytes + piece - 1) / piece;
    const std::size_t first = pieces * blockIdx.x / gridDim.x * piece;
    const std::size_t end = pieces * (blockIdx.x + 1) / gridDim.x * piece;
    return {first, (end < bytes ? end : bytes) - first};
}

__device__ void add_word(unsigned& sum, const uint4& word) {
    sum += word.x + word.y + word.z + word.w;
}
__device__ void finish(unsigned sum, unsigned* output) {
    __shared__ wideload::block::reduce_storage<unsigned, kThreads> shared;
    sum = wideload::block::reduce<kThreads>(sum, wideload::plus{}, shared, threadIdx.x);
    if (threadIdx.x == 0) atomicAdd(output, sum);
}

/// Four words of 16 bytes a thread at a time.
__global__ void __launch_bounds__(kThreads)
    sum_plain(const char* data, std::size_t bytes, unsigned* output) {
    constexpr std::size_t kStep = kThreads * sizeof(uint4);
    const Share share = share_of(bytes, 4 * kStep);
    unsigned sum = 0;
    for (std::size_t at = threadIdx.x * sizeof(uint4); at < share.bytes; at += 4 * kStep) {
        uint4 words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            words[i] = *reinterpret_cast<const uint4*>(data + share.begin + at + i * kStep);
#pragma unroll
        for (int i = 0; i < 4; ++i) add_word(sum, words[i]);
    }
    finish(sum, output);
}

template <int PieceBytes, int Stages, class Way>
__global__ void __launch_bounds__(kThreads)
    sum_pipelined(const char* data, std::size_t bytes, unsigned* output) {
    using Pipeline = wideload::block::pipeline<PieceBytes, Stages, kThreads, Way>;
    extern __shared__ __align__(128) char memory[];
    Pipeline pipeline(*reinterpret_cast<typename Pipeline::storage*>(memory), threadIdx.x);
    const Share share = share_of(bytes, PieceBytes);
    pipeline.start(data + share.begin, share.bytes);
    unsigned sum = 0;
    while (const char* piece = pipeline.next()) {
        for (int at = threadIdx.x * static_cast<int>(sizeof(uint4)); at < pipeline.size();
             at += kThreads * static_cast<int>(sizeof(uint4)))
            add_word(sum, *reinterpret_cast<const uint4*>(piece + at));
        pipeline.release();
    }
    finish(sum, output);
}

/// A kernel that adds the words of `bytes` bytes to one of the output.
template <class Kernel>
bench::Contender sum_by(bench::Bench& bench, const std::string& name, std::size_t bytes,
                        Kernel kernel, std::size_t shared) {
    BENCH_REQUIRE(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shared)));
    int resident = 0;
    BENCH_REQUIRE(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kThreads, shared));
    const unsigned blocks = static_cast<unsigned>(multiprocessors * resident);
    unsigned* sums = output_pool->buffer<unsigned>(0, 8);
    const auto launch = [=](int rotation, cudaStream_t stream) {
        kernel<<<blocks, kThreads, shared, stream>>>(
            input_pool->buffer<const char>(rotation, bytes), bytes, sums);
    };
    BENCH_REQUIRE(cudaMemsetAsync(sums, 0, 8, bench.stream()));
    launch(0, bench.stream());
    BENCH_REQUIRE(wideload::reduce(input_pool->buffer<const unsigned>(0, bytes), bytes / 4,
                                   sums + 1, wideload::plus{}, 0u, bench.stream()));
    unsigned got[2];
    BENCH_REQUIRE(cudaMemcpyAsync(got, sums, 8, cudaMemcpyDeviceToHost, bench.stream()));
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    return {name, launch, got[0] == got[1]};
}

template <int PieceBytes, int Stages, class Way>
bench::Contender pipeline(bench::Bench& bench, const std::string& way, std::size_t bytes) {
    using Pipeline = wideload::block::pipeline<PieceBytes, Stages, kThreads, Way>;
    return sum_by(bench,
                  "wideload;" + way + ";" + std::to_string(Stages) + "x" +
                      std::to_string(PieceBytes >> 10) + "KiB",
                  bytes, sum_pipelined<PieceBytes, Stages, Way>,
                  sizeof(typename Pipeline::storage));
}

void sums(bench::Bench& bench, std::size_t bytes) {
    using namespace wideload::block;
    bench.compare("pipeline", bench::bytes_name(bytes), bytes,
                  {sum_by(bench, "plain_loads", bytes, sum_plain, 0),
                   pipeline<4096, 2, by_thread>(bench, "by_thread", bytes),
                   pipeline<4096, 4, by_thread>(bench, "by_thread", bytes),
                   pipeline<16384, 2, by_thread>(bench, "by_thread", bytes),
                   pipeline<16384, 4, by_thread>(bench, "by_thread", bytes),
                   pipeline<4096, 2, by_bulk>(bench, "by_bulk", bytes),
                   pipeline<4096, 4, by_bulk>(bench, "by_bulk", bytes),
                   pipeline<16384, 2, by_bulk>(bench, "by_bulk", bytes),
                   pipeline<16384, 4, by_bulk>(bench, "by_bulk", bytes)});
}

template <int Words>
struct Struct {
    float words[Words];
};

template <class T>
__global__ void __launch_bounds__(kThreads) copy_each(const T* input, T* output) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    output[i] = input[i];
}

/// The structs of a lane: as few as fill whole words of 16 bytes.
template <class T>
constexpr std::size_t kPerLane = 16 / wideload::greatest_common_divisor<std::size_t>(sizeof(T), 16);

/// A warp's structs as whole words, turned into structs a lane and back.
template <class T>
__global__ void __launch_bounds__(kThreads) copy_by_warps(const T* input, T* output) {
    const int lane = threadIdx.x % 32;
    const std::size_t first =
        (std::size_t{blockIdx.x} * kThreads + threadIdx.x - lane) * kPerLane<T>;
    const auto own = wideload::warp::load_aos(wideload::assume_aligned<16>(input + first), lane);
    wideload::warp::store_aos(wideload::assume_aligned<16>(output + first), own, lane);
}

template <class T, class Kernel>
bench::Contender structs_by(bench::Bench& bench, const char* name, std::size_t count, Kernel kernel,
                            std::size_t per_thread) {
    const std::size_t bytes = count * sizeof(T);
    const unsigned blocks = static_cast<unsigned>(count / (kThreads * per_thread));
    const auto launch = [=](int rotation, cudaStream_t stream) {
        kernel<<<blocks, kThreads, 0, stream>>>(input_pool->buffer<const T>(rotation, bytes),
                                                output_pool->buffer<T>(rotation, bytes));
    };
    const auto* from = input_pool->buffer<const unsigned>(0, bytes);
    const auto* to = output_pool->buffer<unsigned>(0, bytes);
    bench.poison(output_pool->buffer<char>(0, bytes), bytes);
    launch(0, bench.stream());
    const bool ok =
        bench::check(bytes / 4, [=] __device__(std::size_t i) { return from[i] == to[i]; });
    return {name, launch, ok};
}

template <int Words>
void structs(bench::Bench& bench, std::size_t count) {
    using T = Struct<Words>;
    bench.compare("aos",
                  "bytes_each=" + std::to_string(sizeof(T)) + ";count=" + std::to_string(count),
                  2 * count * sizeof(T),
                  {structs_by<T>(bench, "wideload", count, copy_by_warps<T>, kPerLane<T>),
                   structs_by<T>(bench, "struct_a_thread", count, copy_each<T>, 1)});
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    BENCH_REQUIRE(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    input_pool = new bench::Pool(std::size_t{4} << 30, 1);
    output_pool = new bench::Pool(std::size_t{4} << 30, 2);
    sums(bench, std::size_t{64} << 20);
    sums(bench, std::size_t{1} << 30);
    structs<3>(bench, 1 << 26);
    structs<5>(bench, 1 << 25);
    structs<6>(bench, 1 << 25);
    structs<7>(bench, 1 << 25);
    structs<9>(bench, 1 << 25);
}
