// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ptx/module.h"
#include "simt/bitset.h"
#include "simt/blocks.h"

namespace wideload::simt {

/// Calls visit(register) for each register that the instruction reads, guard and address bases
/// included.
template <class Visit>
void for_each_use(const ptx::Instruction& instruction, Visit visit);
/// Calls visit(register) for each register that it writes.
template <class Visit>
void for_each_definition(const ptx::Instruction& instruction, Visit visit);

/// How many leading operands are destinations.
[[nodiscard]] unsigned destination_count(const ptx::Instruction& instruction);

/// Registers whose value some lane may still read when it enters each block.
[[nodiscard]] std::vector<Bitset> live_at_entry(const ptx::Function& function,
                                                const std::vector<Block>& blocks);

// Implementation.

namespace detail {
template <class Visit>
void visit_registers(const ptx::Operand& operand, Visit& visit) {
    using Kind = ptx::Operand::Kind;
    if (operand.kind == Kind::reg || (operand.kind == Kind::address && operand.has_base_register)) {
        visit(operand.reg);
    }
    for (const ptx::Operand& element : operand.elements) visit_registers(element, visit);
}
}  // namespace detail

template <class Visit>
void for_each_use(const ptx::Instruction& instruction, Visit visit) {
    if (instruction.guard) visit(instruction.guard->predicate);
    const unsigned destinations = destination_count(instruction);
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const ptx::Operand& operand = instruction.operands[i];
        // An address in a destination's place is read, too.
        if (i < destinations && operand.kind != ptx::Operand::Kind::address) continue;
        detail::visit_registers(operand, visit);
    }
}

template <class Visit>
void for_each_definition(const ptx::Instruction& instruction, Visit visit) {
    const unsigned destinations = destination_count(instruction);
    for (std::size_t i = 0; i < destinations && i < instruction.operands.size(); ++i) {
        const ptx::Operand& operand = instruction.operands[i];
        if (operand.kind != ptx::Operand::Kind::address) detail::visit_registers(operand, visit);
    }
}

}  // namespace wideload::simt
