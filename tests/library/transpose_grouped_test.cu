// SPDX-License-Identifier: Apache-2.0
// Elements that are no whole words, which go by words of 4 bytes all the same, must be transposed
// for any shape, batch and alignment.
#include "support/transposes.cuh"

namespace {

using test::GuardedBuffer;
using test::out_of_place;

/// By words, whatever the size of the matrices.
template <int Size>
void grouped(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t from = 0,
             std::size_t to = 0) {
    // Elements of even sizes begin at even addresses.
    constexpr std::size_t kUnit = Size % 2 == 0 ? 2 : 1;
    test::expect_transposed<Size>("grouped tiles", rows, columns, batch, from * kUnit, to * kUnit,
                                  [&](GuardedBuffer& input, GuardedBuffer& output) {
                                      return wideload::detail::launch_transpose_grouped<Size>(
                                          input.as<const void>(), output.as<void>(), rows, columns,
                                          batch, nullptr);
                                  });
}

template <int Size>
void element_size() {
    // Of every length of the last tile along the output, which may begin behind the rows.
    for (std::size_t rows = 56; rows <= 70; ++rows) grouped<Size>(rows, 41, 1, rows % 4, rows % 3);
    for (std::size_t rows = 118; rows <= 132; ++rows) grouped<Size>(rows, 9, 2, 0, rows % 4);
    for (std::size_t rows = 246; rows <= 253; ++rows) grouped<Size>(rows, 53, 1, rows % 4, 0);
    for (std::size_t columns = 1; columns <= 50; ++columns) grouped<Size>(131, columns, 1, 1, 3);
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        grouped<Size>(71, 133, 2, offset, 0);
        grouped<Size>(133, 71, 2, 0, offset);
        grouped<Size>(260, 49, 1, offset, 16 - offset);
    }
    // The words that a batch begins and ends within hold several rows of few columns.
    for (std::size_t rows = 1; rows <= 6; ++rows) {
        for (std::size_t columns = 1; columns <= 6; ++columns)
            grouped<Size>(rows, columns, 1 + rows % 3, rows % 4, columns % 4);
    }
    test::random_cases(20, [](test::Random& random) {
        const auto [rows, columns, batch] = test::random_shape(random, Size);
        grouped<Size>(rows, columns, batch, random.offset(1), random.offset(1));
    });
}

/// Matrices of so many tiles that they go by words, whether or not their rows are odd.
void chosen() {
    using wideload::detail::prefers_grouped_tiles;
    out_of_place<3>(621, 1283, 1);
    out_of_place<3>(624, 1280, 1, 1, 2);
    out_of_place<3>(121, 80, 90, 3, 0);
    out_of_place<9>(373, 803, 1);
    out_of_place<6>(1241, 801, 1, 2, 0);
    const auto expect = [](bool wanted, bool found, const char* what) {
        test::expect(wanted == found, std::string("by words: ") + what);
    };
    expect(true, prefers_grouped_tiles<3>(1080, 1920, 1), "an image of 3 bytes a pixel");
    expect(true, prefers_grouped_tiles<3>(121, 80, 90), "many small images");
    expect(false, prefers_grouped_tiles<3>(500, 500, 1), "a small image");
    expect(false, prefers_grouped_tiles<3>(20, 100000, 1), "few rows, which leave lanes idle");
    expect(false, prefers_grouped_tiles<3>(1000, std::size_t{1} << 23, 1), "too long rows");
    expect(true, prefers_grouped_tiles<6>(1081, 1921, 1), "three halves");
    expect(true, prefers_grouped_tiles<6>(1080, 1920, 1), "in rows that end within sectors");
    expect(false, prefers_grouped_tiles<6>(1088, 1920, 1), "in rows of whole sectors");
}

struct Pixel {
    std::uint8_t red, green, blue;

    Pixel() = default;
    __device__ explicit Pixel(std::uint64_t bits)
        : red(static_cast<std::uint8_t>(bits)),
          green(static_cast<std::uint8_t>(bits >> 8)),
          blue(static_cast<std::uint8_t>(bits >> 16)) {}
    __device__ bool operator==(const Pixel& other) const {
        return red == other.red && green == other.green && blue == other.blue;
    }
};

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    element_size<3>();
    element_size<5>();
    element_size<6>();
    element_size<7>();
    element_size<9>();
    element_size<10>();
    element_size<11>();
    element_size<13>();
    chosen();
    if (test::state().full) {
        test::large<Pixel>(40003, 40001);  // more than 2^32 bytes
        test::large<Pixel>(121, 80, 200001);
        test::large<Pixel>(3000007, 81);  // tiles are counted across first
    }
    return test::finish("transpose_grouped_test");
}
