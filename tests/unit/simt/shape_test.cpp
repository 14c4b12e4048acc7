// SPDX-License-Identifier: Apache-2.0
// How lanes' values lie to each other: what is claimed must hold in every warp of every block of
// the layout.
#include <gtest/gtest.h>

#include "kernel_text.h"

namespace wideload::simt {
namespace {

struct Expected {
    const char* reason;
    const char* body;  ///< computes the value into `result`
    const char* result;
    Shape::Kind kind;
    /// Of patterns: lane i lies i * stride from lane 0.
    std::int64_t stride = 0;
};

std::string name(Shape::Kind kind) {
    switch (kind) {
        case Shape::Kind::uniform:
            return "uniform";
        case Shape::Kind::pattern:
            return "pattern";
        case Shape::Kind::varying:
            return "varying";
        default:
            return "unknown";
    }
}

void check(const Expected& expected, ThreadLayout layout = rows()) {
    SCOPED_TRACE(std::string(expected.reason) + ":\n" + expected.body);
    const KernelText kernel(std::string(expected.body) + "\nret;");
    const Analysis analysis = analyse(kernel, layout);
    const Shape& shape = analysis.shapes[kernel.reg(expected.result)];
    EXPECT_EQ(name(shape.kind), name(expected.kind));
    if (!shape.is_pattern() || expected.kind != Shape::Kind::pattern) return;
    const LaneOffsets& offsets = analysis.patterns[shape.pattern];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(offsets[lane] - offsets[0], expected.stride * lane) << "lane " << lane;
    }
}

constexpr auto kUniform = Shape::Kind::uniform;
constexpr auto kPattern = Shape::Kind::pattern;
constexpr auto kVarying = Shape::Kind::varying;

TEST(Shapes, OfIndexArithmetic) {
    for (const Expected& expected : {
             Expected{"a block's number is everyone's", "mov.u32 %r0, %ctaid.x;", "%r0", kUniform},
             Expected{"lanes of a row are neighbours", "mov.u32 %r0, %tid.x;", "%r0", kPattern, 1},
             Expected{"a warp lies in one row", "mov.u32 %r0, %tid.y;", "%r0", kUniform},
             Expected{"the thread's number in the grid",
                      "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\n"
                      "mad.lo.s32 %r3, %r0, %r1, %r2;",
                      "%r3", kPattern, 1},
             Expected{"bytes of floats", "mov.u32 %r0, %tid.x;\nmul.wide.s32 %rd0, %r0, 4;", "%rd0",
                      kPattern, 4},
             Expected{"backwards", "mov.u32 %r0, %tid.x;\nsub.s32 %r1, 255, %r0;", "%r1", kPattern,
                      -1},
             Expected{"the lane, of the thread", "mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 31;",
                      "%r1", kPattern, 1},
             Expected{"the warp, of the thread", "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;",
                      "%r1", kUniform},
             Expected{"half a warp's number parts the lanes",
                      "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 4;", "%r1", kVarying},
             Expected{"an offset of one shifts the mask's boundary into the warp",
                      "mov.u32 %r0, %tid.x;\nadd.s32 %r1, %r0, 1;\nand.b32 %r2, %r1, 31;", "%r2",
                      kVarying},
             Expected{"offsets cancel out", "mov.u32 %r0, %tid.x;\nsub.s32 %r1, %r0, %r0;", "%r1",
                      kUniform},
             Expected{"a factor that is not known when the kernel is compiled",
                      "mov.u32 %r0, %tid.x;\nld.param.u32 %r1, [n];\nmul.lo.s32 %r2, %r0, %r1;",
                      "%r2", kVarying},
         }) {
        check(expected);
    }
}

TEST(Shapes, OfValuesThatAreNoIntegersOfTheirRegistersWidth) {
    for (const Expected& expected : {
             Expected{"a float's bits are no sum of a base and an offset",
                      "mov.u32 %r0, %tid.x;\nmov.b32 %f0, %r0;", "%f0", kVarying},
             Expected{"a conversion to 8 bits cuts each lane's value by itself",
                      "mov.u32 %r0, %tid.x;\ncvt.u8.u8 %r1, %r0;", "%r1", kVarying},
             Expected{"32 bits extended into 64 by the register's width may have wrapped around",
                      "mov.u32 %r0, %tid.x;\ncvt.u32.u32 %rd0, %r0;", "%rd0", kVarying},
             Expected{"a float's literal says nothing of its bits' alignment",
                      "mov.f32 %f0, 0f3F800001;\nmov.b32 %r0, %f0;\nmov.u32 %r1, %tid.x;\n"
                      "add.s32 %r2, %r0, %r1;\nand.b32 %r3, %r2, 31;",
                      "%r3", kVarying},
         }) {
        check(expected);
    }
}

// Lanes that wrap around within 32 bits are told from the others at run time, so widening keeps the
// pattern but says so.
TEST(Shapes, WideningMayWrap) {
    const KernelText kernel(
        "mov.u32 %r0, %tid.x;\nadd.s32 %r1, %r0, 2147483640;\ncvt.s64.s32 %rd0, %r1;\n"
        "add.s64 %rd1, %rd0, %rd0;\nret;");
    const Analysis analysis = analyse(kernel);
    EXPECT_TRUE(analysis.shapes[kernel.reg("%rd0")].may_wrap);
    // Two such values wrap in lanes of their own.
    EXPECT_TRUE(analysis.shapes[kernel.reg("%rd1")].is_varying());
}

// nvcc extends the low half of a 64-bit register by two shifts.
TEST(Shapes, OfALowHalfMovedUpAndDown) {
    const std::string up =
        "mov.u32 %r0, %tid.x;\ncvt.u64.u32 %rd0, %r0;\nshl.b64 %rd1, %rd0, 32;\n";
    const KernelText kernel(up + "shr.s64 %rd2, %rd1, 30;\nshr.s64 %rd3, %rd1, 33;\nret;");
    const Analysis analysis = analyse(kernel);
    const auto shape = [&](const char* name) { return analysis.shapes[kernel.reg(name)]; };
    EXPECT_TRUE(shape("%rd1").is_pattern());
    EXPECT_FALSE(shape("%rd1").may_wrap) << "what wrapped around has left the register";
    ASSERT_TRUE(shape("%rd2").is_pattern());
    EXPECT_TRUE(shape("%rd2").may_wrap);
    EXPECT_EQ(analysis.patterns[shape("%rd2").pattern][31], 31 * 4);
    EXPECT_TRUE(shape("%rd3").is_varying()) << "a bit of each lane's own is lost";
}

TEST(Shapes, OfLoads) {
    for (const Expected& expected : {
             Expected{"a kernel's parameter is everyone's", "ld.param.u32 %r0, [n];", "%r0",
                      kUniform},
             Expected{"one address gives one value",
                      "ld.param.u64 %rd0, [in];\nld.global.u32 %r0, [%rd0];", "%r0", kUniform},
             Expected{"one local address is another word in each lane",
                      "mov.u64 %rd0, local_array;\nld.local.u32 %r0, [%rd0];", "%r0", kVarying},
             Expected{"one generic address may be local",
                      "ld.param.u64 %rd0, [in];\nld.u32 %r0, [%rd0];", "%r0", kVarying},
             Expected{
                 "neighbours' values are anything",
                 "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, %r0, 4;\nld.global.u32 %r1, [%rd0];",
                 "%r1", kVarying},
         }) {
        check(expected);
    }
}

// 16 × 16 blocks: a warp is two rows.
TEST(Shapes, OfRowsNarrowerThanAWarp) {
    const ThreadLayout layout = ThreadLayout::of({16, 16, 1});
    ASSERT_EQ(layout.kind, ThreadLayout::Kind::columns);
    const KernelText kernel(
        "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %tid.y;\nmad.lo.s32 %r2, %r1, 16, %r0;\nret;");
    const Analysis analysis = analyse(kernel, layout);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(analysis.patterns[analysis.shapes[kernel.reg("%r0")].pattern][lane], lane % 16);
        EXPECT_EQ(analysis.patterns[analysis.shapes[kernel.reg("%r1")].pattern][lane], lane / 16);
        EXPECT_EQ(analysis.patterns[analysis.shapes[kernel.reg("%r2")].pattern][lane], lane);
    }
}

