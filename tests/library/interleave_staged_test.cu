// SPDX-License-Identifier: Apache-2.0
// Each shape of the staged kernels of `deinterleave` and `interleave`, over several blocks' parts,
// at their ends and across them.
#include <vector>

#include "support/interleaves.cuh"
#include "support/large.cuh"

namespace {

using test::Blob;

template <class Shape, class Struct, class Field, class T, int Fields>
cudaError_t by_staged_blocks(Struct* structs, T* (&fields)[Fields], std::size_t count) {
    wideload::detail::InterleavePlan<Fields, Struct, Field> plan{structs, {}, count};
    for (int f = 0; f < Fields; ++f) plan.fields[f] = fields[f];
    return wideload::detail::launch_interleave_staged_as<Shape>(plan, nullptr);
}

/// Where a case's structs and its first field begin, in bytes past a line, and how much farther
/// each field does than the one before.
struct Offsets {
    std::size_t structs, field, step;
};

/// By staged blocks of such shapes, whatever the size.
template <int Size, int Fields, class Split, class Join>
void staged_both_ways(std::size_t count, const Offsets& offsets) {
    using T = Blob<Size>;
    test::FieldOffsets<Fields> fields_at;
    for (int f = 0; f < Fields; ++f) fields_at[f] = offsets.field + f * offsets.step;
    test::expect_both_ways<Size, Fields>(
        count, offsets.structs, fields_at,
        [&](const T* structs, T*(&fields)[Fields]) {
            return by_staged_blocks<Split, const T, T>(structs, fields, count);
        },
        [&](T*(&fields)[Fields], T* structs) {
            return by_staged_blocks<Join, T, const T>(structs, fields, count);
        });
}

template <int Size, int Fields, bool AtSectors, bool Small>
void parts(const std::vector<Offsets>& all_offsets) {
    using Split = wideload::detail::StagedInterleave<Size, Fields, true, AtSectors, Small>;
    using Join = wideload::detail::StagedInterleave<Size, Fields, false, AtSectors, Small>;
    constexpr int kTile = Split::kTileStructs, kOther = Join::kTileStructs;
    for (int count : {kTile - 1, kTile, kTile + 1, kOther + 1, 2 * kTile + 7, 3 * kOther + 33,
                      kTile + Split::kHeld + 31, kOther + Join::kHeld + 32}) {
        for (const Offsets& offsets : all_offsets)
            staged_both_ways<Size, Fields, Split, Join>(count, offsets);
    }
}

/// Of what lies at any address, and at sectors.
template <int Size, int Fields, bool Small>
void parts_anywhere() {
    parts<Size, Fields, false, Small>({{1, 0, 0}, {0, 15, 1}, {17, 30, 5}, {8, 20, 4}});
    parts<Size, Fields, true, Small>({{0, 0, 0}, {32, 96, 32}});
}

template <int Size, int Fields>
void shifted() {
    parts_anywhere<Size, Fields, false>();
    if constexpr (wideload::detail::StagedInterleave<Size, Fields, true, false, false>::kHasSmall)
        parts_anywhere<Size, Fields, true>();
    for (int count : {1, 777, 2049}) {
        test::both_ways<Size, Fields>(count, 17, 30);
        test::both_ways<Size, Fields>(count, 32, 96);
    }
    test::random_counts<Size, Fields>();
}

/// Three arrays of bytes, each at another byte of a word, of more than 2^32 in all.
void beyond_two_to_the_32() {
    const std::size_t count = (std::size_t{1} << 32) / 3 + 12345;
    test::LargeBuffer<std::uint8_t> structs(3 * count + 1), arrays(3 * (count + 32));
    std::uint8_t *const first = structs.get() + 1, *const array = arrays.get();
    std::uint8_t* fields[] = {array + 1, array + count + 32, array + 2 * (count + 32) + 14};
    const auto mixed = [] __device__(std::size_t i) { return (std::uint8_t)test::mix(i); };
    test::generate(first, 3 * count, mixed);
    test::expect_status(wideload::deinterleave(first, fields, count), cudaSuccess,
                        "large staged deinterleave");
    for (std::size_t f = 0; f < 3; ++f) {
        test::expect_values(
            fields[f], count,
            [=] __device__(std::size_t i) { return (std::uint8_t)test::mix(3 * i + f); },
            "staged deinterleave of more than 2^32 bytes");
    }
    test::require(cudaMemset(first, 0, 3 * count), "cudaMemset");
    test::expect_status(wideload::interleave(fields, first, count), cudaSuccess,
                        "large staged interleave");
    test::expect_values(first, 3 * count, mixed, "staged interleave of more than 2^32 bytes");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    shifted<1, 3>();
    shifted<2, 8>();
    shifted<4, 5>();
    shifted<6, 2>();
    shifted<8, 3>();
    shifted<12, 6>();
    shifted<1, 4>();
    shifted<3, 3>();
    shifted<5, 4>();
    shifted<7, 8>();
    shifted<16, 4>();
    shifted<16, 16>();
    shifted<20, 16>();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("interleave_staged_test");
}
