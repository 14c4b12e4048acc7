// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "ptx/special_register.h"
#include "ptx_text.h"

namespace wideload::ptx {
namespace {

/// Field by field what a mnemonic's words set; fields at their default are left out.
std::string describe_modifiers(const Instruction& i) {
    std::string text(name(i.opcode));
    const auto add = [&](std::string_view field, auto value) {
        if (static_cast<int>(value) != 0)
            text += fmt::format(" {}={}", field, static_cast<int>(value));
    };
    for (const Type type : i.types) {
        if (type != Type::none) text += fmt::format(" .{}", name(type));
    }
    if (i.space != Space::generic) text += fmt::format(" {}", name(i.space));
    if (i.to_space != Space::generic) text += fmt::format(" to:{}", name(i.to_space));
    if (i.vector_width != 1) add("v", i.vector_width);
    const std::vector<std::pair<std::string_view, bool>> flags{{"ftz", i.ftz},
                                                               {"sat", i.sat},
                                                               {"approx", i.approx},
                                                               {"full", i.full},
                                                               {"relu", i.relu},
                                                               {"to", i.to},
                                                               {"uni", i.uni},
                                                               {"sync", i.sync},
                                                               {"aligned", i.aligned},
                                                               {"noftz", i.noftz},
                                                               {"nc", i.read_only},
                                                               {"cc", i.carry_out},
                                                               {"xorsign", i.xorsign_abs},
                                                               {"NaN", i.nan_propagating},
                                                               {"shiftamt", i.shiftamt},
                                                               {"unified", i.unified},
                                                               {"satfinite", i.satfinite}};
    for (const auto& [flag, set] : flags) {
        if (set) text += fmt::format(" {}", flag);
    }
    add("rounding", i.rounding);
    add("cmp", i.comparison);
    add("bool", i.bool_op);
    add("mul", i.mul_mode);
    add("shift", i.shift_mode);
    add("atom", i.atom_op);
    add("shfl", i.shuffle_mode);
    add("vote", i.vote_mode);
    add("prmt", i.prmt_mode);
    add("sem", i.semantics);
    add("scope", i.scope);
    add("cache", i.cache_op);
    if (!i.form.empty()) text += " form:" + i.form;
    return text;
}

std::string describe(const Operand& o, const Function& f) {
    const std::string offset = o.offset == 0 ? "" : fmt::format("{:+}", o.offset);
    const auto list = [&](char open, char close, std::string_view separator) {
        std::string text(1, open);
        for (const Operand& element : o.elements) {
            if (text.size() > 1) text += separator;
            text += describe(element, f);
        }
        return text + close;
    };
    switch (o.kind) {
        case Operand::Kind::reg:
            return (o.negated ? "!" : "") + f.registers[o.reg].name;
        case Operand::Kind::immediate:
            return o.is_float_literal ? fmt::format("float {:g}", std::bit_cast<double>(o.bits))
                                      : fmt::format("{}", static_cast<std::int64_t>(o.bits));
        case Operand::Kind::special:
            return fmt::format("special {}", name(o.special));
        case Operand::Kind::symbol:
            return o.symbol + offset;
        case Operand::Kind::address: {
            const std::string base = o.has_base_register ? f.registers[o.reg].name : o.symbol;
            return fmt::format("[{}{}]", base, base.empty() ? fmt::format("{}", o.offset) : offset);
        }
        case Operand::Kind::vector:
            return o.is_pair ? list('<', '>', "|") : list('{', '}', ",");
        case Operand::Kind::label:
            return fmt::format("{}@{}", f.labels[o.label].name, f.labels[o.label].instruction);
        default:
            return "_";
    }
}

struct TextCase {
    std::string reason, instruction, expected;
};

template <class T>
int number(T value) {
    return static_cast<int>(value);
}

TEST(Mnemonic, SetsTheFieldsThatItsWordsName) {
    const std::vector<TextCase> cases{
        {"type", "add.s32 %r1, %r2, 3;", "add .s32"},
        {"float arithmetic", "add.rn.ftz.sat.f32 %f1, %f2, %f3;",
         fmt::format("add .f32 ftz sat rounding={}", number(Rounding::rn))},
        {"carry", "add.cc.u32 %r1, %r2, %r3;", "add .u32 cc"},
        {"widening product", "mul.wide.u32 %rd1, %r2, %r3;",
         fmt::format("mul .u32 mul={}", number(MulMode::wide))},
        {"`lo` of a comparison is not `lo` of a product", "setp.lo.u32 %p1, %r2, %r3;",
         fmt::format("setp .u32 cmp={}", number(Comparison::lo))},
        {"comparison and logic", "setp.ltu.and.ftz.f32 %p1|%p2, %f1, %f2, !%p3;",
         fmt::format("setp .f32 ftz cmp={} bool={}", number(Comparison::ltu),
                     number(BoolOp::and_))},
        {"two types", "set.lt.u32.f32 %r1, %f1, %f2;",
         fmt::format("set .u32 .f32 cmp={}", number(Comparison::lt))},
        {"integer rounding", "cvt.rzi.ftz.s32.f32 %r1, %f1;",
         fmt::format("cvt .s32 .f32 ftz rounding={}", number(Rounding::rzi))},
        {"packed conversion", "cvt.rn.relu.satfinite.f16x2.f32 %r1, %f1, %f2;",
         fmt::format("cvt .f16x2 .f32 relu satfinite rounding={}", number(Rounding::rn))},
        {"8-bit floats", "cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;",
         fmt::format("cvt .e4m3x2 .f32 satfinite rounding={}", number(Rounding::rn))},
        {"read-only vector load",
         "ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];",
         "ld .f32 global v=4 nc"},
        {"cache operator", "ld.global.cg.u8 %rs1, [%rd1];",
         fmt::format("ld .u8 global cache={}", number(CacheOp::cg))},
        {"ordered load", "ld.acquire.sys.global.u32 %r1, [%rd1];",
         fmt::format("ld .u32 global sem={} scope={}", number(Semantics::acquire),
                     number(Scope::sys))},
        {"volatile", "st.volatile.shared.u32 [words], %r1;",
         fmt::format("st .u32 shared sem={}", number(Semantics::volatile_))},
        {"shared of the block", "ld.shared::cta.u32 %r1, [%r2];", "ld .u32 shared"},
        {"shared of the cluster", "ld.shared::cluster.u32 %r1, [%r2];",
         "ld .u32 shared form:shared::cluster"},
        {"from the generic space", "cvta.to.global.u64 %rd1, %rd2;",
         "cvta .u64 global to:global to"},
        {"to the generic space", "cvta.shared.u64 %rd1, %rd2;", "cvta .u64 shared"},
        {"atomic", "atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], %r2, %r3;",
         fmt::format("atom .b32 global atom={} sem={} scope={}", number(AtomOp::cas),
                     number(Semantics::acq_rel), number(Scope::gpu))},
        {"atomic on halves", "atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;",
         fmt::format("atom .f16x2 global noftz atom={}", number(AtomOp::add))},
        {"vector reduction", "red.global.add.v2.f32 [%rd1], {%f1, %f2};",
         fmt::format("red .f32 global v=2 atom={}", number(AtomOp::add))},
        {"shuffle", "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;",
         fmt::format("shfl .b32 sync shfl={}", number(ShuffleMode::bfly))},
        {"ballot", "vote.sync.ballot.b32 %r1, !%p1, -1;",
         fmt::format("vote .b32 sync vote={}", number(VoteMode::ballot))},
        {"`any` of match is a form", "match.any.sync.b64 %r1, %rd1, -1;",
         "match .b64 sync form:any"},
        {"reduction over the warp", "redux.sync.xor.b32 %r1, %r2, -1;",
         fmt::format("redux .b32 sync atom={}", number(AtomOp::xor_))},
        {"block barrier", "bar.sync 0;", "bar sync aligned form:sync"},
        {"block barrier, new name", "barrier.cta.sync.aligned 0, 64;",
         "barrier sync aligned form:sync"},
        {"counting barrier", "bar.red.popc.u32 %r1, 0, %p1;",
         fmt::format("bar .u32 aligned atom={} form:red", number(AtomOp::popc))},
        {"warp barrier", "bar.warp.sync -1;", "bar sync form:warp.sync"},
        {"cluster barrier", "barrier.cluster.arrive.release.aligned;",
         fmt::format("barrier aligned sem={} form:cluster.arrive", number(Semantics::release))},
        {"fence", "fence.acq_rel.gpu;",
         fmt::format("fence sem={} scope={}", number(Semantics::acq_rel), number(Scope::gpu))},
        {"old fence", "membar.gl;", fmt::format("membar scope={}", number(Scope::gpu))},
        {"asynchronous copy", "cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16;",
         fmt::format("cp shared to:global cache={}", number(CacheOp::cg))},
        {"group of copies", "cp.async.wait_group 0;", "cp form:wait_group"},
        {"bulk copy",
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], "
         "[%rd1], %r2, [%r3], %rd2;",
         "cp shared to:global form:bulk.shared::cluster.mbarrier::complete_tx::bytes"},
        {"bulk copy that a group waits for",
         "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;",
         "cp global to:shared form:bulk.bulk_group"},
        {"bulk reduction",
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd1], [%r1], 16;",
         fmt::format("cp .u64 global to:shared atom={} form:reduce.bulk.bulk_group",
                     number(AtomOp::add))},
        {"group of bulk copies", "cp.async.bulk.wait_group.read 0;",
         "cp form:bulk.wait_group.read"},
        {"arrival of copies", "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];",
         "cp .b64 shared form:mbarrier.arrive.noinc"},
        {"cache policy", "createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0;",
         "createpolicy .b64 form:fractional"},
        {"barrier object", "mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1], 8;",
         "mbarrier .b64 shared form:arrive.expect_tx"},
        {"wait for a barrier object",
         "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r1], 0, 1000;",
         fmt::format("mbarrier .b64 shared sem={} scope={} form:try_wait.parity",
                     number(Semantics::acquire), number(Scope::cta))},
        {"funnel shift", "shf.r.wrap.b32 %r1, %r2, %r3, 5;",
         fmt::format("shf .b32 shift={} form:wrap", number(ShiftMode::wrap_right))},
        {"byte permutation", "prmt.b32.rc8 %r1, %r2, %r3, 1;",
         fmt::format("prmt .b32 prmt={}", number(PrmtMode::rc8))},
        {"class of a float", "testp.infinite.f32 %p1, %f1;", "testp .f32 form:infinite"},
        {"a matrix instruction is parsed, with its words kept",
         "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
         "{%f1,%f2,%f3,%f4};",
         "mma .f32 .f16 .f16 .f32 form:sync.aligned.m16n8k8.row.col"},
    };
    for (const TextCase& test : cases) {
        EXPECT_EQ(describe_modifiers(parse_instruction_text(test.instruction)), test.expected)
            << test.reason;
    }
}

