// SPDX-License-Identifier: Apache-2.0
// `deinterleave` and `interleave` for 2 to 16 fields against the copy of the same bytes.
#include <wideload/device/interleave.cuh>

#include "harness.cuh"

namespace {

bench::Pool* struct_pool;
bench::Pool* field_pool;

/// A type of `Bytes` bytes.
template <int Bytes>
struct Element {
    unsigned char bytes[Bytes];
};

template <class T, int Fields>
struct Arrays {
    T* fields[Fields];
};

template <class T, int Fields>
void measure(bench::Bench& bench, const char* type, std::size_t count,
             std::size_t struct_offset = 0, std::size_t field_offset = 0) {
    const std::size_t field_bytes = (count * sizeof(T) + field_offset + 255) / 256 * 256,
                      bytes = count * Fields * sizeof(T);
    const std::string parameters = std::string("type=") + type +
                                   ";fields=" + std::to_string(Fields) +
                                   ";count=" + std::to_string(count);
    const auto arrays = [=](int rotation) {
        Arrays<T, Fields> result;
        char* base = field_pool->buffer<char>(rotation, field_bytes * Fields);
        for (int f = 0; f < Fields; ++f)
            result.fields[f] = reinterpret_cast<T*>(base + f * field_bytes + field_offset);
        return result;
    };
    const auto structs = [=](int rotation) {
        return reinterpret_cast<T*>(struct_pool->buffer<char>(rotation, bytes, struct_offset));
    };
    const auto verify = [&](const T* structs) {
        const Arrays<T, Fields> a = arrays(0);
        return bench::check(count * Fields, [=] __device__(std::size_t i) {
            const T *x = structs + i, *y = a.fields[i % Fields] + i / Fields;
            for (int k = 0; k < static_cast<int>(sizeof(T)); ++k) {
                if (reinterpret_cast<const unsigned char*>(x)[k] !=
                    reinterpret_cast<const unsigned char*>(y)[k])
                    return false;
            }
            return true;
        });
    };
    const auto split = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(
            wideload::deinterleave<T>(structs(rotation), arrays(rotation).fields, count, stream));
    };
    const auto join = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(
            wideload::interleave(arrays(rotation).fields, structs(rotation), count, stream));
    };
    const bench::Contender copy = bench::copy_of(struct_pool, field_pool, bytes);
    bench.poison(field_pool->buffer<char>(0, bytes), field_bytes * Fields);
    split(0, bench.stream());
    bool ok = verify(structs(0));
    bench.compare("interleave", "split;" + parameters, 2 * bytes, {{"wideload", split, ok}, copy});
    bench.poison(structs(0), bytes);
    join(0, bench.stream());
    ok = verify(structs(0));
    bench.compare("interleave", "join;" + parameters, 2 * bytes, {{"wideload", join, ok}, copy});
}

template <class T>
void field_counts(bench::Bench& bench, const char* type) {
    const std::size_t bytes = std::size_t{768} << 20;
    measure<T, 2>(bench, type, bytes / sizeof(T) / 2);
    measure<T, 3>(bench, type, bytes / sizeof(T) / 3);
    measure<T, 4>(bench, type, bytes / sizeof(T) / 4);
    measure<T, 6>(bench, type, bytes / sizeof(T) / 6);
    measure<T, 8>(bench, type, bytes / sizeof(T) / 8);
    measure<T, 16>(bench, type, bytes / sizeof(T) / 16);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    struct_pool = new bench::Pool(std::size_t{4} << 30, 1);
    field_pool = new bench::Pool(std::size_t{4} << 30, 2);
    field_counts<float>(bench, "f32");
    field_counts<std::uint8_t>(bench, "u8");
    field_counts<std::uint16_t>(bench, "u16");
    field_counts<double>(bench, "f64");
    measure<float, 3>(bench, "f32", std::size_t{1} << 20);
    // Fields of other sizes, and at other addresses.
    constexpr std::size_t kBytes = std::size_t{768} << 20;
    measure<float3, 2>(bench, "float3", kBytes / 24);
    measure<float3, 3>(bench, "float3", kBytes / 36);
    measure<float3, 8>(bench, "float3", kBytes / 96);
    measure<ushort3, 3>(bench, "ushort3", kBytes / 18);
    measure<Element<20>, 3>(bench, "20 bytes", kBytes / 60);
    measure<Element<7>, 8>(bench, "7 bytes", kBytes / 56);
    measure<Element<32>, 3>(bench, "32 bytes", kBytes / 96);
    measure<Element<48>, 3>(bench, "48 bytes", kBytes / 144);
    measure<float, 3>(bench, "f32;misaligned=1", kBytes / 12, 1, 2);
    measure<float, 8>(bench, "f32;misaligned=1", kBytes / 32, 1, 2);
    measure<float, 16>(bench, "f32;misaligned=1", kBytes / 64, 1, 2);
    measure<double, 3>(bench, "f64;misaligned=4", kBytes / 24, 4, 4);
    measure<std::uint8_t, 3>(bench, "u8;misaligned=1", kBytes / 3, 1, 5);
    measure<std::uint8_t, 4>(bench, "u8;misaligned=1", kBytes / 4, 1, 5);
    measure<std::uint8_t, 16>(bench, "u8;misaligned=1", kBytes / 16, 1, 5);
    measure<std::uint16_t, 4>(bench, "u16;misaligned=2", kBytes / 8, 2, 6);
    measure<float, 8>(bench, "f32;misaligned=4", kBytes / 32, 4, 8);
    measure<float, 16>(bench, "f32;misaligned=4", kBytes / 64, 4, 8);
    measure<std::uint8_t, 16>(bench, "u8;misaligned=4", kBytes / 16, 4, 8);
    measure<double, 4>(bench, "f64;misaligned=8", kBytes / 32, 8, 16);
    measure<float, 5>(bench, "f32;misaligned=1", kBytes / 20, 1, 2);
    measure<double, 6>(bench, "f64;misaligned=1", kBytes / 48, 1, 2);
    measure<std::uint8_t, 9>(bench, "u8;misaligned=1", kBytes / 9, 1, 2);
    measure<double, 10>(bench, "f64;misaligned=1", kBytes / 80, 1, 2);
    measure<float, 12>(bench, "f32;misaligned=1", kBytes / 48, 1, 2);
    measure<std::uint8_t, 13>(bench, "u8;misaligned=1", kBytes / 13, 1, 2);
    // Small ones.
    for (std::size_t bytes : {std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{16} << 20}) {
        measure<float, 3>(bench, "f32", bytes / 12);
        measure<float, 8>(bench, "f32", bytes / 32);
        measure<float, 16>(bench, "f32", bytes / 64);
        measure<std::uint8_t, 16>(bench, "u8", bytes / 16);
        measure<std::uint16_t, 16>(bench, "u16", bytes / 32);
        measure<double, 8>(bench, "f64", bytes / 64);
        measure<float3, 4>(bench, "float3", bytes / 48);
        measure<float, 3>(bench, "f32;misaligned=1", bytes / 12, 1, 2);
        measure<float, 16>(bench, "f32;misaligned=4", bytes / 64, 4, 8);
    }
}
