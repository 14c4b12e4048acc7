// SPDX-License-Identifier: Apache-2.0
// `deinterleave` and `interleave` must be each other's inverse and place every field, for 2 to 16
// fields of any size.
#include "support/interleaves.cuh"
#include "support/large.cuh"

namespace {

using test::both_ways;
using test::GuardedBuffer;

template <int Size, int Fields>
void counts() {
    for (std::size_t count : {0, 1, 3, 31, 32, 33, 257, 1021, 2049})
        both_ways<Size, Fields>(count, 0, 0);
    both_ways<Size, Fields>(777, Size, 0);
    both_ways<Size, Fields>(777, 0, Size);
    both_ways<Size, Fields>(777, 1, 3);
    test::random_counts<Size, Fields>();
}

template <int Size>
void field_counts() {
    counts<Size, 2>();
    counts<Size, 3>();
    counts<Size, 4>();
    counts<Size, 6>();
    counts<Size, 7>();
    counts<Size, 8>();
    counts<Size, 12>();
    counts<Size, 16>();
}

template <int... Fields>
void other_field_counts() {
    for (std::size_t count : {1, 33, 1021}) (both_ways<4, Fields>(count, 0, 0), ...);
    (both_ways<4, Fields>(777, 4, 8), ...);
}

void contract() {
    GuardedBuffer buffer(4096, 0, 70);
    float* data = buffer.as<float>();
    float* null_fields[2] = {data, nullptr};
    float* null = nullptr;
    float* fields[2] = {data + 512, data + 768};
    float* same_fields[2] = {data + 512, data + 512};
    float* inside[2] = {data + 1, data + 512};
    test::expect_status(wideload::deinterleave(data, null_fields, 0), cudaSuccess, "nothing to do");
    test::expect_rejected(wideload::deinterleave(data, null_fields, 1), "null field");
    test::expect_rejected(wideload::deinterleave(data, same_fields, 8), "a field twice");
    test::expect_rejected(wideload::deinterleave(data, inside, 8), "overlap");
    test::expect_rejected(wideload::deinterleave(null, fields, 1), "null structs");
    test::expect_rejected(wideload::deinterleave(data, fields, SIZE_MAX / 4), "too large");
    test::expect_status(wideload::interleave(null_fields, null, 0), cudaSuccess,
                        "join: nothing to do");
    test::expect_rejected(wideload::interleave(null_fields, data + 512, 1), "join: null field");
    test::expect_rejected(wideload::interleave(fields, null, 1), "join: null structs");
    test::expect_rejected(wideload::interleave(inside, data, 8), "join: overlap");
    test::expect_rejected(wideload::interleave(fields, data, SIZE_MAX / 4), "join: too large");
    buffer.expect_equal("a rejected call writes nothing");
    test::expect_status(wideload::interleave(same_fields, data, 8), cudaSuccess,
                        "one array as two fields");
}

void beyond_two_to_the_32() {
    const std::size_t count = (std::size_t{1} << 32) / 12 + 12345;
    test::LargeBuffer<std::uint32_t> structs(3 * count), arrays(3 * count);
    const auto mixed = [] __device__(std::size_t i) { return (std::uint32_t)test::mix(i); };
    test::generate(structs.get(), 3 * count, mixed);
    std::uint32_t* fields[] = {arrays.get(), arrays.get() + count, arrays.get() + 2 * count};
    test::expect_status(wideload::deinterleave(structs.get(), fields, count), cudaSuccess,
                        "large deinterleave");
    test::expect_values(
        arrays.get(), 3 * count,
        [=] __device__(std::size_t i) {
            return (std::uint32_t)test::mix(i % count * 3 + i / count);
        },
        "deinterleave of more than 2^32 bytes");
    test::require(cudaMemset(structs.get(), 0, 12 * count), "cudaMemset");
    test::expect_status(wideload::interleave(fields, structs.get(), count), cudaSuccess,
                        "large interleave");
    test::expect_values(structs.get(), 3 * count, mixed, "interleave of more than 2^32 bytes");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    field_counts<1>();
    field_counts<2>();
    field_counts<4>();
    field_counts<8>();
    field_counts<16>();
    counts<12, 3>();
    counts<3, 5>();
    counts<64, 2>();
    other_field_counts<5, 9, 10, 11, 13, 14, 15>();
    // More than small tiles are for.
    both_ways<1, 16>(525001, 0, 0);
    both_ways<4, 16>(131201, 4, 8);
    both_ways<8, 9>(118001, 0, 0);
    both_ways<3, 4>(437001, 1, 5);
    both_ways<1, 16>(400001, 1, 3);
    // At whole units, and more than go by those where they begin at no sectors.
    both_ways<8, 2>((std::size_t{3} << 20) + 5, 8, 16);
    contract();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("interleave_test");
}