TEST(Operand, IsWhatTheTextSays) {
    const std::vector<TextCase> cases{
        {"registers", "add.s32 %r1, %r2, %r3;", "%r1 %r2 %r3"},
        {"negative immediate", "add.s32 %r1, %r2, -5;", "%r1 %r2 -5"},
        {"unsigned immediate", "and.b32 %r1, %r2, 0xFFFFFFFFU;", "%r1 %r2 4294967295"},
        {"constant expression", "add.s32 %r1, %r2, (1 << 4) | 3;", "%r1 %r2 19"},
        {"binary32 immediate", "add.f32 %f1, %f2, 0fBF000000;", "%f1 %f2 float -0.5"},
        {"binary64 immediate", "mov.f64 %fd1, 0d3FE0000000000000;", "%fd1 float 0.5"},
        {"the warp's size", "mov.u32 %r1, WARP_SZ;", "%r1 32"},
        {"special register", "mov.u32 %r1, %ctaid.y;", "%r1 special %ctaid.y"},
        {"special vector", "mov.v4.u32 {%r1,%r2,%r3,_}, %ntid;",
         "{%r1,%r2,%r3,_} {special %ntid.x,special %ntid.y,special %ntid.z,0}"},
        {"address of a variable", "mov.u64 %rd1, bytes;", "%rd1 bytes"},
        {"address inside a variable", "mov.u64 %rd1, bytes+8;", "%rd1 bytes+8"},
        {"address of a function", "mov.u64 %rd1, callee;", "%rd1 callee"},
        {"address of an element", "mov.u32 %r1, words[3];", "%r1 words+12"},
        {"load of an element", "ld.shared.b32 %r1, words[2];", "%r1 [words+8]"},
        {"register and offset", "ld.global.u32 %r1, [%rd1+16];", "%r1 [%rd1+16]"},
        {"negative offset", "ld.global.u32 %r1, [%rd1+-16];", "%r1 [%rd1-16]"},
        {"parameter", "ld.param.u64 %rd1, [pointer];", "%rd1 [pointer]"},
        {"local variable", "st.local.u64 [stack+8], %rd1;", "[stack+8] %rd1"},
        {"absolute address", "ld.local.u32 %r1, [0x100];", "%r1 [256]"},
        {"packing", "mov.b64 %rd1, {%r1, %r2};", "%rd1 {%r1,%r2}"},
        {"unpacking with a sink", "mov.b64 {%r1, _}, %rd1;", "{%r1,_} %rd1"},
        {"pair", "setp.ne.s32 %p1|%p2, %r1, 0;", "<%p1|%p2> %r1 0"},
        {"pair with a sink", "setp.eq.s32 _|%p1, %r2, 0;", "<_|%p1> %r2 0"},
        {"negated predicate", "selp.b32 %r1, 1, 0, %p1;", "%r1 1 0 %p1"},
        {"backward and forward labels", "bra end;", "end@1"},
        {"a call has three parts at least", "call callee, (1);", "{} callee {1}"},
        {"a call through a pointer",
         "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"
         "call.uni (%r1), %rd1, (%rd2, %r2), proto;",
         "{%r1} %rd1 {%rd2,%r2} proto"},
        {"jump table", "table: .branchtargets end, end;\nbrx.idx %r1, table;", "%r1 table"},
        {"texture", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5, %f6}];",
         "{%f1,%f2,%f3,%f4} [%rd1]"},
    };
    for (const TextCase& test : cases) {
        const Module module = parse_valid(kernel_with(test.instruction));
        const Function& kernel = function_named(module, "kernel");
        ASSERT_FALSE(kernel.body.empty()) << test.reason;
        std::string text;
        for (const Operand& operand : kernel.body[0].operands) {
            if (!text.empty()) text += ' ';
            text += describe(operand, kernel);
        }
        EXPECT_EQ(text, test.expected) << test.reason;
    }
}

