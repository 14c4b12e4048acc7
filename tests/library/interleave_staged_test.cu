// SPDX-License-Identifier: Apache-2.0
// Each shape of the staged kernels of `deinterleave` and `interleave`, over several blocks' parts,
// at their ends and across them.
#include <utility>
#include <vector>

#include "support/interleaves.cuh"

namespace {

using test::Blob;

template <class Shape, class Struct, class Field, class T, int Fields>
cudaError_t by_staged_blocks(Struct* structs, T* (&fields)[Fields], std::size_t count) {
    wideload::detail::InterleavePlan<Fields, Struct, Field> plan{structs, {}, count};
    for (int f = 0; f < Fields; ++f) plan.fields[f] = fields[f];
    return wideload::detail::launch_interleave_staged_as<Shape>(plan, nullptr);
}

/// By staged blocks of such shapes, whatever the size.
template <int Size, int Fields, class Split, class Join>
void staged_both_ways(std::size_t count, std::size_t struct_offset, std::size_t field_offset) {
    using T = Blob<Size>;
    test::expect_both_ways<Size, Fields>(
        count, struct_offset, field_offset,
        [&](const T* structs, T*(&fields)[Fields]) {
            return by_staged_blocks<Split, const T, T>(structs, fields, count);
        },
        [&](T*(&fields)[Fields], T* structs) {
            return by_staged_blocks<Join, T, const T>(structs, fields, count);
        });
}

template <int Size, int Fields, bool AtSectors, bool Small>
void parts(const std::vector<std::pair<int, int>>& offsets) {
    using Split = wideload::detail::StagedInterleave<Size, Fields, true, AtSectors, Small>;
    using Join = wideload::detail::StagedInterleave<Size, Fields, false, AtSectors, Small>;
    constexpr int kTile = Split::kTileStructs, kOther = Join::kTileStructs;
    for (int count : {kTile - 1, kTile, kTile + 1, kOther + 1, 2 * kTile + 7, 3 * kOther + 33,
                      kTile + Split::kHeld + 31, kOther + Join::kHeld + 32}) {
        for (const auto& [structs, fields] : offsets)
            staged_both_ways<Size, Fields, Split, Join>(count, structs, fields);
    }
}

/// Of what lies at any address, and at sectors.
template <int Size, int Fields, bool Small>
void parts_anywhere() {
    parts<Size, Fields, false, Small>({{1, 0}, {0, 15}, {17, 30}, {8, 20}});
    parts<Size, Fields, true, Small>({{0, 0}, {32, 96}});
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
    return test::finish("interleave_staged_test");
}
