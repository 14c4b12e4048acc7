// SPDX-License-Identifier: Apache-2.0
// The overloads for spans and mdspans do what the pointer forms do, and reject sizes that disagree.
#include <wideload/device/span.cuh>

#include <cuda_fp16.h>

#include <cuda/std/mdspan>
#include <cuda/std/span>

#include "support/harness.cuh"

namespace {

template <class T>
using span = cuda::std::span<T>;

struct Twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
    __host__ __device__ int operator()(int x, int y) const { return 2 * x + y; }
    __host__ __device__ int operator()(int x, int y, int z) const { return 2 * x + y - z; }
    __host__ __device__ int operator()(int x, int y, int z, int w) const {
        return 2 * x + y - z + 3 * w;
    }
};

struct AddPairs {
    __host__ __device__ __half2 operator()(const __half2& a, const __half2& b) const {
        return __hadd2(a, b);
    }
};

/// Pairs of halves, which are not trivially copyable by the letter, are moved and combined.
void pairs_of_halves() {
    static_assert(wideload::is_bitwise_copyable_v<__half2>);
    constexpr std::size_t kCount = 300;
    test::GuardedBuffer a(kCount * 4, 0, 71), b(kCount * 4, 4, 72);
    const span<__half2> from(a.as<__half2>(), kCount), to(b.as<__half2>(), kCount);
    test::expect_status(wideload::fill(from, __half2(1.0f, 2.0f)), cudaSuccess, "fill of pairs");
    test::expect_status(wideload::copy(from, to), cudaSuccess, "copy of pairs");
    test::expect_status(wideload::transform(from, to, to, AddPairs{}), cudaSuccess,
                        "transform of pairs");
    test::expect_status(wideload::reduce(to, a.as<__half2>() + 7, AddPairs{}, __half2(0.0f, 0.0f)),
                        cudaSuccess, "reduce of pairs");
    for (std::size_t i = 0; i < kCount; ++i) {
        const __half2 filled(1.0f, 2.0f), added(2.0f, 4.0f), sum(600.0f, 1200.0f);
        std::memcpy(a.expected() + i * 4, i == 7 ? &sum : &filled, 4);
        std::memcpy(b.expected() + i * 4, &added, 4);
    }
    a.expect_equal("pairs of halves");
    b.expect_equal("sums of pairs of halves");
}

