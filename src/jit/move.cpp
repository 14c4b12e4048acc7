// SPDX-License-Identifier: Apache-2.0
// mov, cvta, isspacep.
#include "jit/comparison.h"
#include "jit/integer_values.h"
#include "jit/lower.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

Type bits_type_of_width(unsigned bits) {
    switch (bits) {
        case 8:
            return Type::b8;
        case 16:
            return Type::b16;
        case 32:
            return Type::b32;
        default:
            return Type::b64;
    }
}

/// The whole of {a, b, ...}: `a` is the lowest part.
llvm::Value* pack(Emitter& emitter, const Operand& vector, unsigned bits) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const auto count = static_cast<unsigned>(vector.elements.size());
    const std::vector<Type> types(count, bits_type_of_width(bits / count));
    const std::vector<llvm::Value*> parts = emitter.sources(vector.elements, types);
    llvm::Value* whole = nullptr;
    for (unsigned i = 0; i < count; ++i) {
        llvm::Value* part = ir.CreateShl(resize(emitter, parts[i], bits, false), bits / count * i);
        whole = whole == nullptr ? part : ir.CreateOr(whole, part);
    }
    return whole;
}

void unpack(Emitter& emitter, const Operand& vector, llvm::Value* whole) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const auto count = static_cast<unsigned>(vector.elements.size());
    const unsigned bits = bits_of_type(whole) / count;
    for (unsigned i = 0; i < count; ++i) {
        emitter.define_element(vector, i,
                               resize(emitter, ir.CreateLShr(whole, bits * i), bits, false),
                               bits_type_of_width(bits));
    }
}

/// mov.v4.u32 {a, b, c, d}, {e, f, g, h}: element by element. All are read before any is written.
void move_elements(Emitter& emitter, const Operand& to, const Operand& from, Type type) {
    const std::vector<Type> types(from.elements.size(), type);
    const std::vector<llvm::Value*> values = emitter.sources(from.elements, types);
    for (std::size_t i = 0; i < values.size(); ++i) emitter.define_element(to, i, values[i], type);
}

void lower_mov(Emitter& emitter, const Instruction& instruction) {
    const Operand &to = instruction.operands[0], &from = instruction.operands[1];
    const Type type = bits_type(instruction.type());
    const bool to_vector = to.kind == Operand::Kind::vector;
    const bool from_vector = from.kind == Operand::Kind::vector;
    if (to_vector && from_vector) return move_elements(emitter, to, from, type);
    if (to_vector) return unpack(emitter, to, emitter.source(from, type));
    if (from_vector) {
        return emitter.define(to, pack(emitter, from, ptx::bit_width(type)), type);
    }
    emitter.define(to, emitter.source(from, type), type);
}

/// Between a space's own addresses and generic ones.
void lower_cvta(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type type = bits_type(instruction.type());
    llvm::Value* address = emitter.source(instruction.operands[1], type);
    if (llvm::Value* window = emitter.window_base(instruction.space)) {
        if (type != Type::b64) {
            emitter.refuse(
                "generic addresses of shared memory, local memory and parameters need 64 bits",
                "compile the program for 64-bit addresses");
            return;
        }
        if (Emitter::is_vector(address)) window = emitter.splat(window);
        address = instruction.to ? ir.CreateSub(address, window) : ir.CreateAdd(address, window);
    }
    emitter.define(instruction.operands[0], address, type);
}

/// Whether a generic address is that of a constant of the module: they lie among global memory.
llvm::Value* is_constant(Emitter& emitter, llvm::Value* address) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* found = emitter.constant(emitter.type_like(ir.getInt1Ty(), address), 0);
    for (const ptx::Variable& variable : emitter.context().module.variables) {
        if (variable.space != ptx::Space::constant) continue;
        const auto begin = emitter.context().symbols.address_of(variable.name);
        if (!begin) continue;
        llvm::Value* offset = ir.CreateSub(address, integer(emitter, address, *begin));
        found =
            ir.CreateOr(found, ir.CreateICmpULT(offset, integer(emitter, address, variable.size)));
    }
    return found;
}

void lower_isspacep(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* address = emitter.source(instruction.operands[1], Type::b64);
    const auto within = [&](std::uint64_t window) {
        return ir.CreateICmpULT(ir.CreateSub(address, integer(emitter, address, window)),
                                integer(emitter, address, kWindowBytes));
    };
    llvm::Value* result = nullptr;
    switch (instruction.space) {
        case ptx::Space::shared:
            result = within(kSharedWindow);
            break;
        case ptx::Space::local:
            result = within(kLocalWindow);
            break;
        case ptx::Space::param:
            result = within(kParameterWindow);
            break;
        case ptx::Space::constant:
            result = is_constant(emitter, address);
            break;
        case ptx::Space::global:
            result = ir.CreateNot(
                ir.CreateOr({within(kSharedWindow), within(kLocalWindow), within(kParameterWindow),
                             is_constant(emitter, address)}));
            break;
        default:
            emitter.refuse("isspacep knows no such space here");
            return;
    }
    emitter.define(instruction.operands[0], result, Type::pred);
}

}  // namespace

void lower_move(Emitter& emitter, const Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::cvta:
            return lower_cvta(emitter, instruction);
        case Opcode::isspacep:
            return lower_isspacep(emitter, instruction);
        default:
            return lower_mov(emitter, instruction);
    }
}

}  // namespace wideload::jit
