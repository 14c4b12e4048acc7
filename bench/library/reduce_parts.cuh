// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/reduce.cuh>

#include <cub/device/device_reduce.cuh>

#include "reduce_target.cuh"

namespace bench {

template <class Part, int Count>
struct Parts {
    Part part[Count];
};
struct GreatestParts {
    template <class Part, int Count>
    __host__ __device__ Parts<Part, Count> operator()(const Parts<Part, Count>& a,
                                                      const Parts<Part, Count>& b) const {
        Parts<Part, Count> greatest;
        for (int i = 0; i < Count; ++i)
            greatest.part[i] = a.part[i] < b.part[i] ? b.part[i] : a.part[i];
        return greatest;
    }
};

/// Those of random bits, `offset` bytes past a line, against a reduction of as many bytes of
/// integers, and CUB where the type allows their address.
template <class Part, int Count>
void measure_parts(Bench& bench, const Pool& pool, std::size_t all_bytes, std::size_t offset) {
    using T = Parts<Part, Count>;
    const std::size_t count = all_bytes / sizeof(T), bytes = count * sizeof(T);
    const Target<T> target(bench), copied(bench);
    const Target<int> integers(bench);
    const auto reduce_at = [=, &target](const T* input, T* output, auto operation,
                                        cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(input, count, output, operation, T{}, target.scratch(),
                                       Target<T>::kScratchBytes, stream));
    };
    const auto input = [=, &pool](int rotation) {
        return pool.buffer<const T>(rotation, bytes, offset);
    };
    const auto any = wideload::commutative(GreatestParts{});
    const auto ours = [=, &target](int rotation, cudaStream_t stream) {
        reduce_at(input(rotation), target.result(), any, stream);
    };
    const auto in_order = [=, &target](int rotation, cudaStream_t stream) {
        reduce_at(input(rotation), target.peer_result(), GreatestParts{}, stream);
    };
    const auto of_integers = [=, &pool, &integers](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(pool.buffer<const int>(rotation, bytes), bytes / 4,
                                       integers.result(), wideload::plus{}, 0, integers.scratch(),
                                       Target<int>::kScratchBytes, stream));
    };
    const auto cub_reduce = [=, &copied](void* temporary, std::size_t& temporary_bytes,
                                         const T* elements, cudaStream_t stream) {
        BENCH_REQUIRE(cub::DeviceReduce::Reduce(temporary, temporary_bytes, elements,
                                                copied.result(), count, GreatestParts{}, T{},
                                                stream));
    };
    std::size_t temporary_bytes = 0;
    cub_reduce(nullptr, temporary_bytes, input(0), nullptr);
    const Memory temporary(temporary_bytes), aligned(bytes);
    const auto cub = [&](int rotation, cudaStream_t stream) {
        cub_reduce(temporary.get(), temporary_bytes, input(rotation), stream);
    };
    BENCH_REQUIRE(
        cudaMemcpyAsync(aligned.get(), input(0), bytes, cudaMemcpyDeviceToDevice, stream()));
    bench.poison(target.result(), 2 * sizeof(T));
    ours(0, bench.stream());
    in_order(0, bench.stream());
    cub_reduce(temporary.get(), temporary_bytes, aligned.get<const T>(), bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    unsigned char got[2][sizeof(T)], want[sizeof(T)];
    BENCH_REQUIRE(cudaMemcpy(got, target.result(), sizeof(got), cudaMemcpyDeviceToHost));
    BENCH_REQUIRE(cudaMemcpy(want, copied.result(), sizeof(want), cudaMemcpyDeviceToHost));
    std::vector<Contender> contenders = {
        {"wideload", ours, std::memcmp(got[0], want, sizeof(T)) == 0},
        {"wideload_in_order", in_order, std::memcmp(got[1], want, sizeof(T)) == 0},
        {"reduce_of_as_much", of_integers}};
    if (offset % alignof(T) == 0) contenders.push_back({"cub", cub});
    bench.compare("reduce_structs",
                  "type=" + std::to_string(Count) + "_of_" + std::to_string(sizeof(Part)) +
                      ";from=" + std::to_string(offset) + ";bytes=" + std::to_string(all_bytes),
                  bytes, contenders);
}

/// A program that measures types by `measure(bench, pool, bytes)`, at sizes from 64 KiB to 512 MiB.
template <class Measure>
int measure_at_sizes(int argc, char** argv, const Measure& measure) {
    Bench bench(argc, argv);
    const Pool pool(std::size_t{2} << 30, 1);
    for (int power : {16, 20, 22, 24, 27, 29}) measure(bench, pool, std::size_t{1} << power);
    for (int power : {19, 20, 21}) measure(bench, pool, std::size_t{3} << power);
    return 0;
}

}  // namespace bench
