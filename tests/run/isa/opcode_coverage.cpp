// SPDX-License-Identifier: Apache-2.0
// No opcode of isa.def is executed untested: a row of the golden vectors has it, or a test named
// here runs it, or a kernel that uses it is refused by name.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "jit/lower.h"
#include "ptx/opcode.h"

namespace wideload::isa {
namespace {

/// The first words of all statements that were run on hardware.
std::set<std::string> recorded_opcodes() {
    std::ifstream file(WIDELOAD_ISA_GOLDEN);
    std::set<std::string> words;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        const std::size_t begin = line.find('\t') + 1;
        const std::string text = line.substr(begin, line.find('\t', begin) - begin);
        for (std::size_t at = 0; at < text.size();) {
            at = text.find_first_not_of(" ;{}", at);
            if (at == std::string::npos) break;
            words.insert(text.substr(at, text.find_first_of(". ;", at) - at));
            at = std::min(text.find_first_of(";{}", at), text.size());
        }
    }
    return words;
}

/// What has no value that a row could hold, and the test that runs it.
const std::map<std::string_view, std::string_view> kTestedElsewhere{
    {"barrier", "Barrier.*"},
    {"bra", "every form, in a branch"},
    {"exit", "Control.*, program.control_flow"},
    {"griddepcontrol", "program.bulk_copies"},
    {"mbarrier", "Mbarrier.*"},
    {"ret", "every form"},
    {"setmaxnreg", "Barrier.RegistersAreGivenUp"},
    {"trap", "run.faults"},
};

TEST(Coverage, OfOpcodes) {
    const std::set<std::string> recorded = recorded_opcodes();
    for (std::size_t i = 0; i < ptx::kOpcodeCount; ++i) {
        ptx::Instruction instruction;
        instruction.opcode = static_cast<ptx::Opcode>(i);
        const std::string_view name = ptx::name(instruction.opcode);
        instruction.mnemonic = name;
        const bool refused = jit::why_unsupported(instruction).has_value();
        const bool tested = recorded.contains(std::string(name)) || kTestedElsewhere.contains(name);
        EXPECT_NE(tested, refused) << name;
    }
}

}  // namespace
}  // namespace wideload::isa
