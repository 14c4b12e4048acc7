// SPDX-License-Identifier: Apache-2.0
// Modifiers that PTX knows, but not together, or not of this type, are refused where they stand:
// nothing runs an instruction that means nothing.
#include "ptx/form.h"

#include <gtest/gtest.h>

#include "ptx/modifier.h"

namespace wideload::ptx {
namespace {

std::string complaint_of(const std::string& mnemonic) {
    Instruction instruction;
    instruction.mnemonic = mnemonic;
    instruction.opcode = find_opcode(mnemonic.substr(0, mnemonic.find('.'))).value();
    const auto unknown = apply_modifiers(mnemonic, instruction);
    if (unknown) return "unknown " + std::string(unknown->word);
    return why_no_form(instruction).value_or("");
}

TEST(Form, OfModifiersThatStandTogether) {
    for (const char* mnemonic : {"add.s32",
                                 "add.sat.s32",
                                 "add.cc.u64",
                                 "add.rn.ftz.sat.f32",
                                 "add.rz.sat.f32.bf16",
                                 "mul.wide.s16",
                                 "mad.hi.sat.s32",
                                 "fma.rn.oob.relu.bf16x2",
                                 "rcp.approx.ftz.f64",
                                 "min.NaN.xorsign.abs.f16x2",
                                 "set.hs.xor.f16.u64",
                                 "setp.nan.and.ftz.f16x2",
                                 "cvt.rn.relu.satfinite.f16x2.f32",
                                 "cvt.rn.satfinite.relu.e4m3x2.f16x2",
                                 "cvt.pack.sat.u8.s32.b32",
                                 "cvt.pack.sat.s2.s32.b32",
                                 "cvt.rmi.ftz.sat.s8.f32",
                                 "mov.v4.u32",
                                 "prmt.b32.f4e",
                                 "ld.global.nc.L1::no_allocate.L2::128B.v4.f32",
                                 "ld.acquire.gpu.shared::cta.u32",
                                 "ld.mmio.relaxed.sys.global.b64",
                                 "st.release.cluster.shared::cluster.v2.b64",
                                 "atom.acq_rel.gpu.global.v8.bf16.max.noftz",
                                 "atom.cas.b16",
                                 "red.global.add.noftz.f16x2",
                                 "vadd.s32.u32.s32.sat.max",
                                 "vmad.u32.u32.s32.po.sat.shr15",
                                 "vset4.u32.s32.ge.add",
                                 "redux.sync.min.abs.NaN.f32",
                                 "vote.ballot.b32",
                                 "cp.async.ca.shared::cta.global.L2::cache_hint.L2::256B",
                                 "cp.async.mbarrier.arrive.noinc.shared.b64",
                                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                                 ".multicast::cluster",
                                 "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                                 "mbarrier::complete_tx::bytes",
                                 "cp.async.bulk.wait_group.read",
                                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16",
                                 "createpolicy.range.global.L2::evict_first.L2::evict_first.b64",
                                 "prefetch.local.L2",
                                 "prefetch.global.L2::evict_last",
                                 "bar.cta.red.popc.u32",
                                 "barrier.red.and.aligned.pred",
                                 "barrier.cluster.wait.acquire.aligned",
                                 "fence.sys",
                                 "fence.proxy.async.shared::cta",
                                 "mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cta.b64",
                                 "mbarrier.arrive.noComplete.release.cta.b64",
                                 "mbarrier.try_wait.parity.acquire.cta.shared.b64"}) {
        EXPECT_EQ(complaint_of(mnemonic), "") << mnemonic;
    }
}

TEST(Form, OfWordsInAnyOrder) {
    for (const char* mnemonic : {"add.sat.rn.f32", "setp.and.lt.s32", "cvt.relu.rn.f16.f32"}) {
        EXPECT_EQ(complaint_of(mnemonic), "") << mnemonic;
    }
}

TEST(Form, OthersAreNone) {
    for (const char* mnemonic : {"add.ftz.f64",
                                 "add.sat.u32",
                                 "add.cc.s16",
                                 "add.rn.s32",
                                 "add.rz.f16",
                                 "sub.s16x2",
                                 "mul.s32",
                                 "mul.wide.u64",
                                 "mad.f32",
                                 "mad.lo.sat.s32",
                                 "div.f32",
                                 "abs.ftz.f64",
                                 "min.relu.f16",
                                 "min.NaN.f64",
                                 "fma.rz.bf16",
                                 "fma.rn.sat.bf16",
                                 "fma.rn.oob.f32",
                                 "sqrt.f32",
                                 "sqrt.approx.f64",
                                 "rcp.approx.f64",
                                 "sin.f32",
                                 "ex2.f32",
                                 "ex2.approx.bf16",
                                 "set.lo.u32.s32",
                                 "setp.lt.b32",
                                 "setp.num.s32",
                                 "slct.ftz.s32.s32",
                                 "lop3.xor.b32",
                                 "shf.l.b32",
                                 "shl.b32.f4e",
                                 "szext.u32",
                                 "cvt.f32.s32",
                                 "cvt.sat.u16.u8",
                                 "cvt.f32.f64",
                                 "cvt.rn.f64.f32",
                                 "cvt.rni.bf16.f32",
                                 "cvt.rm.relu.f16.f32",
                                 "cvt.rn.e4m3x2.f32",
                                 "cvt.pack.sat.u4.s32",
                                 "cvt.sat.u4.s32",
                                 "ld.global.u4",
                                 "ld.global.f16",
                                 "ld.shared.v4.b64",
                                 "ld.shared.v8.f32",
                                 "ld.global.v8.b16",
                                 "mov.v4.b64",
                                 "st.local.v4.f64",
                                 "st.const.u32",
                                 "ldu.v8.b32",
                                 "atom.add.s64",
                                 "atom.global.add.b32",
                                 "atom.min.f32",
                                 "atom.add.f16",
                                 "atom.shared.v2.f32.add",
                                 "red.exch.b32",
                                 "shfl.sync.up.f32",
                                 "vote.sync.ballot.pred",
                                 "match.any.sync.u32",
                                 "redux.sync.add.b32",
                                 "redux.sync.add.NaN.u32",
                                 "vadd2.s32.s32.s32.max",
                                 "vset.u32.u32.lo",
                                 "vmad.s32.s32",
                                 "cp.async.shared.global",
                                 "cp.async.cs.shared.global",
                                 "cp.async.ca.global.shared",
                                 "cp.async.ca.shared::cluster.global",
                                 "cp.async.ca.shared.global.L1::evict_last",
                                 "cp.async.mbarrier.arrive.shared",
                                 "cp.async.wait_group.read",
                                 "cp.async.bulk.shared.global.mbarrier::complete_tx::bytes",
                                 "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes",
                                 "cp.async.bulk.global.shared::cta",
                                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64",
                                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16",
                                 "cp.reduce.async.bulk.shared::cluster.shared::cta"
                                 ".mbarrier::complete_tx::bytes.min.u64",
                                 "createpolicy.fractional.L2::evict_first.L2::evict_last.b64",
                                 "createpolicy.fractional.b64",
                                 "prefetch.shared.L1",
                                 "prefetch.L1.L2",
                                 "prefetch.local.L2::evict_last",
                                 "bar.sync.u32",
                                 "bar.red.popc",
                                 "bar.red.xor.pred",
                                 "bar.warp.arrive",
                                 "barrier.red.popc.pred",
                                 "barrier.cluster.sync",
                                 "fence.relaxed.gpu",
                                 "fence.sc",
                                 "fence.proxy.generic",
                                 "membar.gpu",
                                 "mbarrier.init.shared",
                                 "mbarrier.init.shared::cluster.b64",
                                 "mbarrier.arrive.acquire.cta.b64",
                                 "mbarrier.arrive.release.gpu.b64",
                                 "mbarrier.arrive.noComplete.relaxed.cta.b64",
                                 "mbarrier.test_wait.release.cta.b64",
                                 "mbarrier.pending_count.parity.b64",
                                 "nanosleep",
                                 "setmaxnreg.dec.u32",
                                 "griddepcontrol"}) {
        EXPECT_NE(complaint_of(mnemonic), "") << mnemonic;
    }
}

TEST(Form, OfThatTypeIsShownWhereThereIsOne) {
    EXPECT_EQ(complaint_of("add.ftz.f64"),
              "`add.ftz.f64` is no instruction of PTX, which has `add{.rn|rz|rm|rp}.f64`");
    EXPECT_EQ(complaint_of("vote.sync.all.b32"),
              "`vote.sync.all.b32` is no instruction of PTX, which has `vote{.sync}.ballot.b32`");
    EXPECT_EQ(complaint_of("cp.async.cs.shared.global"),
              "`cp.async.cs.shared.global` is no instruction of PTX, which has `cp.async.ca|cg."
              "shared.global|shared::cta.global{.L2::cache_hint}{.L2::64B|L2::128B|L2::256B}`");
    EXPECT_EQ(complaint_of("nanosleep"), "`nanosleep` is no instruction of PTX: it lacks a type");
    EXPECT_EQ(complaint_of("cvt.f32.e4m3x2"),
              "`cvt.f32.e4m3x2` is no instruction of PTX: `cvt` has no form for .f32.e4m3x2");
}

}  // namespace
}  // namespace wideload::ptx
