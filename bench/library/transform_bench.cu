// SPDX-License-Identifier: Apache-2.0
// `transform` against CUB's DeviceTransform: element types from bytes to structs of 128 bytes,
// misaligned inputs and outputs, one to four inputs.
#include <wideload/device/transform.cuh>

#include <cub/device/device_transform.cuh>

#include "harness.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;

template <int Words, class Word = std::uint32_t>
struct Struct {
    Word words[Words];
};

/// Changes every byte of the element, so that neither side is a plain copy.
struct Change {
    template <class T>
    __host__ __device__ T operator()(T value) const {
        if constexpr (std::is_arithmetic_v<T>) {
            return static_cast<T>(value + T(3));
        } else {
            for (auto& word : value.words) word ^= 0x5a5a5a5au;
            return value;
        }
    }
};

template <class T>
struct Changed {
    const T* input;
    const T* output;
    __device__ bool operator()(std::size_t i) const {
        const T want = Change{}(input[i]);
        const auto* a = reinterpret_cast<const unsigned char*>(&want);
        const auto* b = reinterpret_cast<const unsigned char*>(output + i);
        for (int k = 0; k < static_cast<int>(sizeof(T)); ++k) {
            if (a[k] != b[k]) return false;
        }
        return true;
    }
};

/// Of an input and an output that begin so many bytes behind a line.
template <class T, class Run>
bench::Contender contender(bench::Bench& bench, const char* name, std::size_t bytes,
                           std::size_t from, std::size_t to, Run run) {
    const std::size_t count = bytes / sizeof(T);
    const T* input = input_pool->buffer<const T>(0, bytes, from);
    T* output = output_pool->buffer<T>(0, bytes, to);
    bench.poison(output, count * sizeof(T));
    run(input, output, count, bench.stream());
    const bool ok = bench::check(count, Changed<T>{input, output});
    const auto launch = [=](int rotation, cudaStream_t stream) {
        run(input_pool->buffer<const T>(rotation, bytes, from),
            output_pool->buffer<T>(rotation, bytes, to), count, stream);
    };
    return {name, launch, ok};
}

template <class T>
void compare(bench::Bench& bench, std::size_t bytes, const std::string& parameters,
             std::size_t from, std::size_t to) {
    const auto ours = [](const T* input, T* output, std::size_t count, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::transform(input, output, count, Change{}, stream));
    };
    const auto cub = [](const T* input, T* output, std::size_t count, cudaStream_t stream) {
        BENCH_REQUIRE(cub::DeviceTransform::Transform(input, output, count, Change{}, stream));
    };
    bench.compare("transform", parameters, 2 * (bytes / sizeof(T)) * sizeof(T),
                  {contender<T>(bench, "wideload", bytes, from, to, ours),
                   contender<T>(bench, "cub", bytes, from, to, cub),
                   bench::copy_of(input_pool, output_pool, bytes)});
}

/// Both ends at a line, or an element behind one.
template <class T>
void both(bench::Bench& bench, std::size_t bytes, const char* type, bool misaligned = true) {
    for (auto [from, to] : {std::pair<int, int>{0, 0}, {1, 0}, {0, 1}, {1, 1}}) {
        if (!misaligned && (from != 0 || to != 0)) continue;
        const std::string parameters = std::string("type=") + type + ";" +
                                       bench::bytes_name(bytes) + ";from=" + std::to_string(from) +
                                       ";to=" + std::to_string(to);
        compare<T>(bench, bytes, parameters, from * sizeof(T), to * sizeof(T));
    }
}

/// Structs whose output begins `past` bytes behind a line, so that none of them begins at a word of
/// 16 bytes, or that are of no words.
template <class T>
void odd(bench::Bench& bench, std::size_t bytes, const char* type, std::size_t past) {
    compare<T>(bench, bytes,
               std::string("type=") + type + ";" + bench::bytes_name(bytes) +
                   ";past=" + std::to_string(past),
               0, past);
}

struct Add {
    template <class... T>
    __host__ __device__ float operator()(T... values) const {
        return (... + static_cast<float>(values));
    }
};

