// SPDX-License-Identifier: Apache-2.0
// Structs that go through shared memory as ranges of bytes, of 3 to 16 fields of 1 to 16 bytes,
// against the copy of as many bytes: what `staged_block` was measured by.
#include "pool_launches.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;

/// Structs that begin so many bytes past a line, and their arrays twice as many.
template <int Size, int Fields>
void measure(bench::Bench& bench, std::size_t past) {
    for (const std::size_t kibibytes : {256, 1024, 4096, 8192, 24576, 98304, 524288}) {
        const std::size_t count = kibibytes * 1024 / Size / Fields, bytes = count * Size * Fields;
        for (const bool split : {true, false}) {
            const auto launch = bench::interleaving<bench::Element<Size>, Fields>(
                input_pool, output_pool, split, count, past, 2 * past);
            bench.compare(
                "staged",
                (split ? "split" : "join") + bench::of("size", Size) + bench::of("fields", Fields) +
                    bench::of("past", past) + bench::of("count", count),
                2 * bytes,
                {{"wideload", launch}, bench::copy_of(input_pool, output_pool, bytes / 16 * 16)});
        }
    }
}

template <int Fields, int... Sizes>
void measure_all(bench::Bench& bench, std::size_t past) {
    (measure<Sizes, Fields>(bench, past), ...);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{3} << 30, 1);
    output_pool = new bench::Pool(std::size_t{3} << 30, 2);
    measure_all<3, 1, 4, 12>(bench, 1);
    measure_all<4, 2, 8>(bench, 1);
    measure_all<5, 1, 4, 7>(bench, 1);
    measure_all<6, 2, 3, 8>(bench, 1);
    measure_all<7, 4, 6, 9>(bench, 1);
    measure_all<8, 1, 3, 4, 5, 12>(bench, 1);
    measure_all<9, 1, 3, 4>(bench, 1);
    measure_all<10, 2, 8>(bench, 1);
    measure_all<11, 1, 3, 8>(bench, 1);
    measure_all<12, 1, 4, 5, 12>(bench, 1);
    measure_all<13, 1, 8>(bench, 1);
    measure_all<14, 2, 3>(bench, 1);
    measure_all<15, 1, 6>(bench, 1);
    measure_all<16, 1, 2, 3, 8>(bench, 1);
    measure_all<4, 12>(bench, 0);
    measure_all<8, 7, 9, 12>(bench, 0);
    measure_all<12, 3, 5>(bench, 0);
    measure_all<14, 3>(bench, 0);
    measure_all<16, 3>(bench, 0);
}
