// SPDX-License-Identifier: Apache-2.0
#include "ptx/linker.h"

#include <gmock/gmock.h>

#include <vector>

#include "ptx_text.h"

namespace wideload::ptx {
namespace {

Result<Module> link_texts(const std::vector<std::string>& texts) {
    std::vector<Module> modules;
    for (const std::string& text : texts) {
        auto module = parse(kHeader + text, "unit" + std::to_string(modules.size() + 1));
        EXPECT_TRUE(module.ok()) << (module.ok() ? "" : format(module.errors()));
        if (module.ok()) modules.push_back(std::move(module).value());
    }
    return link(std::move(modules));
}

Module link_valid(const std::vector<std::string>& texts) {
    auto module = link_texts(texts);
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : format(module.errors()));
    return module.ok() ? std::move(module).value() : Module{};
}

std::string link_errors(const std::vector<std::string>& texts) {
    const auto module = link_texts(texts);
    return module.ok() ? "" : format(module.errors());
}

const Variable& variable_named(const Module& module, std::string_view name) {
    for (const Variable& variable : module.variables) {
        if (variable.name == name) return variable;
    }
    ADD_FAILURE() << "no variable " << name;
    static const Variable none;
    return none;
}

TEST(Link, GivesExternalNamesTheirDefinition) {
    for (const bool definition_first : {true, false}) {
        std::vector<std::string> texts{
            ".visible .func f() { ret; }\n.visible .global .u32 v = 7;",
            ".extern .func f();\n.extern .global .u32 v;\n"
            ".visible .entry k() { .reg .b32 a; call f; ld.global.u32 a, [v]; ret; }"};
        if (!definition_first) std::swap(texts[0], texts[1]);
        const Module module = link_valid(texts);
        EXPECT_EQ(module.functions.size(), 2U);
        EXPECT_FALSE(function_named(module, "f").is_declaration);
        ASSERT_EQ(module.variables.size(), 1U);
        EXPECT_EQ(module.variables[0].initial.size(), 4U);
    }
}

TEST(Link, KeepsPrivateNamesApart) {
    const std::string unit =
        ".global .u32 v = %;\n.global .u64 p = generic(v);\n.func f() { ret; }\n"
        ".visible .entry k%() { .reg .b64 a; call f; mov.u64 a, v; ret; }";
    std::vector<std::string> texts;
    for (const char digit : {'1', '2', '3'}) {
        texts.push_back(unit);
        std::ranges::replace(texts.back(), '%', digit);
    }
    const Module module = link_valid(texts);
    for (const auto& [kernel, suffix] :
         std::vector<std::pair<std::string, std::string>>{{"k1", ""}, {"k2", "@2"}, {"k3", "@3"}}) {
        const Function& entry = function_named(module, kernel);
        EXPECT_EQ(entry.body[0].operands[1].symbol, "f" + suffix);
        EXPECT_EQ(entry.body[1].operands[1].symbol, "v" + suffix);
        EXPECT_EQ(variable_named(module, "v" + suffix).initial[0], kernel[1] - '0');
        EXPECT_EQ(variable_named(module, "p" + suffix).relocations[0].symbol, "v" + suffix);
    }
}

TEST(Link, APrivateNameDoesNotAnswerAnExternalOne) {
    const Module module = link_valid({".func f() { ret; }\n.visible .entry a() { call f; ret; }",
                                      ".extern .func f();\n.visible .entry b() { call f; ret; }",
                                      ".visible .func f() { trap; ret; }"});
    EXPECT_EQ(function_named(module, "a").body[0].operands[1].symbol, "f@2");
    EXPECT_EQ(function_named(module, "b").body[0].operands[1].symbol, "f");
    EXPECT_EQ(function_named(module, "f").body.size(), 2U);
    EXPECT_EQ(function_named(module, "f@2").body.size(), 1U);
}

TEST(Link, WeakYieldsToStrongAndIsKeptOnce) {
    const Module yielded =
        link_valid({".weak .func f() { ret; }", ".visible .func f() { trap; ret; }",
                    ".weak .func f() { ret; }"});
    ASSERT_EQ(yielded.functions.size(), 1U);
    EXPECT_EQ(yielded.functions[0].body.size(), 2U);
    const Module once = link_valid({".weak .global .u32 v = 1;", ".weak .global .u32 v = 2;"});
    ASSERT_EQ(once.variables.size(), 1U);
    EXPECT_EQ(once.variables[0].initial[0], 1);
}

TEST(Link, CommonVariablesBecomeTheLargest) {
    const Module module =
        link_valid({".common .global .align 4 .b8 v[4];", ".common .global .align 16 .b8 v[64];",
                    ".common .global .align 8 .b8 v[8];"});
    ASSERT_EQ(module.variables.size(), 1U);
    EXPECT_EQ(module.variables[0].size, 64U);
    EXPECT_EQ(module.variables[0].alignment, 16U);
}

TEST(Link, DynamicSharedMemoryIsOnePerProgram) {
    const Module module = link_valid({".extern .shared .align 4 .b8 s[];",
                                      ".extern .shared .align 16 .b8 s[];\n"
                                      ".entry k() { .reg .b32 a; mov.u32 a, s; ret; }"});
    ASSERT_EQ(module.variables.size(), 1U);
    EXPECT_EQ(module.variables[0].alignment, 16U);
    EXPECT_TRUE(module.variables[0].unsized);
}

TEST(Link, LeavesTheRuntimesFunctionsToTheRuntime) {
    const std::string declaration =
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".extern .func unused();\n";
    const Module module = link_valid({declaration, declaration});
    ASSERT_EQ(module.functions.size(), 1U) << "declarations that nothing uses are dropped";
    EXPECT_EQ(module.functions[0].name, "vprintf");
    EXPECT_TRUE(module.functions[0].is_declaration);
}

TEST(Link, AliasesAreDefinitions) {
    const Module module =
        link_valid({".visible .func f() { ret; }\n.visible .func g();\n.alias g, f;",
                    ".extern .func g();\n.entry k() { call g; ret; }"});
    EXPECT_EQ(module.aliases.at("g"), "f");
}

TEST(Link, RenumbersFilesAndLocations) {
    const std::string unit =
        "\n.visible .entry %() {\n.loc 1 10 1\n.loc 2 20 1, function_name x, inlined_at 1 10 "
        "1\nret; }\n"
        ".file 1 \"%.cu\"\n.file 2 \"common.h\"\n.section .debug_str { x: .b8 102, 0 }\n";
    std::vector<std::string> texts;
    for (const char letter : {'a', 'b'}) {
        texts.push_back(unit);
        std::ranges::replace(texts.back(), '%', letter);
    }
    const Module module = link_valid(texts);
    EXPECT_EQ(module.files.size(), 3U) << "common.h is one file";
    const Location& inlined = module.locations[function_named(module, "b").body[0].location];
    EXPECT_EQ(module.files.at(inlined.file), "common.h");
    EXPECT_EQ(module.files.at(module.locations[inlined.inlined_at].file), "b.cu");
    EXPECT_EQ(inlined.function, "f");
}

TEST(Link, NamesWhatDoesNotFit) {
    EXPECT_EQ(link_errors({".visible .func f() { ret; }", ".visible .func f() { ret; }"}),
              "error: `f` is defined twice: in unit1 and in unit2\n");
    EXPECT_EQ(link_errors({".extern .func f();\n.extern .global .u32 v;\n"
                           ".entry k() { .reg .b64 a; call f; mov.u64 a, v; ret; }"}),
              "error: undefined function `f`, which `k` uses\n"
              "error: undefined variable `v`, which `k` uses\n");
    EXPECT_EQ(
        link_errors({".visible .func f() { ret; }", ".visible .global .u32 f;"}),
        "error: `f` is a function in one module and a variable in another: unit1 and unit2\n");
    EXPECT_EQ(link_errors({".visible .global .u32 v;", ".extern .const .u32 v;"}),
              "error: variable `v` is .global in unit1 and .const in unit2\n");
    EXPECT_EQ(link_errors({".visible .func f() { ret; }", ".extern .func f(.param .b32 a);"}),
              "error: function `f` has other parameters in unit1 than in unit2\n");
}

}  // namespace
}  // namespace wideload::ptx
