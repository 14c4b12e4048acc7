// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/module.h"

namespace wideload::simt {

/// Runs a function of integers and branches as one thread does.
class ThreadTrace {
public:
    /// @param registers what some hold at the start; others hold 0
    /// @param longest after which the thread is left, in instructions of the text
    ThreadTrace(const ptx::Function& function, std::map<ptx::RegisterId, std::uint64_t> registers,
                std::size_t longest);

    /// The lines of the text's instructions, as they were executed.
    std::vector<std::uint32_t> lines;
    /// What the register `of` held at each load from memory.
    [[nodiscard]] const std::vector<std::uint64_t>& at_loads(ptx::RegisterId of) const {
        return at_loads_.at(of);
    }

private:
    void execute(const ptx::Instruction& instruction);
    [[nodiscard]] std::uint64_t value(const ptx::Operand& operand, ptx::Type type) const;

    std::map<ptx::RegisterId, std::uint64_t> registers_;
    std::map<ptx::RegisterId, std::vector<std::uint64_t>> at_loads_;
};

}  // namespace wideload::simt
