// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <vector>

#include "ptx_text.h"

namespace wideload::ptx {
namespace {

/// "global visible align=4 size=8 01020000...", relocations as "@offset:size=symbol+addend".
std::string describe(const Variable& v) {
    constexpr std::array<std::string_view, 5> kLinkages{"internal", "visible", "external", "weak",
                                                        "common"};
    std::string text = fmt::format("{} {} {} align={} size={}", name(v.space),
                                   kLinkages[static_cast<std::size_t>(v.linkage)], name(v.element),
                                   v.alignment, v.size);
    if (v.unsized) text += " unsized";
    if (v.managed) text += " managed";
    if (!v.initial.empty()) text += ' ';
    for (const std::uint8_t byte : v.initial) text += fmt::format("{:02x}", byte);
    for (const Relocation& r : v.relocations) {
        text += fmt::format(" @{}:{}={}{}{:+}>>{}", r.offset, r.size, r.generic ? "generic " : "",
                            r.symbol, r.addend, r.shift);
    }
    return text;
}

struct VariableCase {
    std::string reason, declaration, expected;
};

TEST(Variable, IsLaidOutAsDeclared) {
    const std::vector<VariableCase> cases{
        {"scalar", ".global .u32 x;", "global internal u32 align=4 size=4"},
        {"array", ".visible .const .align 16 .b8 x[12];", "const visible b8 align=16 size=12"},
        {"vector", ".global .v4 .f32 x;", "global internal f32 align=16 size=16"},
        {"two dimensions", ".shared .f64 x[3][5];", "shared internal f64 align=8 size=120"},
        {"dynamic shared memory", ".extern .shared .align 16 .b8 x[];",
         "shared external b8 align=16 size=0 unsized"},
        {"weak", ".weak .global .b64 x;", "global weak b64 align=8 size=8"},
        {"common", ".common .global .b64 x;", "global common b64 align=8 size=8"},
        {"managed", ".global .attribute(.managed) .align 4 .u32 x = 5;",
         "global internal u32 align=4 size=4 managed 05000000"},
        {"attributes of unified memory", ".global .attribute(.unified(1,2), .managed) .u32 x;",
         "global internal u32 align=4 size=4 managed"},
        {"missing values are zero", ".global .b8 x[4] = {1, 2};",
         "global internal b8 align=1 size=4 01020000"},
        {"negative values", ".global .s16 x[2] = {-1, -2};",
         "global internal s16 align=2 size=4 fffffeff"},
        {"the values size the array", ".global .b16 x[] = {1, 2, 3};",
         "global internal b16 align=2 size=6 010002000300"},
        {"nested braces", ".global .b8 x[2][3] = {{1}, {2, 3}};",
         "global internal b8 align=1 size=6 010000020300"},
        {"a vector of two dimensions", ".global .v2 .u8 x[2] = {{1, 2}, {3, 4}};",
         "global internal u8 align=2 size=4 01020304"},
        {"open first dimension", ".global .b8 x[][2] = {{1}, {2}, {3}};",
         "global internal b8 align=1 size=6 010002000300"},
        {"binary32", ".global .f32 x[3] = {0f3F800000, 1.5, 2.0};",
         "global internal f32 align=4 size=12 0000803f0000c03f00000040"},
        {"binary64", ".global .f64 x = 0d3FF0000000000000;",
         "global internal f64 align=8 size=8 000000000000f03f"},
        {"the pattern of a float in untyped bits", ".global .b32 x = 0f3F800000;",
         "global internal b32 align=4 size=4 0000803f"},
        {"vector value", ".global .v2 .u16 x = {1, 2};",
         "global internal u16 align=4 size=4 01000200"},
        {"pointer", ".global .u64 x[2] = {other, other+4};",
         "global internal u64 align=8 size=16 00000000000000000000000000000000"
         " @0:8=other+0>>0 @8:8=other+4>>0"},
        {"generic pointer", ".global .u64 x[2] = {generic(other), generic(other)+8};",
         "global internal u64 align=8 size=16 00000000000000000000000000000000"
         " @0:8=generic other+0>>0 @8:8=generic other+8>>0"},
        {"bytes of a pointer", ".global .u8 x[3] = {7, 0xFF(other), 0xFF00(generic(other)+1)};",
         "global internal u8 align=1 size=3 070000 @1:1=other+0>>0 @2:1=generic other+1>>8"},
    };
    for (const VariableCase& test : cases) {
        const Module module =
            parse_valid(kHeader + ".global .align 8 .b8 other[64];\n" + test.declaration);
        ASSERT_EQ(module.variables.size(), 2U) << test.reason;
        EXPECT_EQ(describe(module.variables[1]), test.expected) << test.reason;
    }
}

TEST(Variable, SeveralShareOneDeclaration) {
    const Module module = parse_valid(kHeader + ".global .u32 a, b[2] = {1, 2}, c;");
    ASSERT_EQ(module.variables.size(), 3U);
    EXPECT_EQ(module.variables[1].name, "b");
    EXPECT_EQ(module.variables[2].size, 4U);
}

TEST(Variable, DefinitionFollowsItsDeclaration) {
    const Module module =
        parse_valid(kHeader + ".extern .global .u32 a;\n.visible .global .u32 a = 3;\n");
    ASSERT_EQ(module.variables.size(), 1U);
    EXPECT_EQ(describe(module.variables[0]), "global visible u32 align=4 size=4 03000000");
}

TEST(Parameters, AreLaidOutAsCudaDoes) {
    // struct { char; double; alignas(16) char[40]; short; } as separate arguments: each at the next
    // multiple of its own alignment, and no padding behind the last.
    const Module module =
        parse_valid(kHeader +
                    ".entry k(.param .u8 a, .param .f64 b,\n"
                    " .param .align 16 .b8 c[40], .param .u16 d,\n"
                    " .param .u64 .ptr .global .align 16 e, .param .u8 f) { ret; }");
    const Function& entry = function_named(module, "k");
    EXPECT_THAT(entry.parameter_offsets, testing::ElementsAre(0, 8, 16, 56, 64, 72));
    EXPECT_EQ(entry.parameter_bytes, 73U);
    EXPECT_EQ(entry.parameters[4].alignment, 8U) << "a pointer's .align says where it points";
}

TEST(Registers, AreCreatedWhenUsed) {
    const Module module =
        parse_valid(kHeader +
                    ".entry k() { .reg .b32 %r<4000000000>, single; .reg .v2 .f32 v;\n"
                    "add.s32 %r7, %r3999999999, single; add.f32 v.x, v.y, v.y; ret; }");
    std::vector<std::string> names;
    for (const Register& r : function_named(module, "k").registers) names.push_back(r.name);
    EXPECT_THAT(names,
                testing::UnorderedElementsAre("%r7", "%r3999999999", "single", "v.x", "v.y"));
}

TEST(Registers, OfAnInnerScopeHideOuterOnes) {
    const Module module =
        parse_valid(kHeader +
                    ".entry k() { .reg .b32 a; .reg .b64 %rd<3>;\n"
                    "mov.b32 a, 1; { .reg .b64 a; mov.b64 a, 2; mov.b64 %rd1, a; }\n"
                    "mov.b32 a, 3; ret; }");
    const Function& entry = function_named(module, "k");
    EXPECT_EQ(entry.body[0].operands[0].reg, entry.body[3].operands[0].reg);
    EXPECT_NE(entry.body[0].operands[0].reg, entry.body[1].operands[0].reg);
    EXPECT_EQ(entry.registers[entry.body[1].operands[0].reg].type, Type::b64);
}

TEST(Scopes, KeepVariablesOfOneNameApart) {
    const Module module =
        parse_valid(kHeader +
                    ".func f(.param .b32 a) { ret; }\n"
                    ".entry k() {\n"
                    "{ .param .b32 p; st.param.b32 [p], 1; call f, (p); }\n"
                    "{ .param .b32 p; st.param.b32 [p], 2; call f, (p); }\n ret; }");
    const Function& entry = function_named(module, "k");
    ASSERT_EQ(entry.variables.size(), 2U);
    EXPECT_EQ(entry.variables[0].name, "p");
    EXPECT_EQ(entry.variables[1].name, "p.2");
    EXPECT_EQ(entry.body[3].operands[2].elements[0].symbol, "p.2");
}

TEST(Labels, AreFoundFromInnerScopes) {
    const Module module =
        parse_valid(kHeader +
                    ".entry k() { top: { inner: bra inner; bra top; bra below; }\n"
                    "{ inner: bra inner; }\n below: ret; }");
    const Function& entry = function_named(module, "k");
    const auto target = [&](std::size_t i) {
        return entry.labels[entry.body[i].operands[0].label].instruction;
    };
    EXPECT_EQ(target(0), 0U);
    EXPECT_EQ(target(1), 0U);
    EXPECT_EQ(target(2), 4U);
    EXPECT_EQ(target(3), 3U) << "the second `inner` is another label";
}

TEST(Function, KeepsItsDirectives) {
    const Module module =
        parse_valid(kHeader +
                    ".entry k() .maxntid 256, 2 .minnctapersm 3 .maxnreg 40 .reqnctapercluster 2\n"
                    " .pragma \"nounroll\"; { ret; }\n"
                    ".entry m() .reqntid 64, 1, 1 .explicitcluster { ret; }\n"
                    ".extern .func die() .noreturn;");
    using Three = std::array<std::uint32_t, 3>;
    const Function& k = function_named(module, "k");
    EXPECT_EQ(k.max_threads, (Three{256, 2, 1}));
    EXPECT_EQ(k.min_blocks, 3U);
    EXPECT_EQ(k.max_registers, 40U);
    EXPECT_EQ(k.required_cluster, (Three{2, 1, 1}));
    EXPECT_EQ(function_named(module, "m").required_threads, (Three{64, 1, 1}));
    EXPECT_TRUE(function_named(module, "m").explicit_cluster);
    EXPECT_TRUE(function_named(module, "die").noreturn);
    EXPECT_TRUE(function_named(module, "die").is_declaration);
}

TEST(Function, MayCallItselfAndPassRegisters) {
    const Module module =
        parse_valid(kHeader + ".func (.reg .b32 r) f(.reg .b32 n) { call (r), f, (n); ret; }");
    const Function& f = function_named(module, "f");
    EXPECT_EQ(f.registers[0].name, "r");
    EXPECT_EQ(f.registers[1].name, "n");
    EXPECT_EQ(f.body[0].operands[1].symbol, "f");
}

TEST(Function, TablesOfTargetsAreKept) {
    const Module module =
        parse_valid(kHeader +
                    ".func f() { ret; }\n.func g() { ret; }\n"
                    ".entry k() { .reg .b32 i; .reg .b64 p;\n"
                    "a: t: .branchtargets a, b, a; brx.idx i, t;\n"
                    "b: c: .calltargets f, g; mov.u64 p, g; call p, (), c; ret; }");
    const Function& entry = function_named(module, "k");
    EXPECT_THAT(entry.branch_targets.at("t"), testing::ElementsAre(0, 1, 0));
    EXPECT_THAT(entry.call_targets.at("c"), testing::ElementsAre("f", "g"));
}

TEST(Module, KnowsItsVersionTargetAndAliases) {
    const Module module = parse_valid(
        ".version 8.6\n.target sm_100a, debug\n.address_size 64\n"
        ".visible .func f() { ret; }\n.visible .func g();\n.alias g, f;\n");
    EXPECT_EQ(module.version, 86U);
    EXPECT_EQ(module.target, 100U);
    EXPECT_EQ(module.target_suffix, "a");
    EXPECT_EQ(module.aliases.at("g"), "f");
}

}  // namespace
}  // namespace wideload::ptx