/// Several inputs, and inputs narrower than the output, which begin `from` elements into a line.
template <class Input, int Inputs>
void sums(bench::Bench& bench, const char* type, int from = 0) {
    for (std::size_t count : {std::size_t{1} << 18, std::size_t{1} << 20, std::size_t{1} << 22,
                              std::size_t{1} << 24, std::size_t{1} << 28}) {
        const std::size_t bytes = count * sizeof(Input);
        const auto input = [=](int rotation, int k) {
            return input_pool->buffer<const Input>(rotation * Inputs + k, bytes,
                                                   from * sizeof(Input));
        };
        const auto output = [=](int rotation) {
            return output_pool->buffer<float>(rotation, count * 4);
        };
        const auto ours = [=](int r, cudaStream_t stream) {
            if constexpr (Inputs == 1)
                BENCH_REQUIRE(wideload::transform(input(r, 0), output(r), count, Add{}, stream));
            if constexpr (Inputs == 2)
                BENCH_REQUIRE(
                    wideload::transform(input(r, 0), input(r, 1), output(r), count, Add{}, stream));
            if constexpr (Inputs == 3)
                BENCH_REQUIRE(wideload::transform(input(r, 0), input(r, 1), input(r, 2), output(r),
                                                  count, Add{}, stream));
            if constexpr (Inputs == 4)
                BENCH_REQUIRE(wideload::transform(input(r, 0), input(r, 1), input(r, 2),
                                                  input(r, 3), output(r), count, Add{}, stream));
        };
        const auto cub = [=](int r, cudaStream_t stream) {
            using cuda::std::make_tuple;
            using cub::DeviceTransform;
            if constexpr (Inputs == 1)
                BENCH_REQUIRE(
                    DeviceTransform::Transform(input(r, 0), output(r), count, Add{}, stream));
            if constexpr (Inputs == 2)
                BENCH_REQUIRE(DeviceTransform::Transform(make_tuple(input(r, 0), input(r, 1)),
                                                         output(r), count, Add{}, stream));
            if constexpr (Inputs == 3)
                BENCH_REQUIRE(
                    DeviceTransform::Transform(make_tuple(input(r, 0), input(r, 1), input(r, 2)),
                                               output(r), count, Add{}, stream));
            if constexpr (Inputs == 4)
                BENCH_REQUIRE(DeviceTransform::Transform(
                    make_tuple(input(r, 0), input(r, 1), input(r, 2), input(r, 3)), output(r),
                    count, Add{}, stream));
        };
        const std::size_t moved = count * (Inputs * sizeof(Input) + 4);
        const std::string parameters =
            std::string("type=") + type + ";inputs=" + std::to_string(Inputs) +
            (from ? ";from=" + std::to_string(from) : "") + ";count=" + std::to_string(count);
        const auto verify = [&] {
            const Input* in[4] = {input(0, 0), input(0, Inputs > 1 ? 1 : 0),
                                  input(0, Inputs > 2 ? 2 : 0), input(0, Inputs > 3 ? 3 : 0)};
            const Input *a = in[0], *b = in[1], *c = in[2], *d = in[3];
            const float* out = output(0);
            return bench::check(count, [=] __device__(std::size_t i) {
                float want = static_cast<float>(a[i]);
                if (Inputs > 1) want += static_cast<float>(b[i]);
                if (Inputs > 2) want += static_cast<float>(c[i]);
                if (Inputs > 3) want += static_cast<float>(d[i]);
                return want == out[i] || (want != want && out[i] != out[i]);
            });
        };
        bench.poison(output(0), count * 4);
        ours(0, bench.stream());
        const bool ok = verify();
        bench.poison(output(0), count * 4);
        cub(0, bench.stream());
        bench.compare("transform", parameters, moved,
                      {{"wideload", ours, ok},
                       {"cub", cub, verify()},
                       bench::copy_of(input_pool, output_pool, moved / 2)});
    }
}

__global__ void copy_float4(const float4* input, float4* output, std::size_t count) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) output[i] = input[i];
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{5} << 30, 1);
    output_pool = new bench::Pool(std::size_t{5} << 30, 2);
    // What structs are held against: a copy as a kernel author writes it.
    for (std::size_t bytes : {std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{16} << 20,
                              std::size_t{64} << 20, std::size_t{1} << 30}) {
        const auto float4_copy = [=](int rotation, cudaStream_t stream) {
            const std::size_t count = bytes / sizeof(float4);
            copy_float4<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(
                input_pool->buffer<const float4>(rotation, bytes),
                output_pool->buffer<float4>(rotation, bytes), count);
        };
        bench.compare(
            "transform", bench::bytes_name(bytes), 2 * bytes,
            {bench::copy_of(input_pool, output_pool, bytes), {"float4_copy", float4_copy}});
    }
    // Small ones first: after large ones of other types they were seen to take an eighth longer.
    for (std::size_t bytes : {std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{16} << 20,
                              std::size_t{64} << 20, std::size_t{1} << 30}) {
        both<std::uint8_t>(bench, bytes, "u8");
        both<std::uint16_t>(bench, bytes, "u16");
        both<float>(bench, bytes, "f32");
        both<double>(bench, bytes, "f64");
        both<Struct<4>>(bench, bytes, "struct16", false);
        both<Struct<3>>(bench, bytes, "struct12");
        both<Struct<5>>(bench, bytes, "struct20", false);
        both<Struct<6>>(bench, bytes, "struct24", false);
        both<Struct<7>>(bench, bytes, "struct28", false);
        both<Struct<8>>(bench, bytes, "struct32", false);
        both<Struct<9>>(bench, bytes, "struct36");
        both<Struct<11>>(bench, bytes, "struct44", false);
        both<Struct<19>>(bench, bytes, "struct76", false);
        odd<Struct<4>>(bench, bytes, "struct16", 4);
        odd<Struct<8>>(bench, bytes, "struct32", 4);
        odd<Struct<16>>(bench, bytes, "struct64", 4);
        odd<Struct<32>>(bench, bytes, "struct128", 0);
        odd<Struct<37, std::uint8_t>>(bench, bytes, "packed37", 0);
        odd<Struct<64, std::uint8_t>>(bench, bytes, "packed64", 1);
    }
    sums<float, 2>(bench, "f32");
    sums<float, 3>(bench, "f32");
    sums<float, 4>(bench, "f32");
    sums<std::uint8_t, 1>(bench, "u8");
    sums<std::uint16_t, 1>(bench, "u16");
    sums<double, 1>(bench, "f64");
    sums<float, 2>(bench, "f32", 1);
    sums<float, 3>(bench, "f32", 1);
    sums<float, 4>(bench, "f32", 1);
    sums<std::uint8_t, 1>(bench, "u8", 1);
    sums<std::uint16_t, 1>(bench, "u16", 1);
    sums<double, 1>(bench, "f64", 1);
}
