// SPDX-License-Identifier: Apache-2.0
// `transpose_in_place` must move every element of a rectangle to its place, in however many panels,
// whatever their strips.
#include "support/transposes.cuh"

namespace {

using test::Blob;
using test::GuardedBuffer;
using test::in_panels;
using test::rectangle_in_place;
using test::transpose_on_host;

/// In at least so many panels, which so many thread blocks hold in shared memory, of matrices that
/// start `offset` bytes past a line.
template <class Pieces>
void held(std::size_t rows, std::size_t columns, std::size_t panels, std::size_t blocks,
          std::size_t offset = 0, std::size_t batch = 1) {
    constexpr int kSize = sizeof(typename Pieces::value_type);
    const wideload::detail::PanelSize panel{rows * columns * kSize / panels + 1, 1, blocks};
    const auto grid = wideload::detail::held_grid<Pieces>(rows, columns, panel.bytes, blocks);
    const std::size_t scratch_bytes = grid.scratch_bytes(rows, kSize);
    GuardedBuffer data(rows * columns * batch * kSize, offset, 75), scratch(scratch_bytes, 0, 76);
    const std::string what = "in-place transpose of " + test::shape(rows, columns, batch, kSize) +
                             " in " + std::to_string(grid.panels) + " panels held by " +
                             std::to_string(blocks) + " blocks";
    test::expect(grid.panels >= panels, what);
    test::expect_status(wideload::detail::dispatch_transpose_rectangle<kSize>(
                            data.as<void>(), rows, columns, batch, 0, panel,
                            {scratch.as<void>(), scratch_bytes, false}, nullptr),
                        cudaSuccess, what);
    transpose_on_host(data.expected(), rows, columns, batch, kSize);
    data.expect_equal(what);
    scratch.expect_guards(what + ", scratch memory");
}

/// Whatever steps there are: of tiles and blocks that are not full, with a strip of columns and of
/// rows, and of fewer pieces than slots.
template <int Size>
void held_words() {
    using Pieces = wideload::detail::HeldWords<wideload::detail::access_word_t<Size>>;
    constexpr std::size_t kWord = 16 / Size;
    held<Pieces>(64 * kWord, 96 * kWord, 2, 20);
    held<Pieces>(129 * kWord, 61 * kWord, 3, 30);
    held<Pieces>(61 * kWord, 129 * kWord, 4, 30);
    held<Pieces>(131 * kWord, 173 * kWord, 7, 34, 16, 2);
    held<Pieces>(16 * 12, 8 * 12 * kWord, 12, 5);
    held<Pieces>(16 * 20 + kWord, (9 * 20 + 7) * kWord, 20, 9);
    held<Pieces>(16 * 20 + kWord, (12 * 20 + 1) * kWord, 20, 40);
    test::random_cases(6, [](test::Random& random) {
        const std::size_t panels = 2 + random.size(14);
        const std::size_t rows = 16 * panels + random.size(panels) / kWord * kWord;
        const std::size_t columns = (10 * panels + random.size(panels)) * kWord;
        held<Pieces>(rows, columns, panels, 12 + random.size(20));
    });
}

/// Rows of an odd number of runs, or of whole words, that start at multiples of a run.
template <int Size, int Run>
void held_elements() {
    using Pieces = wideload::detail::HeldElements<wideload::detail::access_word_t<Size>, Run>;
    constexpr std::size_t kWord = 16 / Size, kBytes = Size * Run;
    const auto odd = [](std::size_t columns) {
        return Run == kWord ? columns / Run * Run : (columns / Run | 1) * Run;
    };
    held<Pieces>(257, odd(20 * kWord * Size), 2, 20);
    held<Pieces>(516, odd(61 * kWord), 3, 19, 16 - kBytes);
    held<Pieces>(131 * kWord + 1, odd(173 * kWord), 7, 34, 16 - kBytes, 2);
    held<Pieces>(16 * 12 + 3, odd(8 * 12 * kWord + 7), 12, 9);
    held<Pieces>(16 * 20 + 4, odd((9 * 20 + 6) * kWord), 20, 19, 4 * kBytes);
    held<Pieces>(16 * 20 + 5, odd((12 * 20 + 1) * kWord), 20, 40);
    test::random_cases(6, [=](test::Random& random) {
        const std::size_t panels = 2 + random.size(14);
        const std::size_t rows = 16 * panels + random.size(panels) + random.size(4);
        const std::size_t columns = odd((10 * panels + random.size(panels)) * kWord + 1);
        held<Pieces>(rows, columns, panels, 20 + random.size(20), random.size(4) * kBytes);
    });
}
template <int Size, int... Runs>
void held_runs(std::integer_sequence<int, Runs...>) {
    (held_elements<Size, Runs>(), ...);
}

template <int Size>
void element_size() {
    const std::size_t shapes[][2] = {{1, 1},   {1, 37},  {37, 1},  {2, 3},   {3, 2},
                                     {31, 33}, {64, 48}, {61, 67}, {4, 516}, {516, 4}};
    for (const auto& [rows, columns] : shapes) {
        rectangle_in_place<Size>(rows, columns);
        rectangle_in_place<Size>(rows, columns, 5, Size % 16);
    }
    rectangle_in_place<Size>(40, 24, 3, 1);
    rectangle_in_place<Size>(130, 70);
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{60, 84},
                                 {84, 60},
                                 {53, 97},
                                 {97, 53},
                                 {64, 128},
                                 {96, 32},
                                 {7, 700},
                                 {700, 7},
                                 {2, 301}}) {
        for (const std::size_t panels : {1, 2, 5, 13, 1000})
            in_panels<Size>(rows, columns, rows * columns * Size / panels + 1);
        in_panels<Size>(rows, columns, rows * columns * Size / 4, 1);
        in_panels<Size>(rows, columns, rows * columns * Size / 4, Size);
    }
    test::random_cases(10, [](test::Random& random) {
        const auto [rows, columns, batch] = test::random_shape(random, Size);
        rectangle_in_place<Size>(rows, columns, batch, random.offset(Size));
    });
    test::random_cases(10, [](test::Random& random) {
        const auto [rows, columns, batch] = test::random_shape(random, Size);
        const std::size_t most = rows * columns * Size / random.size(20) + 1;
        in_panels<Size>(rows, columns, most, random.offset(Size));
    });
}