void ranges() {
    const std::size_t count = 1000;
    test::GuardedBuffer a(count * 4, 0, 1), b(count * 4, 0, 2), c(count * 4, 0, 3);
    int* host_a = reinterpret_cast<int*>(a.expected());
    int* host_b = reinterpret_cast<int*>(b.expected());
    for (std::size_t i = 0; i < count; ++i) host_a[i] = static_cast<int>(i);
    a.upload();
    const span<int> from(a.as<int>(), count), to(b.as<int>(), count), third(c.as<int>(), count);
    const span<const int> constant(a.as<const int>(), count);

    test::expect_status(wideload::copy(constant, to), cudaSuccess, "copy of spans");
    std::memcpy(host_b, host_a, count * 4);
    b.expect_equal("copy of spans");
    test::expect_status(wideload::fill(to, 7), cudaSuccess, "fill of a span");
    for (std::size_t i = 0; i < count; ++i) host_b[i] = 7;
    b.expect_equal("fill of a span");
    test::expect_status(wideload::transform(constant, to, Twice{}), cudaSuccess,
                        "transform of a span");
    for (std::size_t i = 0; i < count; ++i) host_b[i] = 2 * host_a[i];
    b.expect_equal("transform of a span");
    test::expect_status(wideload::transform(from, to, third, Twice{}), cudaSuccess,
                        "transform of two spans");
    for (std::size_t i = 0; i < count; ++i)
        reinterpret_cast<int*>(c.expected())[i] = 2 * host_a[i] + host_b[i];
    c.expect_equal("transform of two spans");
    test::expect_status(wideload::gather(to, constant, third), cudaSuccess, "gather of spans");
    std::memcpy(c.expected(), host_b, count * 4);
    c.expect_equal("gather of spans");
    test::expect_status(wideload::reduce(constant, b.as<int>(), wideload::plus{}, 1), cudaSuccess,
                        "reduce of a span");
    unsigned char* scratch = nullptr;
    constexpr std::size_t kScratchBytes = wideload::reduce_scratch_bytes<int>();
    test::expect_status(cudaMalloc(&scratch, kScratchBytes), cudaSuccess, "scratch");
    test::expect_status(cudaMemset(scratch, 0, kScratchBytes), cudaSuccess, "scratch");
    const span<unsigned char> lent(scratch, kScratchBytes);
    test::expect_status(wideload::reduce(constant, b.as<int>(), wideload::plus{}, 1, lent),
                        cudaSuccess, "reduce of a span with lent scratch");
    test::expect_status(wideload::reduce(constant, b.as<int>(), wideload::plus{}, 1, lent.first(4)),
                        cudaErrorInvalidValue, "too little scratch");
    test::expect_status(cudaFree(scratch), cudaSuccess, "scratch");
    host_b[0] = 1 + static_cast<int>(count * (count - 1) / 2);
    b.expect_equal("reduce of a span");

    const span<int> few = third.first(10);
    test::expect_rejected(wideload::copy(constant.first(10), to), "sizes that differ");
    test::expect_rejected(wideload::transform(from, to.first(3), Twice{}), "sizes that differ");
    for (int different = 0; different < 4; ++different) {
        const auto input = [=](int i) { return i == different ? from.first(10) : from; };
        const std::string what = "a size that differs, of input " + std::to_string(different);
        if (different < 2)
            test::expect_rejected(wideload::transform(input(0), input(1), to, Twice{}), what);
        if (different < 3)
            test::expect_rejected(wideload::transform(input(0), input(1), input(2), to, Twice{}),
                                  what);
        test::expect_rejected(
            wideload::transform(input(0), input(1), input(2), input(3), to, Twice{}), what);
    }
    test::expect_rejected(wideload::transform(from, from, few, Twice{}), "a short output");
    test::expect_rejected(wideload::transform(from, from, from, few, Twice{}), "a short output");
    test::expect_rejected(wideload::transform(from, from, from, from, few, Twice{}),
                          "a short output");
}

void more_ranges() {
    const std::size_t count = 600;
    test::GuardedBuffer a(count * 4, 0, 6), b(count * 4, 0, 7), c(count * 4, 0, 8);
    int* host_a = reinterpret_cast<int*>(a.expected());
    int* host_b = reinterpret_cast<int*>(b.expected());
    int* host_c = reinterpret_cast<int*>(c.expected());
    for (std::size_t i = 0; i < count; ++i) {
        host_a[i] = static_cast<int>((i * 7) % count);
        host_b[i] = static_cast<int>(i * i);
    }
    a.upload();
    b.upload();
    const span<int> from(b.as<int>(), count), to(c.as<int>(), count);
    const span<const int> index(a.as<const int>(), count);
    test::expect_status(wideload::transform(index, from, from, to, Twice{}), cudaSuccess,
                        "transform of three spans");
    for (std::size_t i = 0; i < count; ++i) host_c[i] = 2 * host_a[i];
    c.expect_equal("transform of three spans");
    test::expect_status(wideload::transform(index, from, from, index, to, Twice{}), cudaSuccess,
                        "transform of four spans");
    for (std::size_t i = 0; i < count; ++i) host_c[i] = 5 * host_a[i];
    c.expect_equal("transform of four spans");
    test::expect_status(wideload::scatter(from, index, to), cudaSuccess, "scatter of spans");
    for (std::size_t i = 0; i < count; ++i) host_c[host_a[i]] = host_b[i];
    c.expect_equal("scatter of spans");
    test::expect_status(wideload::strided_copy(from, 3, to, 2, 200), cudaSuccess,
                        "strided copy of spans");
    for (std::size_t i = 0; i < 200; ++i) host_c[2 * i] = host_b[3 * i];
    c.expect_equal("strided copy of spans");
    test::expect_rejected(wideload::strided_copy(from, 3, to, 2, 201), "a stride past the end");
    const span<int> fields[] = {to.first(200), to.subspan(200, 200), to.last(200)};
    test::expect_status(wideload::deinterleave(from, fields), cudaSuccess, "deinterleave of spans");
    for (std::size_t i = 0; i < count; ++i) host_c[i % 3 * 200 + i / 3] = host_b[i];
    c.expect_equal("deinterleave of spans");
    const span<int> uneven[] = {to.first(200), to.subspan(200, 199), to.last(200)};
    test::expect_rejected(wideload::deinterleave(from, uneven), "fields of different sizes");
    test::expect_rejected(wideload::deinterleave(from.first(599), fields), "sizes that differ");
    test::expect_rejected(wideload::interleave(uneven, from), "fields of different sizes");
    test::expect_status(wideload::fill(from, 0), cudaSuccess, "fill of a span");
    test::expect_status(wideload::interleave(fields, from), cudaSuccess, "interleave of spans");
    b.expect_equal("interleave of spans");
    test::expect_rejected(wideload::interleave(fields, from.first(599)), "sizes that differ");
    test::expect_status(wideload::reduce_atomic(index, c.as<int>(), wideload::plus{}), cudaSuccess,
                        "atomic reduction of a span");
    for (std::size_t i = 0; i < count; ++i) host_c[0] += host_a[i];
    c.expect_equal("atomic reduction of a span");
}

