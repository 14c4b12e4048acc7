// SPDX-License-Identifier: Apache-2.0
#include "ptx/rewrite.h"

#include <utility>

namespace wideload::ptx {

LabelId add_label(Function& function, std::string name, std::uint32_t instruction) {
    function.labels.push_back({std::move(name), instruction});
    return static_cast<LabelId>(function.labels.size() - 1);
}

RegisterId add_register(Function& function, std::string name, Type type) {
    function.registers.push_back({std::move(name), type});
    return static_cast<RegisterId>(function.registers.size() - 1);
}

Operand immediate_operand(std::uint64_t bits) {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.bits = bits;
    return operand;
}

Instruction instruction_at(const Instruction& from, Opcode opcode, std::string mnemonic) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.mnemonic = std::move(mnemonic);
    instruction.location = from.location;
    instruction.ptx_line = from.ptx_line;
    instruction.ptx_column = from.ptx_column;
    return instruction;
}

Instruction branch_at(const Instruction& from, std::optional<Guard> guard, LabelId target) {
    Instruction branch = instruction_at(from, Opcode::bra, "bra");
    branch.guard = guard;
    Operand label;
    label.kind = Operand::Kind::label;
    label.label = target;
    branch.operands = {label};
    return branch;
}

}  // namespace wideload::ptx