void contract() {
    GuardedBuffer buffer(4096, 0, 73), scratch(2400, 0, 74);
    float* data = buffer.as<float>();
    void* memory = scratch.as<void>();
    float* null = nullptr;
    test::expect_status(wideload::transpose_in_place(null, 0, 10), cudaSuccess, "empty");
    test::expect_status(wideload::transpose_in_place(null, 2, 3), cudaErrorInvalidValue, "null");
    test::expect_status(wideload::transpose_in_place(data, 2, 3, nullptr, 1024),
                        cudaErrorInvalidValue, "null scratch");
    test::expect_status(wideload::transpose_in_place(data, 20, 30, memory, 2399),
                        cudaErrorInvalidValue, "little scratch");
    test::expect_status(wideload::transpose_in_place(data, 2, 3, scratch.as<char>() + 4, 1024),
                        cudaErrorInvalidValue, "misaligned scratch");
    test::expect_status(wideload::transpose_in_place(data, 20, 30, data + 512, 2400),
                        cudaErrorInvalidValue, "scratch in the matrix");
    test::expect_status(wideload::transpose_in_place(data, SIZE_MAX / 8, 64), cudaErrorInvalidValue,
                        "too large");
    buffer.expect_equal("a rejected transpose writes nothing");
    test::expect_status(wideload::transpose_in_place(data, 20, 30, memory, 2400), cudaSuccess,
                        "lent scratch");
    transpose_on_host(buffer.expected(), 20, 30, 1, 4);
    buffer.expect_equal("transpose with lent scratch");
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{20, 20}, {1, 400}, {400, 1}}) {
        test::expect(wideload::transpose_in_place_scratch_bytes<float>(rows, columns) == 0,
                     "squares, rows and columns need no scratch memory");
        test::expect_status(wideload::transpose_in_place(data, rows, columns, nullptr, 0),
                            cudaSuccess, "no scratch memory where none is needed");
    }
    transpose_on_host(buffer.expected(), 20, 20, 1, 4);
    buffer.expect_equal("transpose without scratch");
}

