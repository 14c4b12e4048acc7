// SPDX-License-Identifier: Apache-2.0
#include "ptx/address_taken.h"

namespace wideload::ptx {

std::set<std::string> address_taken(const Module& module) {
    std::set<std::string> taken;
    for (const Variable& variable : module.variables) {
        for (const Relocation& relocation : variable.relocations) taken.insert(relocation.symbol);
    }
    for (const Function& function : module.functions) {
        for (const Instruction& instruction : function.body) {
            if (instruction.opcode != Opcode::mov && instruction.opcode != Opcode::st) continue;
            for (const Operand& operand : instruction.operands) {
                if (operand.kind == Operand::Kind::symbol) taken.insert(operand.symbol);
            }
        }
    }
    return taken;
}

}  // namespace wideload::ptx
