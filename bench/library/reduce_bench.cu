// SPDX-License-Identifier: Apache-2.0
// `reduce` against cub::DeviceReduce, both with scratch memory that is allocated once: sums, least
// values, products and an operation of which nothing but that it commutes is known; and `reduce` of
// operations that need not commute.
#include <wideload/device/reduce.cuh>

#include <cub/device/device_reduce.cuh>

#include <cuda/functional>

#include <cuda_fp16.h>

#include "reduce_target.cuh"

namespace {

bench::Pool* pool;

/// Whether two results are the same, up to rounding.
template <class Result>
bool alike(const Result& a, const Result& b) {
    if constexpr (std::is_floating_point_v<Result>) {
        return std::abs(a - b) <= 1e-4 * std::abs(b);
    } else {
        return a == b;
    }
}

/// `Peer` is CUB's operation in place of `Operation`; `initial` the value that changes no other.
template <class T, class Result, class Operation = wideload::plus,
          class Peer = cuda::std::plus<Result>>
void measure(bench::Bench& bench, const char* type, std::size_t count, Result initial = Result(0)) {
    const std::size_t bytes = count * sizeof(T);
    const std::string parameters = std::string("type=") + type + ";count=" + std::to_string(count);
    const bench::Target<Result> target(bench);
    Result* const output = target.result();
    void* const scratch = target.scratch();
    const auto peer_sum = [=](void* temporary, std::size_t& temporary_bytes, const T* input,
                              cudaStream_t stream) {
        return cub::DeviceReduce::Reduce(temporary, temporary_bytes, input, output, count, Peer{},
                                         initial, stream);
    };
    std::size_t temporary_bytes = 0;  // without memory, CUB says how much it wants
    BENCH_REQUIRE(peer_sum(nullptr, temporary_bytes, pool->buffer<const T>(0, bytes), nullptr));
    const bench::Memory temporary(temporary_bytes);

    // Integers everywhere, so that both must agree to the last bit.
    Result sums[2] = {};
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(pool->buffer<const T>(rotation, bytes), count, output,
                                       Operation{}, initial, scratch,
                                       bench::Target<Result>::kScratchBytes, stream));
    };
    const auto peer = [&](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(peer_sum(temporary.get(), temporary_bytes,
                               pool->buffer<const T>(rotation, bytes), stream));
    };
    ours(0, bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    BENCH_REQUIRE(cudaMemcpy(&sums[0], output, sizeof(Result), cudaMemcpyDeviceToHost));
    peer(0, bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    BENCH_REQUIRE(cudaMemcpy(&sums[1], output, sizeof(Result), cudaMemcpyDeviceToHost));
    const bool ok = alike(sums[0], sums[1]);
    const auto atomic = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce_atomic(pool->buffer<const T>(rotation, bytes), count, output,
                                              Operation{}, stream));
    };
    BENCH_REQUIRE(cudaMemcpy(output, &initial, sizeof(Result), cudaMemcpyHostToDevice));
    atomic(0, bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    BENCH_REQUIRE(cudaMemcpy(&sums[0], output, sizeof(Result), cudaMemcpyDeviceToHost));
    const bool atomic_ok = alike(sums[0], sums[1]);
    bench.compare(
        "reduce", parameters, bytes,
        {{"wideload", ours, ok}, {"cub", peer, ok}, {"wideload;atomic", atomic, atomic_ok}});
    // Launched one by one, as most programs do, a call costs what its launches cost.
    bench.compare("reduce", "launched;" + parameters, bytes,
                  {{"wideload", ours, ok, true}, {"cub", peer, ok, true}});
}

/// Operations whose results are exact, so that both must agree to the last bit: `reduce` alone, as
/// graph nodes. `name` tells which is whose.
template <class T, class Operation, class Peer>
void measure_exact(bench::Bench& bench, const char* name, const char* type, std::size_t count,
                   Operation operation, Peer peer_operation, T initial) {
    const std::size_t bytes = count * sizeof(T);
    const std::string parameters = std::string("type=") + type + ";count=" + std::to_string(count);
    const bench::Target<T> target(bench);
    T* const output = target.result();
    void* const scratch = target.scratch();
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(pool->buffer<const T>(rotation, bytes), count, output,
                                       operation, initial, scratch, bench::Target<T>::kScratchBytes,
                                       stream));
    };
    T* const peer_output = target.peer_result();
    const auto peer_reduce = [=](void* temporary, std::size_t& temporary_bytes, int rotation,
                                 cudaStream_t stream) {
        return cub::DeviceReduce::Reduce(temporary, temporary_bytes,
                                         pool->buffer<const T>(rotation, bytes), peer_output, count,
                                         peer_operation, initial, stream);
    };
    std::size_t temporary_bytes = 0;
    BENCH_REQUIRE(peer_reduce(nullptr, temporary_bytes, 0, nullptr));
    const bench::Memory temporary(temporary_bytes);
    const auto peer = [&](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(peer_reduce(temporary.get(), temporary_bytes, rotation, stream));
    };
    bench.poison(output, 2 * sizeof(T));
    ours(0, bench.stream());
    peer(0, bench.stream());
    BENCH_REQUIRE(cudaStreamSynchronize(bench.stream()));
    unsigned char results[2][sizeof(T)];
    BENCH_REQUIRE(cudaMemcpy(results, output, sizeof(results), cudaMemcpyDeviceToHost));
    const bool ok = std::memcmp(results[0], results[1], sizeof(T)) == 0;
    bench.compare("reduce", parameters, bytes, {{name, ours, ok}, {"cub", peer, ok}});
}

