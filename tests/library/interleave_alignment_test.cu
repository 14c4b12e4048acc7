// SPDX-License-Identifier: Apache-2.0
// `deinterleave` and `interleave` must place every field wherever the structs and each of the
// arrays begin, one in a word as another is not; structs of more than 512 bytes, too.
#include "support/interleaves.cuh"

namespace {

using test::both_ways;
using test::FieldOffsets;

constexpr std::size_t kOffsets = 17;  // 0 to 16

/// Each field begins `step` bytes farther past a line than the one before; behind 16 comes 0.
template <int Fields>
FieldOffsets<Fields> apart(std::size_t first, std::size_t step) {
    FieldOffsets<Fields> offsets;
    for (int f = 0; f < Fields; ++f) offsets[f] = (first + step * f) % kOffsets;
    return offsets;
}

/// Each at any multiple of `unit` bytes.
template <int Fields>
FieldOffsets<Fields> drawn(test::Random& random, std::size_t unit) {
    FieldOffsets<Fields> offsets;
    for (std::size_t& offset : offsets) offset = random.below(16 / unit + 1) * unit;
    return offsets;
}

/// Every pointer at every offset in turn, beside others at others.
template <int Size, int Fields>
void in_turn() {
    for (std::size_t offset = 0; offset < kOffsets; ++offset) {
        both_ways<Size, Fields>(211, 5 * offset % kOffsets, apart<Fields>(offset, 1));
        both_ways<Size, Fields>(90, offset, apart<Fields>(0, 3));
        // A single one that is no multiple of what all others are.
        FieldOffsets<Fields> one = test::all_at<Fields>(0);
        one[offset % Fields] = offset;
        both_ways<Size, Fields>(130, 0, one);
    }
    test::random_cases(12, [](test::Random& random) {
        const std::size_t units[] = {1, 2, 4, 8, 16};
        const std::size_t unit = units[random.below(5)];
        const std::size_t structs = random.below(16 / unit + 1) * unit;
        const std::size_t count = random.length((16 << 10) / (Size * Fields));
        both_ways<Size, Fields>(count, structs, drawn<Fields>(random, unit));
    });
}

template <int Size, int... Fields>
void field_counts() {
    (in_turn<Size, Fields>(), ...);
}

/// By words that 64 bits count, as of more than 2^32 bytes.
template <int Size, int Fields>
void counted_by_size(std::size_t count, std::size_t structs, const FieldOffsets<Fields>& fields) {
    using T = test::Blob<Size>;
    const auto by_words = [&](auto to_fields, auto plan, T* const(&arrays)[Fields]) {
        for (int f = 0; f < Fields; ++f) plan.fields[f] = arrays[f];
        return wideload::detail::launch_interleave_words<T, Fields, decltype(to_fields)::value,
                                                         std::size_t>(plan, nullptr);
    };
    test::expect_both_ways<Size, Fields>(
        count, structs, fields,
        [&](const T* from, T*(&arrays)[Fields]) {
            return by_words(std::true_type{},
                            wideload::detail::InterleavePlan<Fields, const T, T>{from, {}, count},
                            arrays);
        },
        [&](T*(&arrays)[Fields], T* to) {
            return by_words(std::false_type{},
                            wideload::detail::InterleavePlan<Fields, T, const T>{to, {}, count},
                            arrays);
        });
}

/// Structs that no block's shared memory has 32 of: by words, at addresses that are no multiples
/// of these by bytes.
template <int Size, int Fields>
void large_structs() {
    using Staged = wideload::detail::StagedInterleave<Size, Fields, true, false, false>;
    static_assert(!Staged::kFits, "these are not staged");
    for (const std::size_t count : {1, 2, 31, 130}) {
        both_ways<Size, Fields>(count, 0, 0);
        both_ways<Size, Fields>(count, 4, 8);
    }
    for (std::size_t offset = 0; offset < kOffsets; ++offset) {
        both_ways<Size, Fields>(17, offset, 0);
        both_ways<Size, Fields>(17, 3 * offset % kOffsets, apart<Fields>(offset, 4));
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    field_counts<1, 2, 3, 4, 8, 16>();
    field_counts<2, 2, 3, 8, 16>();
    field_counts<4, 2, 3, 4, 16>();
    field_counts<8, 3, 8, 16>();
    field_counts<12, 2, 3, 4, 8, 16>();
    large_structs<173, 3>();
    large_structs<260, 2>();
    large_structs<264, 2>();
    large_structs<36, 16>();
    large_structs<64, 9>();
    counted_by_size<36, 16>(70, 8, apart<16>(4, 4));
    counted_by_size<36, 16>(70, 1, apart<16>(0, 1));
    return test::finish("interleave_alignment_test");
}
