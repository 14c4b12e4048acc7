// SPDX-License-Identifier: Apache-2.0
#include "jit/subnormal_registers.h"

#include <bit>
#include <cmath>

#include "jit/register_facts.h"

namespace wideload::jit {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

bool may_be_subnormal(const Operand& operand, const std::vector<bool>& registers) {
    if (operand.kind == Operand::Kind::reg) return registers[operand.reg];
    if (operand.kind != Operand::Kind::immediate) return true;
    const float value = operand.is_float_literal
                            ? static_cast<float>(std::bit_cast<double>(operand.bits))
                            : std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits));
    return std::fpclassify(value) == FP_SUBNORMAL;
}

bool any_of(const Instruction& instruction, std::size_t first, std::size_t count,
            const std::vector<bool>& registers) {
    for (std::size_t i = first; i < first + count; ++i) {
        if (may_be_subnormal(instruction.operands[i], registers)) return true;
    }
    return false;
}

/// cvt to f32: what is not 0 among integers and f16 is far from f32's subnormal numbers.
bool conversion_may_be_subnormal(const Instruction& instruction) {
    const Type from = instruction.types[1];
    const bool far = from == Type::f16 || !ptx::is_float(from);
    return instruction.type() != Type::f32 || !(far || instruction.ftz);
}

/// Whether an instruction may write a subnormal f32, given what is known of the registers that it
/// reads.
bool result_may_be_subnormal(const Instruction& instruction, const std::vector<bool>& registers) {
    if (ptx::bit_width(instruction.type()) != 32) return true;
    switch (instruction.opcode) {
        case Opcode::add:
        case Opcode::sub:
        case Opcode::mul:
        case Opcode::mad:
        case Opcode::fma:
        case Opcode::div:
        case Opcode::rcp:
        case Opcode::rsqrt:
        case Opcode::sin:
        case Opcode::cos:
        case Opcode::ex2:
        case Opcode::abs:
        case Opcode::neg:
        case Opcode::min:
        case Opcode::max:
            return instruction.type() != Type::f32 || !instruction.ftz;
        case Opcode::sqrt:
        case Opcode::lg2:
            return instruction.type() != Type::f32;
        case Opcode::cvt:
            return conversion_may_be_subnormal(instruction);
        case Opcode::mov:
        case Opcode::shfl:
            return any_of(instruction, 1, 1, registers);
        case Opcode::selp:
            return any_of(instruction, 1, 2, registers);
        default:
            return true;
    }
}

}  // namespace

std::vector<bool> registers_with_subnormals(const ptx::Function& function) {
    return registers_with(function, /*given_have_it=*/true, result_may_be_subnormal);
}

}  // namespace wideload::jit
