// SPDX-License-Identifier: Apache-2.0
// What the tests of interleaves share.
#pragma once

#include <wideload/device/interleave.cuh>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "harness.cuh"
#include "random.cuh"

namespace test {

/// Where the fields of a case begin, in bytes past a line.
template <int Fields>
using FieldOffsets = std::array<std::size_t, Fields>;

/// All at the same.
template <int Fields>
FieldOffsets<Fields> all_at(std::size_t offset) {
    FieldOffsets<Fields> offsets;
    offsets.fill(offset);
    return offsets;
}

/// That `split(structs, fields)` and `join(fields, structs)` place every field.
template <int Size, int Fields, class Split, class Join>
void expect_both_ways(std::size_t count, std::size_t struct_offset,
                      const FieldOffsets<Fields>& field_offsets, Split split, Join join) {
    std::string what = std::to_string(count) + " structs of " + std::to_string(Fields) +
                       " fields of " + std::to_string(Size) + " bytes, offsets " +
                       std::to_string(struct_offset) + " and";
    for (const std::size_t offset : field_offsets) what += " " + std::to_string(offset);
    GuardedBuffer structs(count * Fields * Size, struct_offset, 50),
        again(count * Fields * Size, struct_offset, 51);
    std::vector<std::unique_ptr<GuardedBuffer>> arrays;
    Blob<Size>* fields[Fields];
    for (int f = 0; f < Fields; ++f) {
        arrays.push_back(std::make_unique<GuardedBuffer>(count * Size, field_offsets[f], 52 + f));
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
void both_ways(std::size_t count, std::size_t struct_offset,
               const FieldOffsets<Fields>& field_offsets) {
    using Array = Blob<Size>*;
    expect_both_ways<Size, Fields>(
        count, struct_offset, field_offsets,
        [&](const Blob<Size>* structs, Array(&fields)[Fields]) {
            return wideload::deinterleave(structs, fields, count);
        },
        [&](Array(&fields)[Fields], Blob<Size>* structs) {
            return wideload::interleave(fields, structs, count);
        });
}

template <int Size, int Fields>
void both_ways(std::size_t count, std::size_t struct_offset, std::size_t field_offset) {
    both_ways<Size, Fields>(count, struct_offset, all_at<Fields>(field_offset));
}

template <int Size, int Fields>
void random_counts() {
    random_cases(4, [](Random& random) {
        const std::size_t count = random.length(random_bytes(random) / (Size * Fields));
        both_ways<Size, Fields>(count, random.offset(Size), random.offset(Size));
    });
}

}  // namespace test
