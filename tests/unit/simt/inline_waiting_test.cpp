// SPDX-License-Identifier: Apache-2.0
// Which calls are replaced by what they call: those in which lanes of a warp may wait for others.
#include "simt/inline_waiting.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel_text.h"
#include "ptx/verify.h"

namespace wideload::simt {
namespace {

using ptx::Opcode;

constexpr std::string_view kRegisters =
    ".reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.param .b64 a;\n";
constexpr std::string_view kTryLock =
    "LOOP:\natom.global.exch.b32 %r1, [%rd1], 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\n";

std::string function(std::string_view name, std::string_view body) {
    return fmt::format(
        ".func {}(.param .b64 {}_lock)\n{{\n{}ld.param.b64 %rd1, [{}_lock];\n{}ret;\n}}\n", name,
        name, kRegisters, name, body);
}

std::string call(std::string_view name) {
    return fmt::format("st.param.b64 [a], %rd1;\ncall {}, (a);\n", name);
}

/// A kernel that calls, after the pass.
ptx::Module module_of(const std::string& functions, const std::string& calls) {
    KernelText kernel("{\n.param .b64 a;\nld.param.b64 %rd1, [in];\n" + calls + "}\nret;",
                      functions);
    inline_waiting_calls(kernel.module);
    EXPECT_TRUE(ptx::verify(kernel.module, 5).empty()) << format(ptx::verify(kernel.module, 5));
    return kernel.module;
}

std::vector<std::string> calls_in(const ptx::Function& function) {
    std::vector<std::string> names;
    for (const ptx::Instruction& instruction : function.body) {
        if (instruction.opcode == Opcode::call) names.push_back(instruction.operands[1].symbol);
    }
    return names;
}

std::vector<std::string> calls_left(const std::string& functions, const std::string& calls) {
    return calls_in(module_of(functions, calls).functions.back());
}

using Names = std::vector<std::string>;

TEST(InlineWaiting, SpinningFunctionTakesItsCallsPlace) {
    EXPECT_EQ(calls_left(function("lock", kTryLock), call("lock") + call("lock")), Names{});
}

TEST(InlineWaiting, SoDoTheFunctionsThatCallIt) {
    EXPECT_EQ(
        calls_left(function("lock", kTryLock) + function("guard", call("lock")), call("guard")),
        Names{});
}

// Unoptimised code calls a function for each atomic: the loop hangs on what that returns.
TEST(InlineWaiting, LoopMayHangOnWhatItCalls) {
    const std::string exchange =
        ".func (.param .b32 old) exchange(.param .b64 at)\n{\n.reg .b32 %r1;\n.reg .b64 %rd1;\n"
        "ld.param.b64 %rd1, [at];\natom.global.exch.b32 %r1, [%rd1], 1;\n"
        "st.param.b32 [old], %r1;\nret;\n}\n";
    const std::string lock = function(
        "lock",
        "LOOP:\n{\n.param .b32 result;\nst.param.b64 [a], %rd1;\ncall (result), exchange, (a);\n"
        "ld.param.b32 %r1, [result];\n}\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\n");
    EXPECT_EQ(calls_left(exchange + lock, call("lock")), Names{"exchange"});
}

TEST(InlineWaiting, OtherFunctionsStayCalls) {
    const std::string once = function("once", "atom.global.exch.b32 %r1, [%rd1], 1;\n");
    const std::string counts = function(
        "counts",
        "mov.u32 %r2, 0;\nLOOP:\natom.global.add.u32 %r1, [%rd1], 1;\nadd.u32 %r2, %r2, 1;\n"
        "setp.lt.u32 %p1, %r2, 9;\n@%p1 bra LOOP;\n");
    EXPECT_EQ(calls_left(once + counts, call("once") + call("counts")), (Names{"once", "counts"}));
    // Also beside one that spins, unless lanes meet there.
    EXPECT_EQ(calls_left(once + function("lock", kTryLock), call("lock") + call("once")),
              Names{"once"});
}

// Lanes that have left the loop would else be alone in the function where they meet the others.
TEST(InlineWaiting, MeetingsFollowIntoAFunctionThatSpins) {
    const std::string meet = function("meet", "bar.warp.sync -1;\n");
    EXPECT_EQ(calls_left(meet, call("meet")), Names{"meet"});
    EXPECT_EQ(calls_left(meet, std::string(kTryLock) + call("meet")), Names{});
    EXPECT_EQ(calls_left(meet + function("through", call("meet")) + function("lock", kTryLock),
                         call("lock") + call("through")),
              Names{});
}

TEST(InlineWaiting, SleepFollowsIntoAFunctionThatSpins) {
    const std::string sleep = function("sleep", "nanosleep.u32 20;\n");
    EXPECT_EQ(calls_left(sleep, call("sleep")), Names{"sleep"});
    EXPECT_EQ(calls_left(sleep, std::string(kTryLock) + call("sleep")), Names{});
}

TEST(InlineWaiting, FunctionThatCallsItselfStaysACall) {
    const std::string declaration = ".func even(.param .b64 even_lock);\n";
    const std::string odd = function("odd", std::string(kTryLock) + call("even"));
    const std::string even = function("even", call("odd"));
    EXPECT_EQ(calls_left(declaration + odd + even, call("even")), Names{"even"});
}

TEST(InlineWaiting, FunctionDoesNotGrowWithoutEnd) {
    std::string below = "lock", functions = function("lock", kTryLock);
    for (int level = 0; level < 12; ++level) {
        const std::string name = fmt::format("level{}", level);
        functions += function(name, call(below) + call(below) + call(below));
        below = name;
    }
    const ptx::Module module = module_of(functions, call(below));
    for (const ptx::Function& function : module.functions) {
        EXPECT_LE(function.body.size(), kMostInlinedInstructions);
    }
    EXPECT_EQ(calls_in(module.functions[2]), Names{});
}

// All copies of a function's body share its shared variables.
TEST(InlineWaiting, SharedVariablesBecomeTheModules) {
    const std::string lock =
        function("lock",
                 ".shared .align 4 .b32 flag;\nmov.u32 %r2, flag;\nLOOP:\n"
                 "atom.shared.exch.b32 %r1, [%r2], 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\n");
    const ptx::Module module = module_of(lock, call("lock") + call("lock"));
    EXPECT_EQ(std::ranges::count(module.variables, "flag", &ptx::Variable::name), 1);
    for (const ptx::Function& function : module.functions) {
        EXPECT_EQ(std::ranges::count(function.variables, "flag", &ptx::Variable::name), 0);
    }
}

TEST(InlineWaiting, PointerIsComparedWithTheFunctionsThatSpin) {
    const std::string through =
        "mov.b64 %rd2, lock;\nmov.b64 %rd3, once;\nst.param.b64 [a], %rd1;\n"
        "prototype: .callprototype _ (.param .b64 _);\ncall %rd2, (a), prototype;\n";
    const std::string once = function("once", "atom.global.exch.b32 %r1, [%rd1], 1;\n");
    const ptx::Module module = module_of(function("lock", kTryLock) + once, through);
    const ptx::Function& kernel = module.functions.back();
    EXPECT_EQ(calls_in(kernel), Names{""});  // for all others
    const auto named = std::ranges::count_if(kernel.body, [](const ptx::Instruction& instruction) {
        return instruction.opcode == Opcode::mov && instruction.operands[1].symbol == "lock";
    });
    EXPECT_EQ(named, 2);  // the program's own and the comparison's
    EXPECT_EQ(std::ranges::count(kernel.body, Opcode::atom, &ptx::Instruction::opcode), 1);
}

}  // namespace
}  // namespace wideload::simt
