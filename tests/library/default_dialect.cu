// SPDX-License-Identifier: Apache-2.0
// What is different in nvcc's default dialect, with GNU's extensions: integers of 16 bytes are
// integral.
#include <wideload/wideload.cuh>

#include "support/harness.cuh"

namespace {

using Integer = __int128;
static_assert(std::is_integral_v<Integer>, "the dialect that this test is of");

/// Bits in both halves.
Integer value(std::size_t i) {
    return static_cast<Integer>(test::mix(i)) << 64 | static_cast<Integer>(test::mix(~i));
}

__global__ void reduce_warps(const Integer* input, Integer* output) {
    const Integer own = input[threadIdx.x];
    output[threadIdx.x] = wideload::warp::all_reduce(own, wideload::bit_xor{});
}

template <class Operation>
void reduced(std::size_t rows, std::size_t columns, Operation operation, const char* name) {
    const std::size_t count = rows * columns;
    test::GuardedBuffer input(count * sizeof(Integer), 0, 1), all(sizeof(Integer), 0, 2),
        by_row(rows * sizeof(Integer), 0, 3), by_column(columns * sizeof(Integer), 0, 4);
    const auto values = [](test::GuardedBuffer& buffer) {
        return reinterpret_cast<Integer*>(buffer.expected());
    };
    for (std::size_t i = 0; i < count; ++i) values(input)[i] = value(i);
    input.upload();
    const auto* from = input.as<const Integer>();
    const Integer initial = value(count);
    const std::string what =
        std::to_string(rows) + " x " + std::to_string(columns) + " integers of 16 bytes by " + name;
    test::expect_status(wideload::reduce(from, count, all.as<Integer>(), operation, initial),
                        cudaSuccess, what);
    test::expect_status(
        wideload::reduce_rows(from, rows, columns, by_row.as<Integer>(), operation, initial),
        cudaSuccess, "rows of " + what);
    test::expect_status(
        wideload::reduce_columns(from, rows, columns, by_column.as<Integer>(), operation, initial),
        cudaSuccess, "columns of " + what);
    const auto fill = [&](test::GuardedBuffer& buffer, std::size_t results) {
        for (std::size_t i = 0; i < results; ++i) values(buffer)[i] = initial;
    };
    fill(all, 1), fill(by_row, rows), fill(by_column, columns);
    for (std::size_t i = 0; i < count; ++i) {
        for (Integer* result :
             {values(all), values(by_row) + i / columns, values(by_column) + i % columns})
            *result = operation(*result, value(i));
    }
    all.expect_equal(what);
    by_row.expect_equal("rows of " + what);
    by_column.expect_equal("columns of " + what);
}

void warps() {
    test::GuardedBuffer input(32 * sizeof(Integer), 0, 5), output(32 * sizeof(Integer), 0, 6);
    auto* const from = reinterpret_cast<Integer*>(input.expected());
    auto* const to = reinterpret_cast<Integer*>(output.expected());
    Integer all = 0;
    for (std::size_t i = 0; i < 32; ++i) all ^= from[i] = value(i);
    input.upload();
    reduce_warps<<<1, 32>>>(input.as<const Integer>(), output.as<Integer>());
    for (std::size_t i = 0; i < 32; ++i) to[i] = all;
    output.expect_equal("a warp's integers of 16 bytes");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{1, 33}, {40, 500}, {3000, 5}}) {
        reduced(rows, columns, wideload::plus{}, "plus");
        reduced(rows, columns, wideload::minimum{}, "minimum");
        reduced(rows, columns, wideload::bit_or{}, "bit_or");
        reduced(rows, columns, wideload::bit_and{}, "bit_and");
    }
    warps();
    return test::finish("default_dialect");
}