// Which blocks lie how in warps: one row, rows of a power of two whose warps share tid.z, and the
// rest.
TEST(Shapes, LayoutsOfBlocks) {
    using Kind = ThreadLayout::Kind;
    EXPECT_EQ(ThreadLayout::of({33, 1, 1}).kind, Kind::rows);
    EXPECT_EQ(ThreadLayout::of({64, 4, 2}).kind, Kind::rows);
    EXPECT_EQ(ThreadLayout::of({8, 4, 2}).kind, Kind::columns);
    EXPECT_EQ(ThreadLayout::of({16, 3, 1}).kind, Kind::columns);
    EXPECT_EQ(ThreadLayout::of({8, 3, 2}).kind, Kind::general)
        << "a warp would hold two values of tid.z";
    EXPECT_EQ(ThreadLayout::of({5, 7, 1}).kind, Kind::general);
    EXPECT_EQ(ThreadLayout::of({24, 24, 1}).kind, Kind::general);
}

// A guard that parts the lanes leaves two values in one register.
TEST(Shapes, VaryingGuardMakesItsResultVarying) {
    check({"",
           "mov.u32 %r0, %laneid;\nsetp.lt.u32 %p0, %r0, 3;\nmov.u32 %r1, 1;\n@%p0 mov.u32 %r1, 2;",
           "%r1", kVarying});
}

}  // namespace
}  // namespace wideload::simt
