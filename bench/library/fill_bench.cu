// SPDX-License-Identifier: Apache-2.0
// `fill` against cudaMemsetAsync, for values of every kind of size and for misaligned ranges.
#include <wideload/device/fill.cuh>

#include "harness.cuh"

namespace {

bench::Pool* pool;

template <int Size>
struct Value {
    unsigned char bytes[Size];
};

template <int Size>
bench::Contender ours(bench::Bench& bench, std::size_t bytes, std::size_t offset) {
    Value<Size> value;
    for (int i = 0; i < Size; ++i) value.bytes[i] = static_cast<unsigned char>(17 * i + 3);
    const std::size_t count = bytes / Size;
    auto* target = pool->buffer<unsigned char>(0, bytes, offset);
    bench.poison(target, count * Size);
    BENCH_REQUIRE(
        wideload::fill(reinterpret_cast<Value<Size>*>(target), count, value, bench.stream()));
    const bool ok = bench::check(count * Size, [=] __device__(std::size_t i) {
        return target[i] == static_cast<unsigned char>(17 * static_cast<int>(i % Size) + 3);
    });
    const auto launch = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::fill(pool->buffer<Value<Size>>(rotation, bytes, offset), count,
                                     value, stream));
    };
    return {Size == 1 ? "wideload" : "wideload;value=" + std::to_string(Size), launch, ok};
}

bench::Contender memset_async(std::size_t bytes, std::size_t offset, bool direct) {
    const auto launch = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(
            cudaMemsetAsync(pool->buffer<char>(rotation, bytes, offset), 0x3f, bytes, stream));
    };
    return {direct ? "cudaMemsetAsync;direct" : "cudaMemsetAsync", launch, true, direct};
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    pool = new bench::Pool((std::size_t{8} << 30) + 8192, 2);
    for (int shift = 16; shift <= 32; shift += 2) {
        const std::size_t bytes = std::size_t{1} << shift;
        for (std::size_t offset : {0, 1}) {
            // Values of 12 and 36 bytes fill up to 35 bytes less.
            bench.compare("fill", bench::bytes_name(bytes) + ";to=" + std::to_string(offset), bytes,
                          {ours<1>(bench, bytes, offset), ours<4>(bench, bytes, offset),
                           ours<12>(bench, bytes, offset), ours<36>(bench, bytes, offset),
                           memset_async(bytes, offset, false), memset_async(bytes, offset, true)});
        }
    }
}