/// What indices reach is known of spans alone.
void indexed_spans() {
    test::GuardedBuffer a(600 * 4, 0, 10), b(600 * 4, 0, 11);
    const span<int> data(a.as<int>(), 600), index = data.first(100), other(b.as<int>(), 600);
    test::expect_rejected(wideload::gather(other, index, data.subspan(200, 99)), "gather: sizes");
    test::expect_rejected(wideload::gather(other, index, data.subspan(99, 100)),
                          "gather: destination in the indices");
    test::expect_rejected(wideload::gather(other, index, other.last(100)),
                          "gather: destination in the source");
    test::expect_rejected(wideload::scatter(data.last(99), index, other), "scatter: sizes");
    test::expect_rejected(wideload::scatter(other.first(100), index, data.subspan(99, 300)),
                          "scatter: destination in the indices");
    test::expect_rejected(wideload::scatter(other.first(100), index, other.subspan(99, 300)),
                          "scatter: destination in the source");
    a.expect_equal("what rejected calls were given");
    b.expect_equal("what rejected calls were given");
}

/// A table of 9 rows of 5 that are 8 apart, of which 4 go to rows 7 apart, and back into others.
void rows_of_matrices() {
    using extents = cuda::std::dextents<int, 2>;
    using strides = cuda::std::array<int, 2>;
    const auto matrix = [](auto* data, int rows, int pitch) {
        using T = std::remove_pointer_t<decltype(data)>;
        return cuda::std::mdspan<T, extents, cuda::std::layout_stride>(
            data, {extents(rows, 5), strides{pitch, 1}});
    };
    test::GuardedBuffer a(9 * 8 * 2, 0, 12), b(4 * 7 * 2, 2, 13), c(4 * 8, 0, 14);
    const long long places[] = {7, 0, 8, 2};
    std::memcpy(c.expected(), places, sizeof places);
    c.upload();
    const span<const long long> index(c.as<const long long>(), 4);
    const auto table = matrix(a.as<short>(), 9, 8);
    const auto some = matrix(b.as<short>(), 4, 7);
    test::expect_status(wideload::gather_rows(table, index, some), cudaSuccess, "rows of mdspans");
    for (int r = 0; r < 4; ++r)
        std::memcpy(b.expected() + r * 7 * 2, a.expected() + places[r] * 8 * 2, 10);
    b.expect_equal("gathered rows of mdspans");
    const span<const long long> back = index.last(2);
    test::expect_status(wideload::scatter_rows(matrix(b.as<const short>(), 2, 7), back, table),
                        cudaSuccess, "rows of mdspans back");
    for (int r = 0; r < 2; ++r)
        std::memcpy(a.expected() + places[r + 2] * 8 * 2, b.expected() + r * 7 * 2, 10);
    a.expect_equal("scattered rows of mdspans");

    test::expect_rejected(wideload::gather_rows(table, back, some), "rows: sizes");
    test::expect_rejected(wideload::gather_rows(table, index, matrix(b.as<short>(), 4, 4)),
                          "rows that overlap one another");
    test::expect_rejected(wideload::gather_rows(table, index, matrix(a.as<short>(), 4, 7)),
                          "rows: destination in the source");
    test::expect_rejected(wideload::gather_rows(table, index, matrix(c.as<short>() + 4, 4, 5)),
                          "rows: destination in the indices");
    test::expect_rejected(wideload::scatter_rows(some, back, table), "rows back: sizes");
    test::expect_rejected(wideload::scatter_rows(matrix(a.as<short>(), 4, 7), index, table),
                          "rows back: destination in the source");
    test::expect_rejected(wideload::scatter_rows(some, index, matrix(c.as<short>(), 2, 5)),
                          "rows back: destination in the indices");
    const cuda::std::mdspan<short, extents> narrow(b.as<short>(), 4, 4);
    test::expect_rejected(wideload::gather_rows(table, index, narrow), "rows: columns");
    const cuda::std::mdspan<short, extents, cuda::std::layout_left> left(b.as<short>(), 4, 5);
    test::expect_rejected(wideload::gather_rows(table, index, left), "rows of column-major ones");
    a.expect_equal("rejected rows");
    b.expect_equal("rejected rows");
}

