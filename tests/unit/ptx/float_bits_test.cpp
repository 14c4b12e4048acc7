// SPDX-License-Identifier: Apache-2.0
#include "ptx/float_bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace wideload::ptx {
namespace {

struct NarrowCase {
    std::string reason;
    double value;
    Type type;
    std::uint64_t expected;
};

TEST(Narrow, RoundsToNearestEven) {
    const std::vector<NarrowCase> cases{
        {"one", 1.0, Type::f16, 0x3c00},
        {"the largest half", 65504.0, Type::f16, 0x7bff},
        {"a tie above it goes to infinity", 65520.0, Type::f16, 0x7c00},
        {"below that tie", 65519.99, Type::f16, 0x7bff},
        {"a tie goes to even, down", 1.0 + 0x1p-11, Type::f16, 0x3c00},
        {"a tie goes to even, up", 1.0 + 3 * 0x1p-11, Type::f16, 0x3c02},
        {"the least subnormal", 0x1p-24, Type::f16, 0x0001},
        {"half of it is a tie to zero", 0x1p-25, Type::f16, 0x0000},
        {"more than half of it", 0x1.8p-25, Type::f16, 0x0001},
        {"the largest subnormal rounds up to a normal", 0x1.ffep-15, Type::f16, 0x0400},
        {"negative zero", -0.0, Type::f16, 0x8000},
        {"bfloat16", 3.14159265, Type::bf16, 0x4049},
        {"infinity", -HUGE_VAL, Type::bf16, 0xff80},
        {"a subnormal binary64 vanishes", 0x1p-1074, Type::f32, 0},
    };
    for (const NarrowCase& test : cases) {
        EXPECT_EQ(narrow_from_binary64(std::bit_cast<std::uint64_t>(test.value), test.type),
                  test.expected)
            << test.reason;
    }
}

TEST(Narrow, AgreesWithTheHostOnBinary32) {
    std::mt19937_64 random(1);  // NOLINT: a fixed seed, so that a failure can be repeated
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t any = random();
        // Half of the exponents near those of binary32, whose bounds matter.
        const std::uint64_t near = (any & ~(std::uint64_t{0x7ff} << 52)) |
                                   (std::uint64_t{0x360} + (any >> 52 & 0x7f) * 2) << 52;
        for (const std::uint64_t bits : {any, near}) {
            const auto value = std::bit_cast<double>(bits);
            if (value != value) continue;
            EXPECT_EQ(narrow_from_binary64(bits, Type::f32),
                      std::bit_cast<std::uint32_t>(static_cast<float>(value)))
                << value;
        }
    }
}

TEST(Widen, IsUndoneByNarrow) {
    for (const std::uint32_t bits : {0U, 0x80000000U, 1U, 0x3f800000U, 0x7f7fffffU, 0x7f800000U,
                                     0x7f800001U, 0xffc00000U, 0x7fffffffU, 0x00800000U}) {
        EXPECT_EQ(narrow_from_binary64(widen_to_binary64(bits), Type::f32), bits);
    }
}

}  // namespace
}  // namespace wideload::ptx
