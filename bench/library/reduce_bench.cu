// SPDX-License-Identifier: Apache-2.0
// `reduce` against cub::DeviceReduce, both with scratch memory that is allocated once: sums and
// least values; and `reduce` of operations that need not commute.
#include <wideload/device/reduce.cuh>

#include <cub/device/device_reduce.cuh>

#include "harness.cuh"

namespace {

bench::Pool* pool;

/// `Peer` is CUB's operation in place of `Operation`; `initial` the value that changes no other.
template <class T, class Result, class Operation = wideload::plus,
          class Peer = cuda::std::plus<Result>>
void measure(bench::Bench& bench, const char* type, std::size_t count, Result initial = Result(0)) {
    const std::size_t bytes = count * sizeof(T);
    const std::string parameters = std::string("type=") + type + ";count=" + std::to_string(count);
    Result* output = nullptr;
    void *scratch = nullptr, *temporary = nullptr;
    std::size_t temporary_bytes = 0;
    const std::size_t scratch_bytes = wideload::reduce_scratch_bytes<Result>();
    BENCH_REQUIRE(cudaMalloc(&output, sizeof(Result)));
    BENCH_REQUIRE(cudaMalloc(&scratch, scratch_bytes));
    BENCH_REQUIRE(cudaMemsetAsync(scratch, 0, scratch_bytes, bench.stream()));
    const auto peer_sum = [&](const T* input, cudaStream_t stream) {
        return cub::DeviceReduce::Reduce(temporary, temporary_bytes, input, output, count, Peer{},
                                         initial, stream);
    };
    BENCH_REQUIRE(peer_sum(pool->buffer<const T>(0, bytes), nullptr));
    BENCH_REQUIRE(cudaMalloc(&temporary, temporary_bytes));

    // Integers everywhere, so that both must agree to the last bit.
    Result sums[2] = {};
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(pool->buffer<const T>(rotation, bytes), count, output,
                                       Operation{}, initial, scratch, scratch_bytes, stream));
    };
    const auto peer = [&](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(peer_sum(pool->buffer<const T>(rotation, bytes), stream));
    };
    ours(0, bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    BENCH_REQUIRE(cudaMemcpy(&sums[0], output, sizeof(Result), cudaMemcpyDeviceToHost));
    peer(0, bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    BENCH_REQUIRE(cudaMemcpy(&sums[1], output, sizeof(Result), cudaMemcpyDeviceToHost));
    bool ok = sums[0] == sums[1];
    if (std::is_floating_point_v<Result>)
        ok = std::abs(sums[0] - sums[1]) <= 1e-4 * std::abs(sums[1]);
    bench.row("reduce", "wideload", parameters, bytes, bench.time(bytes, ours), ok);
    bench.row("reduce", "cub", parameters, bytes, bench.time(bytes, peer), ok);
    const auto atomic = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce_atomic(pool->buffer<const T>(rotation, bytes), count, output,
                                              Operation{}, stream));
    };
    BENCH_REQUIRE(cudaMemcpy(output, &initial, sizeof(Result), cudaMemcpyHostToDevice));
    atomic(0, bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    BENCH_REQUIRE(cudaMemcpy(&sums[0], output, sizeof(Result), cudaMemcpyDeviceToHost));
    bool atomic_ok = sums[0] == sums[1];
    if (std::is_floating_point_v<Result>)
        atomic_ok = std::abs(sums[0] - sums[1]) <= 1e-4 * std::abs(sums[1]);
    bench.row("reduce", "wideload;atomic", parameters, bytes, bench.time(bytes, atomic), atomic_ok);
    // Launched one by one, as most programs do, a call costs what its launches cost.
    bench.row("reduce", "wideload", "launched;" + parameters, bytes, bench.time(bytes, ours, true),
              ok);
    bench.row("reduce", "cub", "launched;" + parameters, bytes, bench.time(bytes, peer, true), ok);
    BENCH_REQUIRE(cudaFree(output));
    BENCH_REQUIRE(cudaFree(scratch));
    BENCH_REQUIRE(cudaFree(temporary));
}

