// SPDX-License-Identifier: Apache-2.0
// A called function's body in the place of its call: whole, with names of its own, and valid PTX.
#include "ptx/inline_call.h"

#include <algorithm>

#include "ptx/verify.h"
#include "ptx_text.h"

namespace wideload::ptx {
namespace {

const std::string kTwice =
    ".func (.param .b32 result) twice(.param .b32 value)\n{\n\t.reg .pred %p;\n\t.reg .b32 %r;\n"
    "\t.reg .b64 %rd;\n\t.local .align 4 .b8 depot[4];\n"
    "\tld.param.b32 %r, [value];\n\tmov.b64 %rd, depot;\n\tst.local.b32 [%rd], %r;\n"
    "\tsetp.eq.s32 %p, %r, 0;\n\t@%p ret;\n\t@%p bra end;\n\tadd.s32 %r, %r, %r;\nend:\n"
    "\tst.param.b32 [result], %r;\n\tret;\n}\n";

const std::string kCaller =
    ".visible .entry kernel()\n{\n\t.reg .pred %p;\n\t.reg .b32 %r;\n"
    "\tmov.b32 %r, 1;\n\tbra begin;\nbegin:\n\t{\n\t.param .b32 a;\n\t.param .b32 b;\n"
    "\tst.param.b32 [a], %r;\n";

Module calling(const std::string& call, const std::string& function = kTwice) {
    return parse_valid(kHeader + function + kCaller + call +
                       "\n\tld.param.b32 %r, [b];\n\t}\n\t@%p bra begin;\n\tret;\n}\n");
}

std::uint32_t find_call(const Function& function) {
    const auto found = std::ranges::find(function.body, Opcode::call, &Instruction::opcode);
    return static_cast<std::uint32_t>(found - function.body.begin());
}

Module inlined(const std::string& call) {
    Module module = calling(call);
    Function& kernel = module.functions.back();
    inline_call(kernel, find_call(kernel), module.functions.front());
    return module;
}

TEST(InlineCall, CopyIsValidAndCountsAsManyInstructions) {
    const Module before = calling("call (b), twice, (a);");
    const Module after = inlined("call (b), twice, (a);");
    EXPECT_TRUE(verify(after, 5).empty()) << format(verify(after, 5));
    const Function &kernel = after.functions.back(), &callee = after.functions.front();
    EXPECT_EQ(kernel.body.size(), before.functions.back().body.size() + callee.body.size());
    EXPECT_EQ(find_call(kernel), kernel.body.size());
    EXPECT_EQ(kernel.registers.size(), 2u + 3u);
}

// The copy reads what the caller passed, and leaves its result where the caller looks for it.
TEST(InlineCall, ParametersAreTheCallersVariables) {
    const Function kernel = inlined("call (b), twice, (a);").functions.back();
    const auto names = [&](const std::string& mnemonic) {
        std::vector<std::string> symbols;
        for (const Instruction& instruction : kernel.body) {
            if (instruction.mnemonic != mnemonic) continue;
            for (const Operand& operand : instruction.operands) {
                if (!operand.symbol.empty()) symbols.push_back(operand.symbol);
            }
        }
        return symbols;
    };
    EXPECT_EQ(names("ld.param.b32"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(names("st.param.b32"), (std::vector<std::string>{"a", "b"}));
}

// Each copy has its own local memory: threads may be in two of them at a time.
TEST(InlineCall, CopiesHaveLocalVariablesAndLabelsOfTheirOwn) {
    Module module = calling("call (b), twice, (a);\n\tcall (b), twice, (a);");
    Function& kernel = module.functions.back();
    for (int copy = 0; copy < 2; ++copy) {
        inline_call(kernel, find_call(kernel), module.functions.front());
    }
    EXPECT_TRUE(verify(module, 5).empty()) << format(verify(module, 5));
    std::vector<std::string> names;
    for (const Variable& variable : kernel.variables) names.push_back(variable.name);
    for (const Label& label : kernel.labels) names.push_back(label.name);
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    EXPECT_EQ(std::ranges::count(kernel.variables, Space::local, &Variable::space), 2);
}

/// Where a branch goes: an index of the body.
std::uint32_t target(const Function& function, std::uint32_t branch) {
    return function.labels[function.body[branch].operands[0].label].instruction;
}

TEST(InlineCall, ReturnsGoBehindTheCopyAndTheCallersLabelsMoveAlong) {
    const Module before = calling("call (b), twice, (a);");
    const Module after = inlined("call (b), twice, (a);");
    const Function &kernel = after.functions.back(), &callee = after.functions.front();
    const std::uint32_t call = find_call(before.functions.back());
    const auto end = call + 1 + static_cast<std::uint32_t>(callee.body.size());
    EXPECT_EQ(target(kernel, call), call + 1);
    for (std::uint32_t i = 0; i < callee.body.size(); ++i) {
        const Instruction &from = callee.body[i], &copy = kernel.body[call + 1 + i];
        EXPECT_EQ(copy.ptx_line, from.ptx_line);
        EXPECT_EQ(copy.guard.has_value(), from.guard.has_value());
        if (from.opcode == Opcode::ret) {
            EXPECT_EQ(target(kernel, call + 1 + i), end);
        }
        if (from.opcode == Opcode::bra) {
            EXPECT_EQ(target(kernel, call + 1 + i), call + 1 + target(callee, i));
        }
    }
    // The caller's own loop still goes back to the same instruction.
    const auto loop = static_cast<std::uint32_t>(kernel.body.size()) - 2;
    EXPECT_EQ(target(kernel, loop), 2u);
    EXPECT_EQ(kernel.body[end].mnemonic, "ld.param.b32");
}

TEST(InlineCall, ThreadsWithoutTheCallsGuardPassTheCopyBy) {
    const Module module = inlined("@%p call (b), twice, (a);");
    const Function& kernel = module.functions.back();
    const std::uint32_t call = find_call(calling("@%p call (b), twice, (a);").functions.back());
    ASSERT_TRUE(kernel.body[call].guard.has_value());
    EXPECT_TRUE(kernel.body[call].guard->negated);
    EXPECT_EQ(target(kernel, call), call + 1 + module.functions.front().body.size());
}

TEST(InlineCall, IsOnlyForWhatHasABodyAndPassesVariablesOfTheSameSize) {
    const auto can = [](const std::string& function, const std::string& call) {
        const Module module = calling(call, function);
        const Function& kernel = module.functions.back();
        return can_inline(kernel, kernel.body[find_call(kernel)], module.functions.front());
    };
    EXPECT_TRUE(can(kTwice, "call (b), twice, (a);"));
    EXPECT_FALSE(can(".extern .func (.param .b32 result) twice(.param .b32 value);\n",
                     "call (b), twice, (a);"));
    EXPECT_FALSE(can(".func (.param .b32 result) twice(.reg .b32 value)\n{\n\tret;\n}\n",
                     "call (b), twice, (%r);"));
}

TEST(SplitCall, ThreadsWithTheFunctionsAddressCallItByItsName) {
    Module module = parse_valid(
        kHeader + kTwice +
        ".visible .entry kernel(.param .b64 function)\n{\n\t.reg .b32 %r;\n\t.reg .b64 %rd;\n"
        "\tld.param.b64 %rd, [function];\n\t{\n\t.param .b32 a;\n\t.param .b32 b;\n"
        "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "\tcall (b), %rd, (a), prototype;\n\tld.param.b32 %r, [b];\n\t}\n\tret;\n}\n");
    Function& kernel = module.functions.back();
    const SplitCall split = split_call(kernel, find_call(kernel), module.functions.front());
    EXPECT_TRUE(verify(module, 5).empty()) << format(verify(module, 5));
    const Instruction &direct = kernel.body[split.direct], &through = kernel.body[split.through];
    EXPECT_EQ(direct.operands[1].symbol, "twice");
    EXPECT_EQ(through.operands[1].kind, Operand::Kind::reg);
    EXPECT_TRUE(can_inline(kernel, direct, module.functions.front()));
    // Others jump to the call through the pointer, and these past it.
    EXPECT_EQ(target(kernel, split.direct - 1), split.through);
    EXPECT_EQ(target(kernel, split.direct + 1), split.through + 1);
}

}  // namespace
}  // namespace wideload::ptx
