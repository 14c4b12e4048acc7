// SPDX-License-Identifier: Apache-2.0
#include "jit/integer.h"
#include "jit/integer_values.h"

namespace wideload::jit {

using ptx::Type;

/// dp4a: four bytes by four bytes. dp2a: two halves by the low or the high two bytes.
void lower_dot_product(Emitter& emitter, const ptx::Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const bool a_signed = ptx::is_signed(instruction.types[0]);
    const bool b_signed = ptx::is_signed(instruction.types[1]);
    const bool by_bytes = instruction.opcode == ptx::Opcode::dp4a;
    const unsigned first_byte = !by_bytes && instruction.mul_mode == ptx::MulMode::hi ? 2 : 0;
    const auto v = emitter.sources(instruction, 1, {Type::b32, Type::b32, Type::b32});
    llvm::Value* sum = v[2];
    for (unsigned i = 0; i < (by_bytes ? 4u : 2u); ++i) {
        llvm::Value* a = packed_part(emitter, v[0], i, by_bytes ? 8 : 16, a_signed);
        llvm::Value* b = packed_part(emitter, v[1], first_byte + i, 8, b_signed);
        sum = ir.CreateAdd(sum, ir.CreateMul(a, b));
    }
    emitter.define(instruction.operands[0], sum, Type::b32);
}

}  // namespace wideload::jit
