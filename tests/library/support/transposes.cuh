// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transpose.cuh>

#include "matrices.cuh"
#include "random.cuh"

namespace test {

/// That `launch(input, output)`, of guarded buffers at such offsets, transposes.
template <int Size, class Launch>
void expect_transposed(const std::string& name, std::size_t rows, std::size_t columns,
                       std::size_t batch, std::size_t from, std::size_t to, Launch launch) {
    const std::size_t bytes = rows * columns * batch * Size;
    GuardedBuffer input(bytes, from, 40), output(bytes, to, 41);
    const std::string what = name + " of " + shape(rows, columns, batch, Size) + " at offsets " +
                             std::to_string(from) + " and " + std::to_string(to);
    test::expect_status(launch(input, output), cudaSuccess, what);
    transpose_on_host(input.expected(), output.expected(), rows, columns, batch, Size);
    output.expect_equal(what);
}

template <int Size>
void out_of_place(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t from = 0,
                  std::size_t to = 0) {
    expect_transposed<Size>("transpose", rows, columns, batch, from, to,
                            [&](GuardedBuffer& input, GuardedBuffer& output) {
                                return wideload::transpose_batched(input.as<const Blob<Size>>(),
                                                                   output.as<Blob<Size>>(), rows,
                                                                   columns, batch);
                            });
}

/// Squares, at such an offset.
template <int Size>
void square_in_place(std::size_t size, std::size_t batch, std::size_t offset = 0) {
    GuardedBuffer data(size * size * batch * Size, offset, 42);
    const std::string what = "in-place transpose of " + shape(size, size, batch, Size) +
                             " at offset " + std::to_string(offset);
    test::expect_status(wideload::transpose_square_in_place(data.as<Blob<Size>>(), size, batch),
                        cudaSuccess, what);
    transpose_on_host(data.expected(), size, size, batch, Size);
    data.expect_equal(what);
}

/// Rectangles, with scratch memory of their own.
template <int Size>
void rectangle_in_place(std::size_t rows, std::size_t columns, std::size_t batch = 1,
                        std::size_t offset = 0) {
    GuardedBuffer data(rows * columns * batch * Size, offset, 70);
    const std::string what = "in-place transpose of " + shape(rows, columns, batch, Size) +
                             " at offset " + std::to_string(offset);
    test::expect_status(
        wideload::transpose_in_place_batched(data.as<Blob<Size>>(), rows, columns, batch),
        cudaSuccess, what);
    transpose_on_host(data.expected(), rows, columns, batch, Size);
    data.expect_equal(what);
}

/// In panels of about `panel_bytes`, none of it within a block's shared memory; so many blocks may
/// hold panels in theirs together.
template <int Size>
void in_panels(std::size_t rows, std::size_t columns, std::size_t panel_bytes,
               std::size_t offset = 0, std::size_t block_side = 1, std::size_t held_by = 0) {
    const wideload::detail::PanelSize panel{panel_bytes, block_side, held_by};
    const std::size_t scratch_bytes =
        wideload::detail::in_place_scratch_size(rows, columns, Size, panel);
    GuardedBuffer data(rows * columns * Size, offset, 71), scratch(scratch_bytes, 0, 72);
    const std::string what = "in-place transpose of " + shape(rows, columns, 1, Size) +
                             " at offset " + std::to_string(offset) + " in panels of " +
                             std::to_string(panel_bytes) + " bytes";
    test::expect_status(wideload::detail::dispatch_transpose_rectangle<Size>(
                            data.as<void>(), rows, columns, 1, 0, panel,
                            {scratch.as<void>(), scratch_bytes, false}, nullptr),
                        cudaSuccess, what);
    transpose_on_host(data.expected(), rows, columns, 1, Size);
    data.expect_equal(what);
    scratch.expect_guards(what + ", scratch memory");
}

template <int Size>
void random_transposes() {
    random_cases(20, [](Random& random) {
        const auto [rows, columns, batch] = random_shape(random, Size);
        out_of_place<Size>(rows, columns, batch, random.offset(Size), random.offset(Size));
    });
    random_cases(10, [](Random& random) {
        const auto [rows, columns, batch] = random_shape(random, Size);
        const std::size_t size = static_cast<std::size_t>(std::sqrt(rows * columns));
        square_in_place<Size>(size, batch, random.offset(Size));
    });
}

/// Matrices too large to bring to the host.
template <class T>
void large(std::size_t rows, std::size_t columns, std::size_t batch = 1) {
    const std::size_t count = rows * columns * batch;
    const std::string what = "transpose of " + shape(rows, columns, batch, sizeof(T));
    LargeBuffer<T> input(count), output(count);
    generate(input.get(), count, [] __device__(std::size_t i) { return (T)mix(i); });
    require(cudaMemset(output.get(), 0, count * sizeof(T)), "cudaMemset");
    expect_status(wideload::transpose_batched(input.get(), output.get(), rows, columns, batch),
                  cudaSuccess, what);
    expect_values(
        output.get(), count,
        [=] __device__(std::size_t i) {
            const std::size_t matrix = i / (rows * columns), place = i % (rows * columns);
            return (T)mix(matrix * rows * columns + place % rows * columns + place / rows);
        },
        what);
}

}  // namespace test
