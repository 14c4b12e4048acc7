// SPDX-License-Identifier: Apache-2.0
// The rule by which arithmetic is counted; docs/counts.md states it to users.
#include "ptx/operations.h"

#include <gtest/gtest.h>

#include "ptx_text.h"

namespace wideload::ptx {
namespace {

struct Case {
    const char* instruction;
    const char* type;
    std::uint32_t per_lane;
};

class OperationsOf : public ::testing::TestWithParam<Case> {};

TEST_P(OperationsOf, FollowTheRule) {
    const Module module = parse_valid(kernel_with(GetParam().instruction));
    ASSERT_FALSE(module.functions.empty());
    const Operations found = operations(module.functions.back().body.front());
    EXPECT_EQ(found.per_lane, GetParam().per_lane);
    if (found.per_lane != 0) {
        EXPECT_EQ(name(found.type), GetParam().type);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Rule, OperationsOf,
    ::testing::Values(
        // A fused operation is a product and a sum.
        Case{"fma.rn.f32 %f1, %f2, %f3, %f4;", "f32", 2}, Case{"add.f32 %f1, %f2, %f3;", "f32", 1},
        Case{"div.rn.f32 %f1, %f2, %f3;", "f32", 1}, Case{"sqrt.approx.f32 %f1, %f2;", "f32", 1},
        Case{"fma.rn.f64 %fd1, %fd2, %fd3, %fd4;", "f64", 2},
        Case{"mul.f64 %fd1, %fd2, %fd3;", "f64", 1},
        // Packed types do as many as they have elements.
        Case{"fma.rn.f16 %rs1, %rs2, %rs3, %rs4;", "f16", 2},
        Case{"fma.rn.f16x2 %r1, %r2, %r3, %r4;", "f16", 4},
        Case{"fma.rn.bf16x2 %r1, %r2, %r3, %r4;", "f16", 4},
        Case{"add.f16x2 %r1, %r2, %r3;", "f16", 2},
        // Integers by the width of the type, whatever the result's.
        Case{"mad.lo.s32 %r1, %r2, %r3, %r4;", "i32", 2},
        Case{"mad.wide.u32 %rd1, %r2, %r3, %rd4;", "i32", 2},
        Case{"mul.wide.s16 %r1, %rs2, %rs3;", "i32", 1},
        Case{"add.s64 %rd1, %rd2, %rd3;", "i64", 1},
        Case{"mad.lo.u64 %rd1, %rd2, %rd3, %rd4;", "i64", 2},
        Case{"dp4a.s32.s32 %r1, %r2, %r3, %r4;", "i32", 8},
        Case{"sad.u32 %r1, %r2, %r3, %r4;", "i32", 2},
        // No arithmetic.
        Case{"max.f32 %f1, %f2, %f3;", "", 0}, Case{"neg.f32 %f1, %f2;", "", 0},
        Case{"setp.lt.f32 %p1, %f1, %f2;", "", 0}, Case{"and.b32 %r1, %r2, %r3;", "", 0},
        Case{"shl.b32 %r1, %r2, 3;", "", 0}, Case{"cvt.rn.f32.s32 %f1, %r1;", "", 0},
        Case{"mov.f32 %f1, %f2;", "", 0}, Case{"red.global.add.f32 [%rd1], %f1;", "", 0}));

}  // namespace
}  // namespace wideload::ptx
