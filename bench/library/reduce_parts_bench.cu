// SPDX-License-Identifier: Apache-2.0
// `reduce` of structs of many parts, as reduce_structs_bench.cu measures others, in a program of
// its own for the reason given there.
#include "reduce_parts.cuh"

namespace {

void measure_structs(bench::Bench& bench, const bench::Pool& pool, std::size_t bytes) {
    using bench::measure_parts;
    measure_parts<std::uint8_t, 13>(bench, pool, bytes, 0);
    measure_parts<std::uint8_t, 17>(bench, pool, bytes, 0);
    measure_parts<std::uint8_t, 25>(bench, pool, bytes, 0);
    measure_parts<std::uint8_t, 33>(bench, pool, bytes, 0);
    measure_parts<std::uint8_t, 48>(bench, pool, bytes, 0);
    measure_parts<std::uint8_t, 63>(bench, pool, bytes, 0);
    measure_parts<std::uint16_t, 15>(bench, pool, bytes, 0);
    measure_parts<std::uint16_t, 41>(bench, pool, bytes, 0);
    measure_parts<std::uint32_t, 18>(bench, pool, bytes, 0);
    measure_parts<std::uint32_t, 41>(bench, pool, bytes, 0);
}

}  // namespace

int main(int argc, char** argv) { return bench::measure_at_sizes(argc, argv, measure_structs); }
