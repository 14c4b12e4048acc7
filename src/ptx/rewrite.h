// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ptx/module.h"

/// What passes that change a function's body are made of.
namespace wideload::ptx {

LabelId add_label(Function& function, std::string name, std::uint32_t instruction);

RegisterId add_register(Function& function, std::string name, Type type);

[[nodiscard]] Operand immediate_operand(std::uint64_t bits);

/// An instruction that stands where `from` does in all texts.
[[nodiscard]] Instruction instruction_at(const Instruction& from, Opcode opcode,
                                         std::string mnemonic);

[[nodiscard]] Instruction branch_at(const Instruction& from, std::optional<Guard> guard,
                                    LabelId target);

}  // namespace wideload::ptx
