// SPDX-License-Identifier: Apache-2.0
// Reductions of structs of which no tile finds place in a warp's part of shared memory, or none but
// in half a block's, must combine each once, in their order or in any, wherever they begin; those
// that go through it, beyond 2^32 bytes, too.
#include "support/in_order.cuh"
#include "support/large.cuh"

namespace {

using test::AddAll;
using test::initial_triangle;
using test::matrix;
using test::Multiply;
using test::range;
using test::Triangle;

/// Structs of which a triangle is kept that all of them counts in: whole ones are more than results
/// of rows and columns may be.
template <class Unsigned, int Others, int Carried = 0>
struct Larger {
    Triangle<Unsigned, Carried> kept;
    Unsigned others[Others];

    __host__ __device__ explicit operator Triangle<Unsigned, Carried>() const {
        Triangle<Unsigned, Carried> folded = kept;
        for (int i = 0; i < Others; ++i) folded.b += others[i] * static_cast<Unsigned>(2 * i + 1);
        return folded;
    }
};

/// How elements are brought: by themselves, or through shared memory of blocks of two warps.
enum class Way { directly, half_blocks };
template <class T>
inline constexpr Way kWay = [] {
    using Runs = wideload::detail::StagedRuns<T>;
    static_assert(!Runs::kFits || Runs::kWarps == 2, "these are staged as others are");
    return Runs::kFits ? Way::half_blocks : Way::directly;
}();

template <class T, Way Wanted, class Result = T, class Operation>
void ranges(Operation operation) {
    static_assert(kWay<T> == Wanted);
    const Result initial = initial_triangle<Result>();
    for (const std::size_t offset : {0, 1}) {
        for (const std::size_t count : {1, 2, 31, 33, 257, 1025, 8191})
            range<T>(count, offset, operation, initial);
    }
    test::random_ranges<T>(operation, initial);
}

template <class T, Way Wanted, class Result = T, class Operation>
void matrices(Operation operation) {
    static_assert(kWay<T> == Wanted);
    constexpr std::size_t kShapes[][2] = {{1, 1},
                                          {33, 1},
                                          {1, 33},
                                          {40, 61},
                                          // By neighbouring lanes, warps and blocks.
                                          {150, 5},
                                          {2100, 17},
                                          {7, 700},
                                          // Rows and columns in pieces, few columns and more.
                                          {2, 8300},
                                          {4099, 3},
                                          {1031, 45}};
    const Result initial = initial_triangle<Result>();
    for (const auto& [rows, columns] : kShapes) {
        for (const std::size_t offset : {0, 1})
            matrix<T>(rows, columns, offset, operation, initial);
    }
}

/// In order and in any, structs that are staged.
void beyond_two_to_the_32() {
    constexpr std::size_t kBytes = std::size_t{1} << 32;
    using Small = Triangle<std::uint8_t, 0>;
    test::large_range<Small>(kBytes / sizeof(Small) + 12345, 1, Multiply{},
                             initial_triangle<Small>());
    using Large = test::Triangle12;
    test::large_range<Large>(kBytes / sizeof(Large) + 12345, 4, Multiply{},
                             initial_triangle<Large>());
    test::large_range<Large>(kBytes / sizeof(Large) + 12345, 4, wideload::commutative(AddAll{}),
                             initial_triangle<Large>());
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    using Bytes24 = Triangle<std::uint64_t, 0>;
    using Bytes41 = Triangle<std::uint8_t, 38>;
    using Bytes63 = Triangle<std::uint8_t, 60>;
    using Bytes82 = Triangle<std::uint16_t, 38>;
    using Bytes168 = Triangle<std::uint64_t, 18>;
    using Bytes81 = Larger<std::uint8_t, 78>;
    using Bytes344 = Larger<std::uint64_t, 40>;
    ranges<Bytes41, Way::half_blocks>(Multiply{});
    ranges<Bytes63, Way::half_blocks>(Multiply{});
    ranges<Bytes82, Way::half_blocks>(Multiply{});
    ranges<Bytes81, Way::directly, Triangle<std::uint8_t, 0>>(Multiply{});
    ranges<Bytes344, Way::directly, Bytes24>(Multiply{});
    matrices<Bytes41, Way::half_blocks>(Multiply{});
    matrices<Bytes81, Way::directly, Triangle<std::uint8_t, 0>>(Multiply{});
    matrices<Larger<std::uint64_t, 20, 18>, Way::directly, Bytes168>(Multiply{});
    const auto add = wideload::commutative(AddAll{});
    ranges<Bytes63, Way::half_blocks>(add);
    ranges<Bytes168, Way::half_blocks>(add);
    ranges<Bytes81, Way::directly, Triangle<std::uint8_t, 0>>(add);
    ranges<Bytes344, Way::directly, Bytes24>(add);
    matrices<Bytes82, Way::half_blocks>(add);
    matrices<Bytes81, Way::directly, Triangle<std::uint8_t, 0>>(add);
    matrices<Larger<std::uint64_t, 20, 18>, Way::directly, Bytes168>(add);
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("reduce_structs_test");
}