TEST(Instruction, KnowsItsGuardAndItsPlace) {
    const Instruction plain = parse_instruction_text("  @%p3 add.s32 %r1, %r2, %r3;");
    ASSERT_TRUE(plain.guard.has_value());
    EXPECT_FALSE(plain.guard->negated);
    // The kernel's text begins after the three lines of the header and the thirteen of
    // declarations.
    EXPECT_EQ(plain.ptx_line, 17U);
    EXPECT_EQ(plain.ptx_column, 8U);
    EXPECT_EQ(plain.mnemonic, "add.s32");
    EXPECT_TRUE(parse_instruction_text("@!%p3 add.s32 %r1, %r2, %r3;").guard->negated);
}

struct CategoryCase {
    std::string instruction;
    Category expected;
};

TEST(Category, FollowsTheOperationsType) {
    const std::vector<CategoryCase> cases{
        {"add.s32 %r1, %r2, %r3;", Category::integer},
        {"add.f32 %f1, %f2, %f3;", Category::float32},
        {"fma.rn.f64 %fd1, %fd2, %fd3, %fd4;", Category::float64},
        {"fma.rn.f16x2 %r1, %r2, %r3, %r4;", Category::half},
        {"add.bf16 %rs1, %rs2, %rs3;", Category::half},
        {"set.lt.u32.f64 %r1, %fd1, %fd2;", Category::float64},
        {"rsqrt.approx.f32 %f1, %f2;", Category::special_function},
        {"cvt.f64.f32 %fd1, %f1;", Category::conversion},
        {"xor.b32 %r1, %r2, %r3;", Category::logic},
        {"cp.async.ca.shared.global [%r1], [%rd1], 4;", Category::copy},
        {"red.global.add.u32 [%rd1], 1;", Category::atomic},
    };
    for (const CategoryCase& test : cases) {
        EXPECT_EQ(name(category(parse_instruction_text(test.instruction))), name(test.expected))
            << test.instruction;
    }
}

TEST(IsaTable, NamesEveryOpcodeOnce) {
    for (std::size_t i = 0; i < kOpcodeCount; ++i) {
        const auto opcode = static_cast<Opcode>(i);
        EXPECT_EQ(find_opcode(name(opcode)), opcode) << name(opcode);
    }
    EXPECT_EQ(name(Opcode::and_), "and");
    EXPECT_FALSE(find_opcode("and_").has_value());
}

TEST(SpecialRegister, NamesComeBack) {
    for (int i = 0; i <= static_cast<int>(SpecialRegister::reserved_smem_offset_1); ++i) {
        const auto special = static_cast<SpecialRegister>(i);
        if (special == SpecialRegister::envreg) continue;
        const auto operand = find_special_register(name(special));
        ASSERT_TRUE(operand.has_value()) << name(special);
        EXPECT_EQ(operand->special, special) << name(special);
    }
    const auto environment = find_special_register("%envreg31");
    ASSERT_TRUE(environment.has_value());
    EXPECT_EQ(environment->bits, 31U);
    EXPECT_FALSE(find_special_register("%envreg32").has_value());
}

}  // namespace
}  // namespace wideload::ptx
