// SPDX-License-Identifier: Apache-2.0
#include "jit/nan_registers.h"

#include <bit>
#include <cmath>

#include "jit/register_facts.h"

namespace wideload::jit {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

bool is_number(const Operand& operand) {
    if (operand.kind != Operand::Kind::immediate) return false;
    const double value = std::bit_cast<double>(operand.bits);
    // The integers that a mov.b32 writes are NaN from 0x7f800001 on.
    return operand.is_float_literal ? !std::isnan(value)
                                    : (operand.bits & 0x7fffffff) <= 0x7f800000;
}

/// The operands of a copy are asked about by `of_register` or, where they are constants, by
/// `of_constant`.
template <class OfRegister, class OfConstant>
bool any_copied(const Instruction& instruction, OfRegister of_register, OfConstant of_constant) {
    const std::size_t count = instruction.opcode == Opcode::selp ? 2 : 1;
    for (std::size_t i = 1; i <= count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.kind == Operand::Kind::reg ? of_register(operand.reg) : of_constant(operand)) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool makes_host_nan(const Instruction& instruction) {
    if (instruction.type() != ptx::Type::f32) return false;
    switch (instruction.opcode) {
        case Opcode::add:
        case Opcode::sub:
        case Opcode::mul:
        case Opcode::mad:
        case Opcode::fma:
        case Opcode::abs:
        case Opcode::neg:
        case Opcode::div:
        case Opcode::rcp:
        case Opcode::sqrt:
        case Opcode::rsqrt:
        case Opcode::sin:
        case Opcode::cos:
        case Opcode::lg2:
        case Opcode::ex2:
        case Opcode::tanh:
            return true;
        case Opcode::cvt:
            return instruction.types[1] == ptx::Type::f32 || instruction.types[1] == ptx::Type::f16;
        default:
            return false;
    }
}

bool copies_a_register(const Instruction& instruction) {
    if (instruction.opcode != Opcode::mov && instruction.opcode != Opcode::selp) return false;
    if (ptx::bit_width(instruction.type()) != 32) return false;
    return instruction.operands[0].kind == Operand::Kind::reg &&
           instruction.operands[1].kind != Operand::Kind::vector;
}

bool looks_at_bits(const Instruction& instruction, ptx::Type type) {
    if (type != ptx::Type::f32) return true;
    switch (instruction.opcode) {
        case Opcode::copysign:
            return true;
        case Opcode::cvt:
            return instruction.type() == ptx::Type::f64;
        case Opcode::min:
        case Opcode::max:
            return instruction.xorsign_abs;
        default:
            return false;
    }
}

std::vector<bool> registers_with_host_nans(const ptx::Function& function) {
    using Registers = std::vector<bool>;
    const Registers kept = registers_with(
        function, /*given_have_it=*/true, [](const Instruction& i, const Registers& so_far) {
            if (!copies_a_register(i)) return !makes_host_nan(i);
            return any_copied(
                i, [&](ptx::RegisterId id) { return bool(so_far[id]); },
                [](const Operand& constant) { return !is_number(constant); });
        });
    Registers made = registers_with(
        function, /*given_have_it=*/false, [&](const Instruction& i, const Registers& so_far) {
            if (!copies_a_register(i)) return makes_host_nan(i);
            return any_copied(
                i, [&](ptx::RegisterId id) { return so_far[id] && !kept[id]; },
                [](const Operand&) { return false; });
        });
    for (std::size_t r = 0; r < made.size(); ++r) made[r] = made[r] && !kept[r];
    return made;
}

}  // namespace wideload::jit
