// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "ptx_text.h"

namespace wideload::ptx {
namespace {

struct VerifyCase {
    std::string reason, instruction, expected;
};

TEST(Verify, RefusesWhatNoGpuWouldRun) {
    const std::vector<VerifyCase> cases{
        {"too few operands", "add.s32 %r1, %r2;", "`add.s32` takes 3 operands, found 2"},
        {"too many operands", "bar.sync 0, 32, 1;", "`bar.sync` takes 1 to 2 operands, found 3"},
        {"operands where there are none", "ret 1;", "`ret` takes 0 operands, found 1"},
        {"missing type", "add %r1, %r2, %r3;",
         "operand 1 of `add` has no type: a type modifier is missing"},
        {"register too narrow", "add.s64 %rd1, %r2, %rd3;",
         "operand 2 of `add.s64` is `%r2` of type .b32, which cannot hold .s64"},
        {"register too wide", "add.s32 %rd1, %r2, %r3;",
         "operand 1 of `add.s32` is `%rd1` of type .b64, which cannot hold .s32"},
        {"float register for integers", "add.s32 %r1, %f2, %r3;",
         "operand 2 of `add.s32` is `%f2` of type .f32, which cannot hold .s32"},
        {"a wide product needs a wide register", "mul.wide.s32 %r1, %r2, %r3;",
         "operand 1 of `mul.wide.s32` is `%r1` of type .b32, which cannot hold .s32 widened to 64 "
         "bits"},
        {"predicate as a value", "add.s32 %r1, %p2, %r3;",
         "operand 2 of `add.s32` is `%p2` of type .pred, which cannot hold .s32"},
        {"value as a predicate", "selp.b32 %r1, %r2, %r3, %r4;",
         "operand 4 of `selp.b32` is `%r4` of type .b32, which cannot hold .pred"},
        {"a modifier of narrower floats", "fma.rn.oob.f32 %f1, %f2, %f3, %f4;",
         "`fma.rn.oob.f32` is no instruction of PTX, which has `fma.rn|rz|rm|rp{.ftz}{.sat}.f32`"},
        {"least of three integers", "min.s32 %r1, %r2, %r3, %r4;",
         "`min.s32` takes two values: only .f32 without .xorsign takes three"},
        {"magnitudes of two values", "max.abs.f32 %f1, %f2, %f3;",
         "`max.abs.f32` takes three values: of two, .abs stands with .xorsign"},
        {"guard that is no predicate", "@%r1 mov.b32 %r2, 1;", "guard `%r1` is no predicate"},
        {"constant as a destination", "mov.b32 1, %r1;",
         "operand 1 of `mov.b32` is written, so it must be a register"},
        {"special register as a destination", "mov.u32 %tid.x, %r1;",
         "operand 1 of `mov.u32` is written, so it must be a register"},
        {"sink as a source", "add.s32 %r1, _, %r3;",
         "operand 2 of `add.s32` is `_`, which only a destination can be"},
        {"negated value", "add.s32 %r1, !%r2, %r3;",
         "operand 2 of `add.s32` cannot be negated with `!`"},
        {"register in place of an address", "ld.global.u32 %r1, %rd1;",
         "operand 2 of `ld.global.u32` must be an address in [ ]"},
        {"predicate as an address", "ld.shared.f32 %f1, [%p2];",
         "operand 2 of `ld.shared.f32` is an address in `%p2` of type .pred: it takes an integer "
         "of "
         "32 or 64 bits"},
        {"float as an address", "st.global.u32 [%fd1+4], %r1;",
         "operand 1 of `st.global.u32` is an address in `%fd1` of type .f64: it takes an integer "
         "of "
         "32 or 64 bits"},
        {"address too narrow", "atom.shared.add.u32 %r1, [%rs1], 1;",
         "operand 2 of `atom.shared.add.u32` is an address in `%rs1` of type .b16: it takes an "
         "integer of 32 or 64 bits"},
        {"vector too short", "ld.global.v4.f32 {%f1, %f2}, [%rd1];",
         "operand 1 of `ld.global.v4.f32` must be a vector of 4"},
        {"scalar in place of a vector", "st.global.v2.u32 [%rd1], %r1;",
         "operand 2 of `st.global.v2.u32` must be a vector of 2"},
        {"vector in place of a scalar", "add.s32 {%r1}, %r2, %r3;",
         "operand 1 of `add.s32` must be a scalar, not a vector"},
        {"loads may widen but not narrow", "ld.global.u64 %r1, [%rd1];",
         "operand 1 of `ld.global.u64` is `%r1` of type .b32, which cannot hold .u64"},
        {"packing of the wrong size", "mov.b64 %rd1, {%rs1, %rs2};",
         "operand 2 of `mov.b64` packs 2 elements that do not make up .b64"},
        {"predicate in memory", "ld.global.pred %p1, [%rd1];",
         "`ld.global.pred` accesses memory as .pred, which has no form there: keep a predicate as "
         "`selp.u32 r, 1, 0, p`"},
        {"predicate written to memory", "st.global.pred [%rd1], %p1;",
         "`st.global.pred` accesses memory as .pred, which has no form there: keep a predicate as "
         "`selp.u32 r, 1, 0, p`"},
        {"barrier object without an address", "mbarrier.init.shared.b64 %r1, 4;",
         "operand 1 of `mbarrier.init.shared.b64` must be an address in [ ]"},
        {"barrier object without a count", "mbarrier.init.shared.b64 [%r1];",
         "`mbarrier.init.shared.b64` takes 2 operands, found 1"},
        {"bulk copy without its barrier",
         "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16;",
         "`cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes` takes 4 to 6 operands, "
         "found 3"},
        {"asynchronous copy without a size", "cp.async.ca.shared.global [%r1], [%rd1];",
         "`cp.async.ca.shared.global` takes 3 to 5 operands, found 2"},
        {"floating-point constant for an integer", "add.s32 %r1, %r2, 1.5;",
         "operand 3 of `add.s32` is a floating-point constant where .s32 is expected"},
        {"integer constant for a float", "add.f32 %f1, %f2, 1;",
         "operand 3 of `add.f32` is an integer constant where .f32 is expected"},
        {"constant of half precision", "add.f16 %rs1, %rs2, 1.0;",
         "operand 3 of `add.f16` is a constant, and .f16 has none"},
        {"special register in arithmetic", "add.s32 %r1, %tid.x, %r2;",
         "operand 2 of `add.s32` is a special register, which only mov and cvt can read"},
        {"address in arithmetic", "add.s64 %rd1, bytes, %rd2;",
         "operand 2 of `add.s64` is the address of a name, which only mov and cvta can take"},
        {"loads of floats widen into bits only", "ld.global.f32 %fd1, [%rd1];",
         "operand 1 of `ld.global.f32` is `%fd1` of type .f64, which cannot hold .f32"},
        {"pair where only one result is", "add.s32 %r1|%p1, %r2, %r3;",
         "operand 1 of `add.s32` cannot be a pair `d|p`"},
        {"compare and swap needs both values", "atom.global.cas.b32 %r1, [%rd1], %r2;",
         "`atom.global.cas.b32` takes 4 to 5 operands, found 3"},
        {"argument too many", "call callee, (%r1, %r2);",
         "`callee` takes 1 arguments, the call passes 2"},
        {"result of a function without one", "call (%r1), callee, (%r2);",
         "`callee` returns 0 values, the call takes 1"},
        {"argument too few for a prototype",
         "proto: .callprototype _ (.param .b32 _);\ncall %rd1, (), proto;",
         "`proto` takes 1 arguments, the call passes 0"},
        {"call through a pointer without a prototype", "call %rd1, (%r1);",
         "an indirect call needs a prototype or a list of targets"},
    };
    for (const VerifyCase& test : cases) {
        EXPECT_EQ(first_error(kernel_with(test.instruction)), test.expected) << test.reason;
    }
}

TEST(Verify, AcceptsWhatPtxAllows) {
    const std::vector<std::string> instructions{
        "add.u32 %r1, %r2, %r3;",     // bit-size registers take any integer
        "add.f32 %r1, %r2, %r3;",     // and floats
        "ld.global.u8 %r1, [%rd1];",  // loads widen
        "ld.global.s16 %rd1, [%rd1];",
        "st.global.u8 [%rd1], %r1;",  // stores narrow
        "cvt.u16.u32 %r1, %r2;",      // as conversions do
        "add.f16 %rs1, %rs2, %rs3;",
        "mov.b32 %r1, {%rs1, %rs2};",
        "mov.b128 %q1, {%rd1, %rd2};",
        "mov.u32 %r1, %clock;",
        "setp.eq.s32 %p1, %r1, 0;",
        "and.pred %p1, %p2, !%p3;",
        "mov.pred %p1, %p2;",
        "selp.f32 %f1, 0f3F800000, 0f00000000, %p1;",
        "ld.global.f32 %rd1, [%rd2];",  // bits hold floats, wide ones as well
        "ld.global.b32 %fd1, [%rd2];",
        "cvt.u32.u16 %r1, %tid.x;",
        "atom.global.add.u32 _, [%rd1], 1;",
        "bar.red.or.pred %p1, 0, 64, !%p2;",
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
        "dp4a.s32.u32 %r1, %r2, %r3, %r4;",
        "shl.b64 %rd1, %rd2, %r1;",
        "bfe.u64 %rd1, %rd2, 8, 4;",
        "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
        "isspacep.shared %p1, %rd1;",
        "prefetch.global.L2 [%rd1];",
        "fence.proxy.async;",
        "fence.mbarrier_init.release.cluster;",
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1];",
        "mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [%r1], 3;",
        "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;",
        "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2, %r3;",
        "mbarrier.pending_count.b64 %r1, %rd1;",
        "cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %r2, %rd2;",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.prefetch.L2.global [%rd1], %r1;",
        "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd1, [%rd2], 64, %r1;",
        "createpolicy.cvt.L2.b64 %rd1, %rd2;",
    };
    for (const std::string& instruction : instructions) {
        EXPECT_EQ(errors_of(kernel_with(instruction)), "") << instruction;
    }
}

}  // namespace
}  // namespace wideload::ptx
