// SPDX-License-Identifier: Apache-2.0
#include "jit/parameter_origin.h"

#include <algorithm>
#include <set>

#include "simt/liveness.h"

namespace wideload::jit {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

using Definitions = std::vector<std::vector<const Instruction*>>;  ///< by register

/// Follows one address back to where its registers were written.
class Tracer {
public:
    Tracer(const ptx::Function& function, const Definitions& definitions)
        : function_(function), definitions_(definitions) {}

    std::set<std::string> trace(ptx::RegisterId id) {
        if (!visited_.insert(id).second) return {};
        std::set<std::string> found;
        for (const Instruction* instruction : definitions_[id]) {
            found.merge(origin_of(*instruction));
        }
        return found;
    }

private:
    std::set<std::string> origin_of(const Instruction& instruction) {
        std::set<std::string> found;
        switch (instruction.opcode) {
            case Opcode::ld:
                if (instruction.space == ptx::Space::param &&
                    ptx::byte_size(instruction.type()) == 8) {
                    found = origin_of_parameter(instruction.operands[1]);
                }
                break;
            case Opcode::mov:
            case Opcode::cvta:
            case Opcode::add:
            case Opcode::sub:
            case Opcode::mad:
            case Opcode::selp:
                for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
                    const Operand& operand = instruction.operands[i];
                    if (operand.kind == Operand::Kind::symbol) found.insert(operand.symbol);
                    if (operand.kind != Operand::Kind::reg) continue;
                    // The factors of a multiply-add are indices, not pointers.
                    if (instruction.opcode == Opcode::mad && i < 3) continue;
                    if (ptx::bit_width(function_.registers[operand.reg].type) != 64) continue;
                    found.merge(trace(operand.reg));
                }
                break;
            default:
                break;
        }
        return found;
    }

    /// Of what was passed to a function that was inlined, that of what was passed.
    std::set<std::string> origin_of_parameter(const Operand& address) {
        const bool is_own = std::ranges::find(function_.variables, address.symbol,
                                              &ptx::Variable::name) != function_.variables.end();
        if (!is_own) return {address.symbol};
        std::set<std::string> found;
        for (const Instruction& store : function_.body) {
            if (store.opcode != Opcode::st || store.space != ptx::Space::param) continue;
            const Operand &to = store.operands[0], &value = store.operands[1];
            if (to.symbol == address.symbol && to.offset == address.offset &&
                value.kind == Operand::Kind::reg) {
                found.merge(trace(value.reg));
            }
        }
        return found;
    }

    const ptx::Function& function_;
    const Definitions& definitions_;
    std::set<ptx::RegisterId> visited_;
};

}  // namespace

ParameterOrigins::ParameterOrigins(const ptx::Function& function)
    : function_(function), definitions_(function.registers.size()) {
    for (const Instruction& instruction : function.body) {
        simt::for_each_definition(
            instruction, [&](ptx::RegisterId r) { definitions_[r].push_back(&instruction); });
    }
}

std::string ParameterOrigins::of(const Instruction& access) const {
    for (const Operand& operand : access.operands) {
        if (operand.kind == Operand::Kind::address) return of(operand);
    }
    return {};
}

std::string ParameterOrigins::of(const Operand& address) const {
    if (!address.has_base_register) return address.symbol;
    const std::set<std::string> found = Tracer(function_, definitions_).trace(address.reg);
    return found.size() == 1 ? *found.begin() : std::string{};
}

}  // namespace wideload::jit
