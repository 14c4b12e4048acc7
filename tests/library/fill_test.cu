// SPDX-License-Identifier: Apache-2.0
// `fill` must repeat a value of any size from any alignment, bit for bit, and touch nothing beside
// its range.
#include <wideload/device/fill.cuh>

#include "support/large.cuh"
#include "support/random.cuh"

namespace {

template <int Size>
void fill_one(std::size_t count, std::size_t offset) {
    test::Blob<Size> value;
    for (int i = 0; i < Size; ++i) value.bytes[i] = static_cast<unsigned char>(test::mix(900 + i));
    test::GuardedBuffer destination(count * Size, offset, 7);
    const std::string what = "fill of " + std::to_string(count) + " values of " +
                             std::to_string(Size) + " bytes at offset " + std::to_string(offset);
    test::expect_status(wideload::fill(destination.as<test::Blob<Size>>(), count, value),
                        cudaSuccess, what);
    for (std::size_t i = 0; i < count * Size; ++i)
        destination.expected()[i] = value.bytes[i % Size];
    destination.expect_equal(what);
}

template <int Size>
void fill_sizes() {
    for (std::size_t count : {0, 1, 31, 32, 33, 127, 1021, 4097}) fill_one<Size>(count, count % 17);
    for (std::size_t offset = 0; offset <= 16; ++offset) fill_one<Size>(600, offset);
    test::random_cases(5, [](test::Random& random) {
        fill_one<Size>(random.length(test::random_bytes(random) / Size), random.offset(Size));
    });
}

void contract() {
    test::expect_status(wideload::fill(static_cast<float*>(nullptr), 0, 1.0f), cudaSuccess,
                        "nothing to fill");
    test::expect_status(wideload::fill(static_cast<float*>(nullptr), 1, 1.0f),
                        cudaErrorInvalidValue, "null");
    test::GuardedBuffer buffer(64, 0, 8);
    test::expect_status(wideload::fill(buffer.as<double>(), SIZE_MAX / 4, 1.0),
                        cudaErrorInvalidValue, "too large");
    buffer.expect_equal("a rejected fill writes nothing");
    test::expect_status(wideload::fill(buffer.as<double>(), 8, 3), cudaSuccess,
                        "a converted value");
    const double three = 3;
    for (int i = 0; i < 8; ++i) std::memcpy(buffer.expected() + i * 8, &three, 8);
    buffer.expect_equal("a value is converted to the elements' type");
}

void beyond_four_gibibytes() {
    const std::size_t count = (std::size_t{1} << 32) / 12 + 12345;
    struct Triple {
        unsigned x, y, z;
    };
    test::LargeBuffer<unsigned> destination(3 * count + 3);
    test::require(cudaMemset(destination.get(), 0xa5, (3 * count + 3) * 4), "cudaMemset");
    test::expect_status(
        wideload::fill(reinterpret_cast<Triple*>(destination.get()), count, Triple{10, 11, 12}),
        cudaSuccess, "fill past 4 GiB");
    test::expect_values(
        destination.get(), 3 * count, [] __device__(std::size_t i) { return unsigned(10 + i % 3); },
        "fill past 4 GiB");
    test::expect_values(
        destination.get() + 3 * count, 3, [] __device__(std::size_t) { return 0xa5a5a5a5u; },
        "words after a fill past 4 GiB");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    fill_sizes<1>();
    fill_sizes<2>();
    fill_sizes<3>();
    fill_sizes<4>();
    fill_sizes<7>();
    fill_sizes<8>();
    fill_sizes<12>();
    fill_sizes<16>();
    fill_sizes<20>();
    fill_sizes<33>();
    fill_sizes<36>();
    fill_sizes<64>();
    fill_sizes<223>();
    // Blocks of more threads.
    fill_one<4>((1 << 20) + 1003, 4);
    fill_one<12>((1 << 19) + 5, 8);
    contract();
    if (test::state().full) beyond_four_gibibytes();
    return test::finish("fill_test");
}