void matrices() {
    using extents = cuda::std::dextents<std::size_t, 2>;
    test::GuardedBuffer a(6 * 10 * 4, 0, 4), b(6 * 10 * 4, 0, 5);
    const cuda::std::mdspan<const float, extents> input(a.as<const float>(), 6, 10);
    const cuda::std::mdspan<float, extents> output(b.as<float>(), 10, 6);
    test::expect_status(wideload::transpose(input, output), cudaSuccess, "transpose of mdspans");
    for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 10; ++c)
            std::memcpy(b.expected() + (c * 6 + r) * 4, a.expected() + (r * 10 + c) * 4, 4);
    }
    b.expect_equal("transpose of mdspans");
    const cuda::std::mdspan<float, extents> square(b.as<float>(), 6, 10);
    test::expect_rejected(wideload::transpose(input, square), "extents that differ");
    const cuda::std::mdspan<float, extents, cuda::std::layout_left> left(b.as<float>(), 10, 6);
    const cuda::std::mdspan<float, extents, cuda::std::layout_left> one(b.as<float>(), 60, 1);
    test::expect(wideload::detail::is_row_major(one) && !wideload::detail::is_row_major(left),
                 "a single column is row-major whatever its strides are");
    test::expect_rejected(wideload::transpose(input, left), "a column-major matrix");
    test::expect_status(wideload::transpose_in_place(output), cudaSuccess,
                        "transpose in place of an mdspan");
    std::memcpy(b.expected(), a.expected(), 6 * 10 * 4);
    b.expect_equal("transpose in place of an mdspan");
    test::GuardedBuffer scratch(6 * 10 * 4, 0, 6);
    test::expect_rejected(wideload::transpose_in_place(square, scratch.as<void>(), 6 * 10 * 4 - 1),
                          "too little scratch memory");
    test::expect_status(wideload::transpose_in_place(square, scratch.as<void>(), 6 * 10 * 4),
                        cudaSuccess, "transpose in place of an mdspan by scratch memory");
    for (int i = 0; i < 60; ++i)
        std::memcpy(b.expected() + (i % 10 * 6 + i / 10) * 4, a.expected() + i * 4, 4);
    b.expect_equal("transpose in place of an mdspan by scratch memory");
}

