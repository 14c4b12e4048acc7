// SPDX-License-Identifier: Apache-2.0
// Matrices whose rows lie apart: `copy_rows`, and `transpose` with pitches and of mdspans, must
// move the rows' elements and leave what lies between as it is.
#include <wideload/device/span.cuh>

#include <cuda/std/mdspan>

#include "support/large.cuh"
#include "support/random.cuh"

namespace {

using test::Blob;
using test::GuardedBuffer;

/// A matrix, or a batch of them: elements from row to row, and from matrix to matrix.
struct Layout {
    std::size_t rows, columns, batch, pitch, stride;

    std::size_t elements() const {
        return rows * columns * batch == 0 ? 0
                                           : (batch - 1) * stride + (rows - 1) * pitch + columns;
    }
    std::size_t at(std::size_t matrix, std::size_t row, std::size_t column) const {
        return matrix * stride + row * pitch + column;
    }
    Layout transposed(std::size_t to_pitch, std::size_t to_stride) const {
        return {columns, rows, batch, to_pitch, to_stride};
    }
    std::string name(std::size_t size) const {
        return std::to_string(batch) + " x " + std::to_string(rows) + " x " +
               std::to_string(columns) + " elements of " + std::to_string(size) + " bytes, " +
               std::to_string(pitch) + " and " + std::to_string(stride) + " apart";
    }
};

Layout matrix(std::size_t rows, std::size_t columns, std::size_t pitch) {
    return {rows, columns, 1, pitch, 0};
}

template <class T>
auto view(T* data, const Layout& layout) {
    using extents = cuda::std::dextents<std::size_t, 3>;
    return cuda::std::mdspan<T, extents, cuda::std::layout_stride>(
        data, cuda::std::layout_stride::mapping<extents>(
                  extents(layout.batch, layout.rows, layout.columns),
                  cuda::std::array<std::size_t, 3>{layout.stride, layout.pitch, 1}));
}

/// Moves elements into another layout on the host, where the expected bytes are.
template <class Place>
void move_on_host(GuardedBuffer& from, GuardedBuffer& to, const Layout& layout, std::size_t size,
                  const Place& place) {
    for (std::size_t b = 0; b < layout.batch; ++b) {
        for (std::size_t r = 0; r < layout.rows; ++r) {
            for (std::size_t c = 0; c < layout.columns; ++c)
                std::memcpy(to.expected() + place(b, r, c) * size,
                            from.expected() + layout.at(b, r, c) * size, size);
        }
    }
}

/// Bytes past a line at which the two sides begin.
struct Offsets {
    std::size_t from, to;
    std::string name() const {
        return ", " + std::to_string(from) + " and " + std::to_string(to) + " past a line";
    }
};

template <class T>
void copied(const Layout& layout, std::size_t to_pitch, Offsets offsets = {0, 0}) {
    const Layout target = matrix(layout.rows, layout.columns, to_pitch);
    GuardedBuffer from(layout.elements() * sizeof(T), offsets.from, 31),
        to(target.elements() * sizeof(T), offsets.to, 32);
    const std::string what =
        "rows of " + layout.name(sizeof(T)) + ", to " + std::to_string(to_pitch) + offsets.name();
    test::expect_status(wideload::copy_rows(from.as<const T>(), layout.pitch, to.as<T>(), to_pitch,
                                            layout.rows, layout.columns),
                        cudaSuccess, what);
    move_on_host(from, to, layout, sizeof(T),
                 [&](std::size_t, std::size_t r, std::size_t c) { return target.at(0, r, c); });
    to.expect_equal(what);
    from.expect_equal("the source of " + what);
}

template <class T>
void transposed(const Layout& layout, std::size_t to_pitch, std::size_t to_stride = 0,
                Offsets offsets = {0, 0}) {
    const Layout target = layout.transposed(to_pitch, to_stride);
    GuardedBuffer from(layout.elements() * sizeof(T), offsets.from, 33),
        to(target.elements() * sizeof(T), offsets.to, 34);
    const std::string what = "transpose of " + layout.name(sizeof(T)) + ", to " +
                             std::to_string(to_pitch) + " and " + std::to_string(to_stride) +
                             offsets.name();
    const auto transpose = [&] {
        if (layout.batch == 1)
            return wideload::transpose(from.as<const T>(), layout.pitch, to.as<T>(), to_pitch,
                                       layout.rows, layout.columns);
        return wideload::transpose_batched(view(from.as<const T>(), layout),
                                           view(to.as<T>(), target));
    };
    test::expect_status(transpose(), cudaSuccess, what);
    move_on_host(from, to, layout, sizeof(T),
                 [&](std::size_t b, std::size_t r, std::size_t c) { return target.at(b, c, r); });
    to.expect_equal(what);
    from.expect_equal("the input of " + what);
}

/// Shapes that fill tiles, are less than one, or lie around both.
template <int Size>
void element_size() {
    using T = Blob<Size>;
    for (std::size_t rows : {0, 1, 2, 17, 64, 129}) {
        for (std::size_t columns : {0, 1, 3, 16, 65, 128}) {
            const Layout layout = matrix(rows, columns, columns + 5);
            copied<T>(layout, columns + 2);
            copied<T>(matrix(rows, columns, columns + 16), columns + 32);
            copied<T>(layout, columns, {1, 2});
            transposed<T>(layout, rows + 3);
            transposed<T>(matrix(rows, columns, columns + 16), rows + 32);
            transposed<T>(layout, rows);
            transposed<T>(matrix(rows, columns, columns), rows + 1);
        }
    }
    for (std::size_t offset = 1; offset <= 16; ++offset) {
        copied<T>(matrix(23, 37, 41), 40, {offset, 0});
        copied<T>(matrix(23, 37, 48), 48, {0, offset});
        transposed<T>(matrix(65, 67, 71), 70, 0, {offset, 0});
        transposed<T>(matrix(80, 64, 80), 96, 0, {0, offset});
    }
    test::random_cases(6, [](test::Random& random) {
        const auto [rows, columns, batch] = test::random_shape(random, Size);
        const auto gap = [&] { return random.one_in(3) ? 0 : random.length(100); };
        const Offsets offsets{random.offset(Size), random.offset(Size)};
        const std::size_t pitch = columns + gap(), to_pitch = rows + gap();
        copied<T>(matrix(rows, columns, pitch), columns + gap(), offsets);
        transposed<T>({rows, columns, batch, pitch, rows * pitch + gap()}, to_pitch,
                      columns * to_pitch + gap(), offsets);
        // Matrices that alternate row by row, as the heads of attention do.
        transposed<T>({rows, columns, batch, batch * pitch, pitch}, batch * to_pitch, to_pitch,
                      offsets);
    });
}

/// Large enough for each way, with several tiles both ways.
void ways() {
    transposed<char>(matrix(300, 520, 544), 320);
    transposed<char>(matrix(301, 521, 523), 303);
    transposed<char>(matrix(1025, 1031, 1043), 1030);
    transposed<short>(matrix(301, 321, 323), 303, 0, {2, 4});
    transposed<short>(matrix(301, 321, 323), 303, 0, {1, 4});
    transposed<float>(matrix(320, 400, 404), 324);
    transposed<float>(matrix(321, 401, 403), 327);
    transposed<float>(matrix(321, 401, 403), 327, 0, {1, 2});
    transposed<float>(matrix(1301, 1303, 1311), 1310);
    transposed<double>(matrix(321, 201, 203), 327);
    transposed<double>({40, 36, 9, 38, 1600}, 42, 1700);
    transposed<float4>(matrix(65, 129, 130), 66);
    transposed<Blob<12>>(matrix(65, 129, 130), 66, 0, {4, 8});
    transposed<Blob<3>>(matrix(900, 1000, 1024), 1001);
    transposed<Blob<3>>({300, 230, 12, 12 * 240, 240}, 12 * 304, 304, {1, 2});
    transposed<Blob<5>>(matrix(800, 700, 709), 811, 0, {3, 1});
    transposed<Blob<6>>({1001, 903, 2, 911, 1001 * 911 + 5}, 1003, 903 * 1003, {2, 4});
    copied<char>(matrix(3000, 65, 67), 66);
    copied<float>(matrix(700, 1024, 1032), 1028);
    copied<float>(matrix(2, 100000, 100004), 100004);
    copied<short>(matrix(2000, 255, 257), 256);
}

/// So large that rows which begin within sectors go by sheared tiles, whole words or not.
void sheared_ways() {
    transposed<short>(matrix(3001, 3003, 3010), 3005);
    transposed<double>(matrix(2101, 2103, 2110), 2108);
    transposed<char>(matrix(6000, 6016, 6032), 6000);
    transposed<short>(matrix(1276, 1284, 1288), 1292);
    transposed<float>(matrix(3000, 3000, 3004), 3004);
    transposed<double>(matrix(3600, 3600, 3602), 3602);
}

/// A quarter of a matrix to the opposite quarter, whose rows lie between its own.
void within_a_matrix() {
    constexpr std::size_t kSide = 70, kHalf = kSide / 2;
    GuardedBuffer buffer(kSide * kSide * 4, 0, 35);
    int* data = buffer.as<int>();
    int* host = reinterpret_cast<int*>(buffer.expected());
    const Layout layout = matrix(kHalf, kHalf, kSide);
    const auto repeat = [&](std::size_t to, bool swapped) {
        for (std::size_t r = 0; r < kHalf; ++r) {
            for (std::size_t c = 0; c < kHalf; ++c)
                host[to + (swapped ? layout.at(0, c, r) : layout.at(0, r, c))] =
                    host[layout.at(0, r, c)];
        }
    };
    test::expect_status(wideload::copy_rows<int>(data, kSide, data + kHalf, kSide, kHalf, kHalf),
                        cudaSuccess, "rows to their right");
    repeat(kHalf, false);
    test::expect_status(
        wideload::transpose<int>(data, kSide, data + kHalf * kSide, kSide, kHalf, kHalf),
        cudaSuccess, "a quarter to the one below");
    repeat(kHalf * kSide, true);
    test::expect_status(wideload::transpose<int>(data + kHalf, kSide, data, kSide, kHalf, kHalf),
                        cudaSuccess, "a quarter to its left");
    const std::vector<int> right(host, host + kSide * kSide);
    for (std::size_t r = 0; r < kHalf; ++r) {
        for (std::size_t c = 0; c < kHalf; ++c) host[c * kSide + r] = right[kHalf + r * kSide + c];
    }
    test::expect_status(wideload::copy_rows<int>(data, kSide, data, kSide, kHalf, kHalf),
                        cudaSuccess, "rows onto themselves");
    buffer.expect_equal("quarters of a matrix");
    // From the first row on, 35 elements of 70; 20 to a row of the transpose.
    int* const from = data + kSide * 20 + kHalf;
    for (int ahead : {-34, -1, 1, 34, 36}) {
        test::expect_rejected(wideload::copy_rows<int>(from, kSide, from + ahead, kSide, 20, kHalf),
                              "a copy of rows that overlap by " + std::to_string(ahead));
    }
    for (int ahead : {-19, -1, 1, 34, 51}) {
        test::expect_rejected(wideload::transpose<int>(from, kSide, from + ahead, kSide, 20, kHalf),
                              "rows that overlap by " + std::to_string(ahead));
    }
    test::expect_rejected(wideload::copy_rows<int>(data, kSide, data + 30, kSide + 1, 9, 3),
                          "rows that are differently far apart");
    test::expect_status(wideload::copy_rows<int>(data + 2 * kSide + 40, 1, data, kSide, 1, 9),
                        cudaSuccess, "one row");
    test::expect_rejected(wideload::copy_rows<int>(data + kSide, 9, data, kSide, 1, 90),
                          "one row onto its end");
}

void contract() {
    GuardedBuffer buffer(65536, 0, 36);
    float* const data = buffer.as<float>();
    float* const null = nullptr;
    float* const other = data + 8192;
    constexpr std::size_t kMuch = SIZE_MAX / 8;
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, 0}}) {
        test::expect_status(wideload::copy_rows(null, 0, null, 0, rows, columns), cudaSuccess,
                            "nothing to copy");
        test::expect_status(wideload::transpose(null, 0, null, 0, rows, columns), cudaSuccess,
                            "nothing to transpose");
    }
    struct {
        const float* from;
        std::size_t from_pitch;
        float* to;
        std::size_t to_pitch, rows, columns;
        const char* what;
    } const cases[] = {{null, 9, other, 9, 4, 4, "a null source"},
                       {data, 9, null, 9, 4, 4, "a null destination"},
                       {data, 3, other, 9, 4, 4, "rows of the source that overlap"},
                       {data, 9, other, 3, 4, 4, "rows of the destination that overlap"},
                       {data, 0, other, 9, 4, 4, "a pitch of none"},
                       {data, kMuch, other, 9, 9, 4, "a source past the address space"},
                       {data, 9, other, kMuch, 9, 9, "a destination past the address space"},
                       {data, SIZE_MAX, other, SIZE_MAX, 2, 2, "pitches of all there is"},
                       {data, 9, other, 9, SIZE_MAX / 2, 9, "rows past the address space"},
                       {data, 90, data + 100, 91, 4, 4, "ranges that overlap"}};
    for (const auto& [from, from_pitch, to, to_pitch, rows, columns, what] : cases) {
        test::expect_rejected(wideload::copy_rows(from, from_pitch, to, to_pitch, rows, columns),
                              std::string("copy of ") + what);
        test::expect_rejected(wideload::transpose(from, from_pitch, to, to_pitch, rows, columns),
                              std::string("transpose of ") + what);
    }
    const auto batched = [&](const Layout& from, const Layout& to) {
        return wideload::transpose_batched(view(data, from), view(other, to));
    };
    const Layout plain{3, 5, 4, 5, 15}, out{5, 3, 4, 3, 15};
    test::expect_rejected(batched({3, 5, 4, 5, 14}, out), "matrices that overlap");
    test::expect_rejected(batched(plain, {5, 3, 4, 11, 3}), "rows that alternate and overlap");
    test::expect_rejected(batched(plain, {5, 3, 4, 3, 3}), "matrices as far apart as their rows");
    test::expect_rejected(batched(plain, {5, 3, 3, 3, 15}), "fewer matrices");
    buffer.expect_equal("a rejected call writes nothing");
}

