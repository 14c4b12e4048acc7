// SPDX-License-Identifier: Apache-2.0
// No opcode of isa.def is executed untested: a row of the golden vectors has it, or a test named
// here runs it, or a kernel that uses it is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "jit/lower.h"
#include "ptx/opcode.h"
#include "recorded.h"

namespace wideload::isa {
namespace {

/// The first words of all statements that are executed.
std::set<std::string> executed_opcodes() {
    std::set<std::string> opcodes;
    for (const std::string& mnemonic : executed_mnemonics()) {
        opcodes.insert(mnemonic.substr(0, mnemonic.find('.')));
    }
    return opcodes;
}

/// Who runs what has no value that a row could hold.
enum class Runner {
    form,    ///< each of them, by itself
    here,    ///< a suite of this program, or a test of one
    beside,  ///< a test of CTest
};
struct Elsewhere {
    Runner runner;
    std::string_view test{};
};
const std::map<std::string_view, Elsewhere> kTestedElsewhere{
    {"barrier", {Runner::here, "Barrier"}},
    {"bra", {Runner::form}},
    {"exit", {Runner::beside, "program.calls"}},
    {"griddepcontrol", {Runner::beside, "program.bulk_copies"}},
    {"mbarrier", {Runner::here, "Mbarrier"}},
    {"ret", {Runner::form}},
    {"setmaxnreg", {Runner::here, "Barrier.RegistersAreGivenUp"}},
    {"trap", {Runner::beside, "run.faults.trap"}},
};

/// Every suite, and every test as `suite.test`.
std::set<std::string, std::less<>> tests_of_this_program() {
    std::set<std::string, std::less<>> names;
    const testing::UnitTest& program = *testing::UnitTest::GetInstance();
    for (int s = 0; s < program.total_test_suite_count(); ++s) {
        const testing::TestSuite& suite = *program.GetTestSuite(s);
        names.insert(suite.name());
        for (int t = 0; t < suite.total_test_count(); ++t) {
            names.insert(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
        }
    }
    return names;
}

TEST(Coverage, NamesTestsThatExist) {
    const auto names = tests_of_this_program();
    for (const auto& [opcode, elsewhere] : kTestedElsewhere) {
        if (elsewhere.runner != Runner::here) continue;
        EXPECT_TRUE(names.contains(elsewhere.test)) << opcode;
    }
}

TEST(Coverage, OfOpcodes) {
    const std::set<std::string> executed = executed_opcodes();
    for (std::size_t i = 0; i < ptx::kOpcodeCount; ++i) {
        ptx::Instruction instruction;
        instruction.opcode = static_cast<ptx::Opcode>(i);
        const std::string_view name = ptx::name(instruction.opcode);
        instruction.mnemonic = name;
        const bool refused = jit::why_unsupported(instruction).has_value();
        const bool tested = executed.contains(std::string(name)) || kTestedElsewhere.contains(name);
        EXPECT_NE(tested, refused) << name;
    }
}

// Forms of cvt that are not executed are named when the module is loaded, not at the first launch.
TEST(Coverage, OfConversions) {
    const auto reason = [](ptx::Type to, ptx::Type from, ptx::Rounding rounding, const char* form) {
        ptx::Instruction instruction;
        instruction.opcode = ptx::Opcode::cvt;
        instruction.types = {to, from};
        instruction.rounding = rounding;
        instruction.form = form;
        return jit::why_unsupported(instruction).value_or("");
    };
    using ptx::Rounding;
    using ptx::Type;
    EXPECT_THAT(reason(Type::f16x2, Type::f32, Rounding::rs, ""), testing::HasSubstr("cvt.rs"));
    EXPECT_THAT(reason(Type::f32, Type::e4m3x2, Rounding::rn, "scaled"),
                testing::HasSubstr(".scaled"));
    EXPECT_THAT(reason(Type::f32, Type::e4m3x2, Rounding::rn, ""),
                testing::HasSubstr("does not convert .e4m3x2 to .f32"));
    EXPECT_EQ(reason(Type::f16x2, Type::e4m3x2, Rounding::rn, ""), "");
    EXPECT_EQ(reason(Type::e4m3x2, Type::f32, Rounding::rn, ""), "");
    EXPECT_EQ(reason(Type::f16x2, Type::f32, Rounding::rn, ""), "");
}

}  // namespace
}  // namespace wideload::isa
