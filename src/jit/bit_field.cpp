// SPDX-License-Identifier: Apache-2.0
// Fields of bits given by position and length; what lies above the value's top does not exist. PTX
// leaves open what positions and lengths above 255 do: the 32-bit instructions of GPUs look at the
// lowest byte, their sequences for 64 bits at all of it.
#include "jit/bits.h"
#include "jit/integer_values.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

namespace {

/// Position and length as the value's type.
struct Field {
    llvm::Value *position, *length;
};

Field field(Emitter& emitter, llvm::Value* position, llvm::Value* length, unsigned bits) {
    const auto limited = [&](llvm::Value* value) {
        value = bits == 32 ? emitter.ir().CreateAnd(value, 0xff)
                           : minimum(emitter, value, integer(emitter, value, 0xff), false);
        return resize(emitter, value, bits, false);
    };
    return {limited(position), limited(length)};
}

/// The lowest `length` bits set; all where there are not so many.
llvm::Value* low_ones(Emitter& emitter, llvm::Value* length) {
    llvm::Value* ones = llvm::Constant::getAllOnesValue(length->getType());
    return emitter.ir().CreateNot(shift_left(emitter, ones, length));
}

llvm::Value* extract(Emitter& emitter, llvm::Value* value, const Field& f, bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (!is_signed) {
        return ir.CreateAnd(shift_right(emitter, value, f.position, false),
                            low_ones(emitter, f.length));
    }
    // Up until the field's last bit is the top one, then down; a field past the top is all sign.
    llvm::Value* bits = integer(emitter, value, bits_of_type(value));
    llvm::Value* end = minimum(emitter, ir.CreateAdd(f.position, f.length), bits, false);
    llvm::Value* up = ir.CreateSub(bits, end);
    llvm::Value* result =
        shift_right(emitter, shift_left(emitter, value, up), ir.CreateAdd(f.position, up), true);
    llvm::Value* zero = integer(emitter, value, 0);
    return ir.CreateSelect(ir.CreateICmpEQ(f.length, zero), zero, result);
}

llvm::Value* insert(Emitter& emitter, llvm::Value* field_bits, llvm::Value* into, const Field& f) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* mask = shift_left(emitter, low_ones(emitter, f.length), f.position);
    llvm::Value* moved = shift_left(emitter, field_bits, f.position);
    return ir.CreateOr(ir.CreateAnd(into, ir.CreateNot(mask)), ir.CreateAnd(moved, mask));
}

bool clamps(const Instruction& instruction) {
    return instruction.form.find("clamp") != std::string::npos;
}

/// `width` ones from bit `start` on; .wrap takes both modulo 32.
llvm::Value* mask_of_bits(Emitter& emitter, llvm::Value* start, llvm::Value* width, bool clamping) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (!clamping) {
        start = ir.CreateAnd(start, 31);
        width = ir.CreateAnd(width, 31);
    }
    return shift_left(emitter, low_ones(emitter, width), start);
}

/// The lowest `width` bits, zero- or sign-extended.
llvm::Value* extend(Emitter& emitter, llvm::Value* value, llvm::Value* width, bool is_signed,
                    bool clamping) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (!clamping) width = ir.CreateAnd(width, 31);
    if (!is_signed) return ir.CreateAnd(value, low_ones(emitter, width));
    llvm::Value* bits = integer(emitter, width, 32);
    llvm::Value* unused = ir.CreateSub(bits, minimum(emitter, width, bits, false));
    llvm::Value* result = shift_right(emitter, shift_left(emitter, value, unused), unused, true);
    llvm::Value* zero = integer(emitter, width, 0);
    return ir.CreateSelect(ir.CreateICmpEQ(width, zero), zero, result);
}

}  // namespace

void lower_bit_field(Emitter& emitter, const Instruction& instruction) {
    const Type type = instruction.type();
    const unsigned bits = ptx::bit_width(type);
    llvm::Value* result = nullptr;
    if (instruction.opcode == Opcode::bfi) {
        const auto v = emitter.sources(instruction, 1, {type, type, Type::u32, Type::u32});
        result = insert(emitter, v[0], v[1], field(emitter, v[2], v[3], bits));
    } else if (instruction.opcode == Opcode::bfe) {
        const auto v = emitter.sources(instruction, 1, {type, Type::u32, Type::u32});
        result = extract(emitter, v[0], field(emitter, v[1], v[2], bits), ptx::is_signed(type));
    } else {
        const auto v = emitter.sources(instruction, 1, {Type::u32, Type::u32});
        result = instruction.opcode == Opcode::bmsk
                     ? mask_of_bits(emitter, v[0], v[1], clamps(instruction))
                     : extend(emitter, v[0], v[1], ptx::is_signed(type), clamps(instruction));
    }
    emitter.define(instruction.operands[0], result, type);
}

}  // namespace wideload::jit