/// A sum of which the library does not know that it commutes.
struct SumInOrder {
    __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

/// x → a x + b; the one behind the other does not commute. With even and odd numbers alike all
/// products would end as 0.
struct Affine {
    unsigned a, b;
};
struct Compose {
    __host__ __device__ Affine operator()(const Affine& first, const Affine& then) const {
        return {(first.a | 1) * (then.a | 1), first.b * (then.a | 1) + then.b};
    }
};

/// Reductions that keep the order of elements, beside which the rows of `measure` for as many bytes
/// are to be seen. `check(input, got)` tells whether the result is right.
template <class T, class Operation, class Check>
void measure_in_order(bench::Bench& bench, const char* type, std::size_t count, Operation operation,
                      T initial, Check check) {
    const std::size_t bytes = count * sizeof(T);
    const std::string parameters = std::string("type=") + type + ";count=" + std::to_string(count);
    T* output = nullptr;
    void* scratch = nullptr;
    constexpr std::size_t kScratchBytes = wideload::reduce_scratch_bytes<T>();
    BENCH_REQUIRE(cudaMalloc(&output, sizeof(T)));
    BENCH_REQUIRE(cudaMalloc(&scratch, kScratchBytes));
    BENCH_REQUIRE(cudaMemsetAsync(scratch, 0, kScratchBytes, bench.stream()));
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(pool->buffer<const T>(rotation, bytes), count, output,
                                       operation, initial, scratch, kScratchBytes, stream));
    };
    bench.poison(output, sizeof(T));
    ours(0, bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    std::vector<T> input(count);
    T got{};
    BENCH_REQUIRE(
        cudaMemcpy(input.data(), pool->buffer<const T>(0, bytes), bytes, cudaMemcpyDeviceToHost));
    BENCH_REQUIRE(cudaMemcpy(&got, output, sizeof(T), cudaMemcpyDeviceToHost));
    const bool ok = check(input, got);
    bench.row("reduce", "wideload_in_order", parameters, bytes, bench.time(bytes, ours), ok);
    bench.row("reduce", "wideload_in_order", "launched;" + parameters, bytes,
              bench.time(bytes, ours, true), ok);
    BENCH_REQUIRE(cudaFree(output));
    BENCH_REQUIRE(cudaFree(scratch));
}

void measure_affine(bench::Bench& bench, std::size_t count) {
    measure_in_order(bench, "affine", count, Compose{}, Affine{1, 0},
                     [](const std::vector<Affine>& input, const Affine& got) {
                         Affine want{1, 0};
                         for (const Affine& map : input) want = Compose{}(want, map);
                         return got.a == want.a && got.b == want.b;
                     });
}

void measure_sum_in_order(bench::Bench& bench, std::size_t count) {
    measure_in_order(bench, "f32", count, SumInOrder{}, 0.0f,
                     [](const std::vector<float>& input, float got) {
                         double want = 0;
                         for (const float value : input) want += value;
                         return std::abs(got - want) <= 1e-4 * want;
                     });
}

template <class T>
__global__ void to_floats(T* data, std::size_t count) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        data[i] = static_cast<T>(bench::mix(i) % 65536) / 65536;
    }
}

/// The sizes of a type's measurements: powers of two of elements.
struct Powers {
    std::vector<int> i32, u8, i16, i64, affine, f32, least, f64;
};

template <class T>
void make_floats() {
    to_floats<<<1056, 256>>>(pool->buffer<T>(0, pool->size()), pool->size() / sizeof(T));
    BENCH_REQUIRE(cudaDeviceSynchronize());
}

void measure_all(bench::Bench& bench, const Powers& powers) {
    constexpr std::size_t kOne = 1;
    pool->randomise();
    for (int power : powers.i32) measure<int, int>(bench, "i32", kOne << power);
    for (int power : powers.u8) measure<std::uint8_t, int>(bench, "u8", kOne << power);
    for (int power : powers.i16) measure<std::int16_t, int>(bench, "i16", kOne << power);
    for (int power : powers.i64) measure<long long, long long>(bench, "i64", kOne << power);
    for (int power : powers.affine) measure_affine(bench, kOne << power);
    make_floats<float>();
    for (int power : powers.f32) {
        measure<float, float>(bench, "f32", kOne << power);
        measure_sum_in_order(bench, kOne << power);
    }
    for (int power : powers.least) {
        measure<float, float, wideload::minimum, cuda::minimum<float>>(bench, "f32;least",
                                                                       kOne << power, 1e30f);
    }
    make_floats<double>();
    for (int power : powers.f64) measure<double, double>(bench, "f64", kOne << power);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    pool = new bench::Pool(std::size_t{8} << 30, 1);
    // Small ones first: after large ones they were seen to take an eighth longer.
    const Powers small{
        {10, 14, 16, 17, 18, 19, 20}, {},          {}, {15, 17, 19}, {16, 18, 20}, {16, 18, 20},
        {16, 17, 18, 19, 20},         {15, 17, 19}};
    const Powers large{{22, 24, 26, 28, 30}, {30}, {29}, {27}, {24, 27},
                       {24, 26, 28, 30},     {28}, {27}};
    measure_all(bench, small);
    measure_all(bench, large);
}
