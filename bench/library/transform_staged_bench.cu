// SPDX-License-Identifier: Apache-2.0
// `transform` of structs of 3 to 160 bytes that begin anywhere, of one input and two, against the
// copy of as many bytes: what `transform_is_staged` and `transform_staged_block` were measured by.
#include <wideload/device/transform.cuh>

#include "pool_launches.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;

/// Changes a byte by one of each input.
struct Mix {
    template <class T, class... Others>
    __host__ __device__ T operator()(T value, const Others&... others) const {
        value.bytes[sizeof(T) / 2] ^= static_cast<unsigned char>(0x5a);
        ((value.bytes[sizeof(T) / 2] ^= others.bytes[sizeof(T) / 3]), ...);
        return value;
    }
};

template <class T, int Inputs>
struct Mixed {
    const T* inputs[2];
    const T* output;
    __device__ bool operator()(std::size_t i) const {
        const T want =
            Inputs == 1 ? Mix{}(inputs[0][i]) : Mix{}(inputs[0][i], inputs[Inputs - 1][i]);
        for (int k = 0; k < static_cast<int>(sizeof(T)); ++k) {
            if (want.bytes[k] != output[i].bytes[k]) return false;
        }
        return true;
    }
};

/// Of inputs that begin `from` bytes past a line, a second one a byte further unless `from` is 0,
/// and an output that begins `to` bytes past one.
template <int Size, int Inputs>
void measure(bench::Bench& bench, std::size_t from, std::size_t to) {
    using T = bench::Element<Size>;
    for (const std::size_t kibibytes : {64, 256, 1024, 4096, 8192, 24576, 98304, 524288}) {
        const std::size_t count = kibibytes * 1024 / Size, bytes = count * Size;
        const auto input = [=](int rotation, int k) {
            return input_pool->buffer<const T>(rotation * Inputs + k, bytes,
                                               from == 0 ? 0 : from + k);
        };
        const auto launch = [=](int rotation, cudaStream_t stream) {
            T* const output = output_pool->buffer<T>(rotation, bytes, to);
            if constexpr (Inputs == 1) {
                BENCH_REQUIRE(
                    wideload::transform(input(rotation, 0), output, count, Mix{}, stream));
            } else {
                BENCH_REQUIRE(wideload::transform(input(rotation, 0), input(rotation, 1), output,
                                                  count, Mix{}, stream));
            }
        };
        T* const output = output_pool->buffer<T>(0, bytes, to);
        bench.poison(output, bytes);
        launch(0, bench.stream());
        const bool ok =
            bench::check(count, Mixed<T, Inputs>{{input(0, 0), input(0, Inputs - 1)}, output});
        const std::size_t moved = (Inputs + 1) * bytes;
        bench.compare(
            "transform_staged",
            "transform" + bench::of("size", Size) + bench::of("inputs", Inputs) +
                bench::of("from", from) + bench::of("to", to) + bench::of("count", count),
            moved,
            {{"wideload", launch, ok}, bench::copy_of(input_pool, output_pool, moved / 32 * 16)});
    }
}

template <int Inputs, int... Sizes>
void measure_all(bench::Bench& bench, std::size_t from, std::size_t to) {
    (measure<Sizes, Inputs>(bench, from, to), ...);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{3} << 30, 1);
    output_pool = new bench::Pool(std::size_t{3} << 30, 2);
    for (const auto& [from, to] : {std::pair<int, int>{0, 0}, {0, 4}, {3, 0}, {1, 3}}) {
        measure_all<1, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25,
                    27, 28, 31, 32>(bench, from, to);
        measure_all<1, 33, 34, 36, 37, 40, 41, 46, 47, 48, 52, 53, 56, 60, 61, 64, 72, 80, 96, 100,
                    112, 128, 144, 160>(bench, from, to);
    }
    for (const auto& [from, to] : {std::pair<int, int>{0, 0}, {1, 3}}) {
        measure_all<2, 3, 5, 7, 9, 10, 12, 13, 14, 16, 17, 20, 23, 24, 28, 32, 36, 37, 40, 47, 48,
                    56, 61, 64>(bench, from, to);
    }
}