/// Three matrices of 4 × 5, and squares.
void batches() {
    using extents = cuda::std::dextents<std::size_t, 3>;
    using square_extents = cuda::std::dextents<std::size_t, 2>;
    test::GuardedBuffer a(60 * 4, 0, 10), b(60 * 4, 0, 11);
    const cuda::std::mdspan<const float, extents> input(a.as<const float>(), 3, 4, 5);
    const cuda::std::mdspan<float, extents> output(b.as<float>(), 3, 5, 4);
    const auto swap = [](const unsigned char* from, unsigned char* to, int batch, int rows,
                         int columns) {
        for (int m = 0; m < batch; ++m) {
            for (int i = 0; i < rows * columns; ++i) {
                const int swapped = i % columns * rows + i / columns;
                std::memcpy(to + (m * rows * columns + swapped) * 4,
                            from + (m * rows * columns + i) * 4, 4);
            }
        }
    };
    test::expect_status(wideload::transpose_batched(input, output), cudaSuccess,
                        "transpose of a batch");
    swap(a.expected(), b.expected(), 3, 4, 5);
    b.expect_equal("transpose of a batch");
    const cuda::std::mdspan<float, extents> upright(b.as<float>(), 3, 4, 5);
    test::expect_rejected(wideload::transpose_batched(input, upright), "extents that differ");
    test::expect_status(wideload::transpose_in_place_batched(output), cudaSuccess,
                        "a batch in place");
    std::memcpy(b.expected(), a.expected(), 60 * 4);
    b.expect_equal("a batch in place");
    test::GuardedBuffer scratch(20 * 4, 0, 12);
    test::expect_rejected(
        wideload::transpose_in_place_batched(upright, scratch.as<void>(), 20 * 4 - 1),
        "too little scratch memory for a batch");
    test::expect_status(wideload::transpose_in_place_batched(upright, scratch.as<void>(), 20 * 4),
                        cudaSuccess, "a batch in place by scratch memory");
    swap(a.expected(), b.expected(), 3, 4, 5);
    b.expect_equal("a batch in place by scratch memory");
    test::expect_status(wideload::transpose_in_place_batched(output, scratch.as<void>(), 20 * 4),
                        cudaSuccess, "and back");
    std::memcpy(b.expected(), a.expected(), 60 * 4);
    b.expect_equal("and back");
    const cuda::std::mdspan<float, square_extents> square(b.as<float>(), 7, 7);
    test::expect_status(wideload::transpose_square_in_place(square), cudaSuccess,
                        "a square in place");
    swap(a.expected(), b.expected(), 1, 7, 7);
    b.expect_equal("a square in place");
    const cuda::std::mdspan<float, square_extents> oblong(b.as<float>(), 7, 8);
    test::expect_rejected(wideload::transpose_square_in_place(oblong), "no square");
}

void sums_of_matrices() {
    using extents = cuda::std::dextents<std::size_t, 2>;
    test::GuardedBuffer a(6 * 10 * 4, 0, 4);
    test::GuardedBuffer sums(10 * 4, 0, 9);
    const cuda::std::mdspan<const std::uint8_t, extents> bytes(a.as<const std::uint8_t>(), 6, 10);
    const span<int> by_row(sums.as<int>(), 6), by_column(sums.as<int>(), 10);
    int* host_sums = reinterpret_cast<int*>(sums.expected());
    test::expect_status(wideload::reduce_rows(bytes, by_row, wideload::plus{}, 1), cudaSuccess,
                        "rows of an mdspan");
    for (int r = 0; r < 6; ++r) {
        host_sums[r] = 1;
        for (int c = 0; c < 10; ++c) host_sums[r] += a.expected()[r * 10 + c];
    }
    sums.expect_equal("rows of an mdspan");
    test::expect_status(wideload::reduce_columns(bytes, by_column, wideload::plus{}, 1),
                        cudaSuccess, "columns of an mdspan");
    for (int c = 0; c < 10; ++c) {
        host_sums[c] = 1;
        for (int r = 0; r < 6; ++r) host_sums[c] += a.expected()[r * 10 + c];
    }
    sums.expect_equal("columns of an mdspan");
    test::expect_rejected(wideload::reduce_rows(bytes, by_column, wideload::plus{}, 1),
                          "sizes that differ");
    test::expect_rejected(wideload::reduce_columns(bytes, by_row, wideload::plus{}, 1),
                          "sizes that differ");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    ranges();
    pairs_of_halves();
    more_ranges();
    indexed_spans();
    rows_of_matrices();
    matrices();
    batches();
    sums_of_matrices();
    return test::finish("span_test");
}
