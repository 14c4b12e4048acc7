// SPDX-License-Identifier: Apache-2.0
// `deinterleave` and `interleave` must be each other's inverse and place every field, for 2 to 16
// fields of any size.
#include <wideload/device/interleave.cuh>

#include <memory>
#include <utility>
#include <vector>

#include "support/large.cuh"
#include "support/random.cuh"

namespace {

using test::Blob;
using test::GuardedBuffer;

/// That `split(structs, fields)` and `join(fields, structs)` place every field.
template <int Size, int Fields, class Split, class Join>
void expect_both_ways(std::size_t count, std::size_t struct_offset, std::size_t field_offset,
                      Split split, Join join) {
    const std::string what = std::to_string(count) + " structs of " + std::to_string(Fields) +
                             " fields of " + std::to_string(Size) + " bytes, offsets " +
                             std::to_string(struct_offset) + " and " + std::to_string(field_offset);
    GuardedBuffer structs(count * Fields * Size, struct_offset, 50),
        again(count * Fields * Size, struct_offset, 51);
    std::vector<std::unique_ptr<GuardedBuffer>> arrays;
    Blob<Size>* fields[Fields];
    for (int f = 0; f < Fields; ++f) {
        arrays.push_back(std::make_unique<GuardedBuffer>(count * Size, field_offset, 52 + f));
        fields[f] = arrays.back()->template as<Blob<Size>>();
    }
    test::expect_status(split(structs.as<const Blob<Size>>(), fields), cudaSuccess, what);
    for (int f = 0; f < Fields; ++f) {
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(arrays[f]->expected() + i * Size,
                        structs.expected() + (i * Fields + f) * Size, Size);
        }
        arrays[f]->expect_equal("deinterleave of " + what + ", field " + std::to_string(f));
    }
    test::expect_status(join(fields, again.as<Blob<Size>>()), cudaSuccess, what);
    std::memcpy(again.expected(), structs.expected(), structs.size());
    again.expect_equal("interleave of " + what);
}

template <int Size, int Fields>
void both_ways(std::size_t count, std::size_t struct_offset, std::size_t field_offset) {
    using Array = Blob<Size>*;
    expect_both_ways<Size, Fields>(
        count, struct_offset, field_offset,
        [&](const Blob<Size>* structs, Array(&fields)[Fields]) {
            return wideload::deinterleave(structs, fields, count);
        },
        [&](Array(&fields)[Fields], Blob<Size>* structs) {
            return wideload::interleave(fields, structs, count);
        });
}

/// By staged blocks of such shapes, whatever the size.
template <int Size, int Fields, class Split, class Join>
void staged_both_ways(std::size_t count, std::size_t struct_offset, std::size_t field_offset) {
    using T = Blob<Size>;
    expect_both_ways<Size, Fields>(
        count, struct_offset, field_offset,
        [&](const T* structs, T*(&fields)[Fields]) {
            wideload::detail::InterleavePlan<Fields, const T, T> plan{structs, {}, count};
            for (int f = 0; f < Fields; ++f) plan.fields[f] = fields[f];
            return wideload::detail::launch_interleave_staged_as<Split>(plan, nullptr);
        },
        [&](T*(&fields)[Fields], T* structs) {
            wideload::detail::InterleavePlan<Fields, T, const T> plan{structs, {}, count};
            for (int f = 0; f < Fields; ++f) plan.fields[f] = fields[f];
            return wideload::detail::launch_interleave_staged_as<Join>(plan, nullptr);
        });
}

template <int Size, int Fields>
void random_counts() {
    test::random_cases(4, [](test::Random& random) {
        const std::size_t count = random.length(test::random_bytes(random) / (Size * Fields));
        both_ways<Size, Fields>(count, random.offset(Size), random.offset(Size));
    });
}

template <int Size, int Fields>
void counts() {
    for (std::size_t count : {0, 1, 3, 31, 32, 33, 257, 1021, 2049})
        both_ways<Size, Fields>(count, 0, 0);
    both_ways<Size, Fields>(777, Size, 0);
    both_ways<Size, Fields>(777, 0, Size);
    both_ways<Size, Fields>(777, 1, 3);
    random_counts<Size, Fields>();
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

/// Several blocks' parts, at their ends and across them.
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
        both_ways<Size, Fields>(count, 17, 30);
        both_ways<Size, Fields>(count, 32, 96);
    }
    random_counts<Size, Fields>();
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
    contract();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("interleave_test");
}