/// What a user might write: the library knows of neither that it commutes.
struct Greater {
    template <class T>
    __host__ __device__ T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};
struct GreaterEach {
    __host__ __device__ float2 operator()(const float2& a, const float2& b) const {
        return {a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y};
    }
};

/// Of random bits.
void measure_integer_operations(bench::Bench& bench, std::size_t count) {
    measure_exact<unsigned>(bench, "wideload", "u32;product", count, wideload::multiplies{},
                            cuda::std::multiplies<>{}, 1u);
    measure_exact<unsigned>(bench, "wideload", "u32;xor", count, cuda::std::bit_xor<>{},
                            cuda::std::bit_xor<>{}, 0u);
    measure_exact<std::uint8_t>(bench, "wideload", "u8;greatest", count, wideload::maximum{},
                                cuda::maximum<>{}, std::uint8_t{0});
    measure_exact<long long>(bench, "wideload", "i64;greatest", count, wideload::maximum{},
                             cuda::maximum<>{}, -(1ll << 62));
    measure_exact<unsigned long long>(bench, "wideload", "u64;or", count, cuda::std::bit_or<>{},
                                      cuda::std::bit_or<>{}, 0ull);
}

/// Of floats.
void measure_float_operations(bench::Bench& bench, std::size_t count) {
    const auto greater = wideload::commutative(Greater{});
    measure_exact<float>(bench, "wideload", "f32;own", count, greater, Greater{}, -1.0f);
    measure_exact<float>(bench, "wideload_in_order", "f32;own;in_order", count, Greater{},
                         Greater{}, -1.0f);
    measure_exact<float2>(bench, "wideload", "2xf32;own", count,
                          wideload::commutative(GreaterEach{}), GreaterEach{}, float2{-1, -1});
    measure_exact<float2>(bench, "wideload_in_order", "2xf32;own;in_order", count, GreaterEach{},
                          GreaterEach{}, float2{-1, -1});
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
    const bench::Target<T> target(bench);
    T* const output = target.result();
    void* const scratch = target.scratch();
    const auto ours = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::reduce(pool->buffer<const T>(rotation, bytes), count, output,
                                       operation, initial, scratch, bench::Target<T>::kScratchBytes,
                                       stream));
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
    bench.compare("reduce", parameters, bytes, {{"wideload_in_order", ours, ok}});
    bench.compare("reduce", "launched;" + parameters, bytes,
                  {{"wideload_in_order", ours, ok, true}});
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
        data[i] = static_cast<T>(static_cast<float>(bench::mix(i) % 65536) / 65536);
    }
}

/// The sizes of a type's measurements: powers of two of elements.
struct Powers {
    std::vector<int> i32, u8, i16, i64, affine, f32, least, f64, others;
};

template <class T>
void make_floats() {
    to_floats<<<1056, 256, 0, bench::stream()>>>(pool->buffer<T>(0, pool->size()),
                                                 pool->size() / sizeof(T));
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
    for (int power : powers.others) measure_integer_operations(bench, kOne << power);
    make_floats<float>();
    for (int power : powers.f32) {
        measure<float, float>(bench, "f32", kOne << power);
        measure_sum_in_order(bench, kOne << power);
    }
    for (int power : powers.least) {
        measure<float, float, wideload::minimum, cuda::minimum<float>>(bench, "f32;least",
                                                                       kOne << power, 1e30f);
    }
    for (int power : powers.others) measure_float_operations(bench, kOne << power);
    make_floats<__half>();
    for (int power : powers.others) {
        measure_exact<__half>(bench, "wideload", "f16;greatest", kOne << power, wideload::maximum{},
                              cuda::maximum<>{}, __half(-1.0f));
    }
    make_floats<double>();
    for (int power : powers.others) {
        measure_exact<double>(bench, "wideload", "f64;greatest", kOne << power, wideload::maximum{},
                              cuda::maximum<>{}, -1.0);
    }
    for (int power : powers.f64) measure<double, double>(bench, "f64", kOne << power);
}

/// Counts that are no whole tiles, and not the same for all blocks.
void measure_uneven(bench::Bench& bench) {
    constexpr std::size_t kCounts[] = {416127, 832255, 1664511, 26632171};
    pool->randomise();
    for (const std::size_t count : kCounts) measure_integer_operations(bench, count);
    make_floats<float>();
    for (const std::size_t count : kCounts) measure_float_operations(bench, count);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    pool = new bench::Pool(std::size_t{8} << 30, 1);
    // Small ones first: after large ones they were seen to take an eighth longer.
    const Powers small{{10, 14, 16, 17, 18, 19, 20},
                       {},
                       {},
                       {15, 17, 19},
                       {16, 18, 20},
                       {16, 18, 20},
                       {16, 17, 18, 19, 20},
                       {15, 17, 19, 20},
                       {16, 18, 19, 20}};
    const Powers large{{22, 24, 26, 28, 30}, {30}, {29}, {27},    {24, 27},
                       {24, 26, 28, 30},     {28}, {27}, {24, 26}};
    measure_all(bench, small);
    measure_uneven(bench);
    measure_all(bench, large);
}
