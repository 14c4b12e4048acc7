// SPDX-License-Identifier: Apache-2.0
// No opcode of isa.def is executed untested: a form of these tests has it, or a test named here
// runs it, or a kernel that uses it is refused by name.
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

/// What has no value that a row could hold, and the test of CTest that runs it.
const std::map<std::string_view, std::string_view> kTestedElsewhere{
    {"exit", "program.calls"},
    {"ret", "each form's kernel"},
    {"trap", "run.faults.trap"},
};

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

/// Every test of this program as `suite.test`.
std::set<std::string> tests_of_this_program() {
    std::set<std::string> names;
    const testing::UnitTest& program = *testing::UnitTest::GetInstance();
    for (int s = 0; s < program.total_test_suite_count(); ++s) {
        const testing::TestSuite& suite = *program.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t) {
            names.insert(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
        }
    }
    return names;
}

// That each has a form of this number, the tests see to.
TEST(Coverage, ListsNameTestsThatExist) {
    const std::set<std::string> tests = tests_of_this_program();
    const auto check_names = [&](const auto& list) {
        for (const auto& [name, form] : list) {
            EXPECT_TRUE(tests.contains(name.substr(0, name.find('#')))) << name;
        }
    };
    check_names(golden_rows());
    check_names(unrecorded_forms());
    for (const auto& [name, form] : unrecorded_forms()) {
        EXPECT_FALSE(golden_rows().contains(name)) << name << " has a vector of hardware";
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