struct Mixed {
    __host__ __device__ std::uint32_t operator()(std::size_t i) const {
        return static_cast<std::uint32_t>(test::mix(i));
    }
};

/// Of element i of the result: between rows of 3 elements of `pitch`, what was there before.
struct Third {
    std::size_t rows, from_pitch, pitch;
    bool swapped;
    __host__ __device__ std::uint32_t operator()(std::size_t i) const {
        const std::size_t row = i / pitch, column = i % pitch;
        if (swapped) return column < rows ? Mixed{}(column * from_pitch + row) : 7;
        return column < 3 ? Mixed{}(row * from_pitch + column) : 7;
    }
};

void beyond_two_to_the_32() {
    constexpr std::size_t kRows = (std::size_t{1} << 27) + 5, kPitch = 9, kColumns = 3;
    test::LargeBuffer<std::uint32_t> from(kRows * kPitch);
    test::generate(from.get(), kRows * kPitch, Mixed{});
    for (const bool swapped : {false, true}) {
        const std::size_t pitch = swapped ? kRows + 3 : 4, lines = swapped ? kColumns : kRows;
        const std::size_t count = (lines - 1) * pitch + (swapped ? kRows : kColumns);
        test::LargeBuffer<std::uint32_t> to(count);
        test::generate(to.get(), count, [] __device__(std::size_t) { return 7u; });
        const cudaError_t status =
            swapped ? wideload::transpose(from.get(), kPitch, to.get(), pitch, kRows, kColumns)
                    : wideload::copy_rows(from.get(), kPitch, to.get(), pitch, kRows, kColumns);
        const std::string what = swapped ? "a long matrix with pitches" : "many rows with pitches";
        test::expect_status(status, cudaSuccess, what);
        test::expect_values(to.get(), count, Third{kRows, kPitch, pitch, swapped}, what);
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    element_size<1>();
    element_size<2>();
    element_size<3>();
    element_size<4>();
    element_size<8>();
    element_size<12>();
    element_size<16>();
    element_size<20>();
    element_size<36>();
    element_size<64>();
    ways();
    within_a_matrix();
    contract();
    if (test::state().full) {
        sheared_ways();
        beyond_two_to_the_32();
    }
    return test::finish("pitched_test");
}
