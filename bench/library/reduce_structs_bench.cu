// SPDX-License-Identifier: Apache-2.0
// `reduce` of elements that are no whole words of 16 bytes, or begin at none, against a reduction
// of as many bytes of integers and cub::DeviceReduce. A program of its own: after kernels of large
// structs CUB's others were seen to take 0.7 us longer.
#include "reduce_parts.cuh"

namespace {

void measure_structs(bench::Bench& bench, const bench::Pool& pool, std::size_t bytes) {
    using bench::measure_parts;
    measure_parts<std::uint8_t, 3>(bench, pool, bytes, 0);
    measure_parts<std::uint32_t, 3>(bench, pool, bytes, 0);
    measure_parts<std::uint64_t, 3>(bench, pool, bytes, 0);
    measure_parts<std::uint32_t, 5>(bench, pool, bytes, 0);
    measure_parts<std::uint32_t, 8>(bench, pool, bytes, 0);
    measure_parts<std::uint32_t, 9>(bench, pool, bytes, 0);
    measure_parts<std::uint32_t, 16>(bench, pool, bytes, 0);
    measure_parts<std::uint16_t, 1>(bench, pool, bytes, 1);
    measure_parts<std::uint32_t, 1>(bench, pool, bytes, 1);
    measure_parts<std::uint64_t, 1>(bench, pool, bytes, 4);
    measure_parts<std::uint32_t, 3>(bench, pool, bytes, 1);
    measure_parts<std::uint32_t, 8>(bench, pool, bytes, 4);
}

}  // namespace

int main(int argc, char** argv) { return bench::measure_at_sizes(argc, argv, measure_structs); }
