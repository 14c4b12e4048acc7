// SPDX-License-Identifier: Apache-2.0
// `copy` against cudaMemcpyAsync at every size, and at every misalignment against its own aligned
// speed and CUB's DeviceTransform of 1- and 2-byte elements.
#include <wideload/device/copy.cuh>

#include <cuda/std/functional>

#include <cub/device/device_transform.cuh>

#include "harness.cuh"

namespace {

bench::Pool* source_pool;
bench::Pool* destination_pool;

struct SameBytes {
    const unsigned char* a;
    const unsigned char* b;
    __device__ bool operator()(std::size_t i) const { return a[i] == b[i]; }
};

using Copy = void (*)(const unsigned char*, unsigned char*, std::size_t, cudaStream_t);

bench::Contender contender(bench::Bench& bench, const char* name, std::size_t bytes,
                           std::size_t source_offset, std::size_t destination_offset, Copy copy,
                           bool direct = false) {
    auto* source = source_pool->buffer<unsigned char>(0, bytes, source_offset);
    auto* destination = destination_pool->buffer<unsigned char>(0, bytes, destination_offset);
    bench.poison(destination, bytes);
    copy(source, destination, bytes, bench.stream());
    const bool ok = bench::check(bytes, SameBytes{source, destination});
    const auto launch = [=](int rotation, cudaStream_t stream) {
        copy(source_pool->buffer<unsigned char>(rotation, bytes, source_offset),
             destination_pool->buffer<unsigned char>(rotation, bytes, destination_offset), bytes,
             stream);
    };
    return {name, launch, ok, direct};
}

std::string parameters(std::size_t bytes, int from, int to) {
    return bench::bytes_name(bytes) + ";from=" + std::to_string(from) + ";to=" + std::to_string(to);
}

const auto wideload_copy = [](const unsigned char* from, unsigned char* to, std::size_t bytes,
                              cudaStream_t stream) {
    BENCH_REQUIRE(wideload::copy_bytes(from, to, bytes, stream));
};
const auto memcpy_async = [](const unsigned char* from, unsigned char* to, std::size_t bytes,
                             cudaStream_t stream) {
    BENCH_REQUIRE(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
};

/// By elements of T, unchanged.
template <class T>
void cub_copy(const unsigned char* from, unsigned char* to, std::size_t bytes,
              cudaStream_t stream) {
    BENCH_REQUIRE(cub::DeviceTransform::Transform(reinterpret_cast<const T*>(from),
                                                  reinterpret_cast<T*>(to), bytes / sizeof(T),
                                                  cuda::std::identity{}, stream));
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    source_pool = new bench::Pool((std::size_t{8} << 30) + 8192, 1);
    destination_pool = new bench::Pool((std::size_t{8} << 30) + 8192, 2);
    for (int shift = 12; shift <= 32; shift += shift < 26 ? 1 : 2) {
        const std::size_t bytes = std::size_t{1} << shift;
        bench.compare(
            "copy", parameters(bytes, 0, 0), 2 * bytes,
            {contender(bench, "wideload", bytes, 0, 0, wideload_copy),
             contender(bench, "cudaMemcpyAsync", bytes, 0, 0, memcpy_async),
             contender(bench, "cudaMemcpyAsync;direct", bytes, 0, 0, memcpy_async, true)});
    }
    for (std::size_t bytes : {std::size_t{1} << 20, std::size_t{64} << 20, std::size_t{1} << 30}) {
        for (auto [from, to] : {std::pair<int, int>{0, 1},
                                {1, 0},
                                {1, 1},
                                {2, 0},
                                {0, 2},
                                {4, 0},
                                {0, 4},
                                {8, 0},
                                {16, 0},
                                {3, 13},
                                {15, 2}}) {
            std::vector<bench::Contender> all = {
                contender(bench, "wideload", bytes, from, to, wideload_copy),
                contender(bench, "cudaMemcpyAsync", bytes, from, to, memcpy_async),
                contender(bench, "cub;1-byte", bytes, from, to, cub_copy<unsigned char>)};
            if (from % 2 == 0 && to % 2 == 0) {
                all.push_back(
                    contender(bench, "cub;2-byte", bytes, from, to, cub_copy<unsigned short>));
            }
            bench.compare("copy", parameters(bytes, from, to), 2 * bytes, all);
        }
    }
}