/// Whatever the shape, scratch memory is what is promised of it.
template <int Size>
void scratch_sizes() {
    constexpr std::size_t kMany = std::size_t{1} << 30;
    test::random_cases(200, [](test::Random& random) {
        const std::size_t rows = 64 + random.length(1 << 22),
                          columns = 64 + random.length((std::size_t{1} << 36) / rows / Size);
        if (rows == columns) return;
        const std::size_t bytes = rows * columns * Size, longer = rows > columns ? rows : columns;
        std::size_t most = std::max(std::size_t{33} << 20, 64 * longer * Size);
        if (bytes > kMany) most = std::max(most, bytes / 32);
        const std::size_t needed =
            wideload::transpose_in_place_scratch_bytes<Blob<Size>>(rows, columns);
        test::expect(needed <= std::min(most, bytes + 15), std::to_string(needed) +
                                                               " bytes of scratch memory for " +
                                                               test::shape(rows, columns, 1, Size));
    });
}

/// More matrices than a grid has blocks.
void large_batch() {
    const std::size_t matrices = (std::size_t{1} << 31) + 1000;
    test::LargeBuffer<unsigned char> data(matrices * 4);
    test::generate(data.get(), matrices * 4,
                   [] __device__(std::size_t i) { return (unsigned char)test::mix(i); });
    test::expect_status(wideload::transpose_square_in_place(data.get(), 2, matrices), cudaSuccess,
                        "large batch in place");
    test::expect_values(
        data.get(), matrices * 4,
        [=] __device__(std::size_t i) {
            const std::size_t swapped = i % 4 == 1 || i % 4 == 2 ? i ^ 3 : i;
            return (unsigned char)test::mix(swapped);
        },
        "in-place transpose of " + test::shape(2, 2, matrices, 1));
}

/// Panels of any kind, indices past 2^31 and 2^32 bytes.
void large() {
    large_batch();
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{4099, 8191},
                                 {8192, 4096},
                                 {9001, 12000},
                                 {5, 3000001},
                                 {1000003, 12},
                                 {50000, 50007},
                                 {65537, 65541}}) {
        test::LargeBuffer<unsigned char> data(rows * columns);
        test::generate(data.get(), rows * columns,
                       [] __device__(std::size_t i) { return (unsigned char)test::mix(i); });
        test::expect_status(wideload::transpose_in_place(data.get(), rows, columns), cudaSuccess,
                            "large transpose in place");
        const std::size_t r = rows, c = columns;
        test::expect_values(
            data.get(), rows * columns,
            [=] __device__(std::size_t i) { return (unsigned char)test::mix((i % r) * c + i / r); },
            "in-place transpose of " + test::shape(rows, columns, 1, 1));
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    element_size<1>();
    element_size<2>();
    element_size<4>();
    element_size<8>();
    element_size<16>();
    element_size<3>();
    element_size<12>();
    element_size<64>();
    held_words<1>();
    held_words<2>();
    held_words<4>();
    held_words<8>();
    held_words<16>();
    held_runs<1>(std::integer_sequence<int, 1, 2, 4, 8, 16>{});
    held_runs<2>(std::integer_sequence<int, 1, 2, 4, 8>{});
    held_runs<4>(std::integer_sequence<int, 1, 2, 4>{});
    held_runs<8>(std::integer_sequence<int, 1, 2>{});
    contract();
    scratch_sizes<1>();
    scratch_sizes<2>();
    scratch_sizes<3>();
    scratch_sizes<4>();
    scratch_sizes<12>();
    scratch_sizes<16>();
    // Blocks of whole words would leave half of the columns behind.
    in_panels<1>(1021, 576, 32 << 10, 0, 32);
    in_panels<4>(2001, 672, 256 << 10, 4, 32);
    if (test::state().full) large();
    return test::finish("transpose_in_place_test");
}
