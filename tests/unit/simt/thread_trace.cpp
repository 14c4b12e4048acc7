// SPDX-License-Identifier: Apache-2.0
#include "thread_trace.h"

#include <stdexcept>
#include <utility>

namespace wideload::simt {
namespace {

using ptx::Comparison;
using ptx::Opcode;
using ptx::Type;

template <class T>
bool compares(Comparison comparison, T left, T right) {
    switch (comparison) {
        case Comparison::eq:
            return left == right;
        case Comparison::ne:
            return left != right;
        case Comparison::lt:
            return left < right;
        case Comparison::le:
            return left <= right;
        case Comparison::gt:
            return left > right;
        case Comparison::ge:
            return left >= right;
        default:
            throw std::runtime_error("a comparison that these tests lack");
    }
}

std::uint64_t extended(std::uint64_t bits, Type type) {
    if (ptx::bit_width(type) == 64) return bits;
    const auto low = static_cast<std::uint32_t>(bits);
    return type == Type::s32 ? static_cast<std::uint64_t>(static_cast<std::int32_t>(low)) : low;
}

}  // namespace

ThreadTrace::ThreadTrace(const ptx::Function& function,
                         std::map<ptx::RegisterId, std::uint64_t> registers, std::size_t longest)
    : registers_(std::move(registers)) {
    std::size_t next = 0;
    while (next < function.body.size() && lines.size() < longest) {
        const ptx::Instruction& instruction = function.body[next++];
        if (!instruction.added) lines.push_back(instruction.ptx_line);
        if (instruction.opcode == Opcode::ret) break;
        if (instruction.guard &&
            (registers_[instruction.guard->predicate] == 0) != instruction.guard->negated) {
            continue;
        }
        if (instruction.opcode == Opcode::bra) {
            next = function.labels[instruction.operands[0].label].instruction;
        } else {
            execute(instruction);
        }
    }
}

std::uint64_t ThreadTrace::value(const ptx::Operand& operand, Type type) const {
    if (operand.kind == ptx::Operand::Kind::immediate) return extended(operand.bits, type);
    const auto found = registers_.find(operand.reg);
    return found == registers_.end() ? 0 : extended(found->second, type);
}

void ThreadTrace::execute(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const auto source = [&](std::size_t index) { return value(instruction.operands[index], type); };
    std::uint64_t& result = registers_[instruction.operands[0].reg];
    switch (instruction.opcode) {
        case Opcode::mov:
            result = source(1);
            break;
        case Opcode::add:
            result = extended(source(1) + source(2), type);
            break;
        case Opcode::sub:
            result = extended(source(1) - source(2), type);
            break;
        case Opcode::div:
            result = source(1) / source(2);
            break;
        case Opcode::cvt:
            result = value(instruction.operands[1], instruction.types[1]);
            break;
        case Opcode::selp:
            result = registers_.at(instruction.operands[3].reg) != 0 ? source(1) : source(2);
            break;
        case Opcode::setp:
            result = ptx::is_signed(type)
                         ? compares(instruction.comparison, static_cast<std::int64_t>(source(1)),
                                    static_cast<std::int64_t>(source(2)))
                         : compares(instruction.comparison, source(1), source(2));
            break;
        case Opcode::ld:
            for (const auto& [id, held] : std::map(registers_)) at_loads_[id].push_back(held);
            break;
        default:
            throw std::runtime_error("an instruction that these tests lack: " +
                                     instruction.mnemonic);
    }
}

}  // namespace wideload::simt
