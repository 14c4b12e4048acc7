// SPDX-License-Identifier: Apache-2.0
// prmt: four of the eight bytes of {b, a}, each as it is or as eight copies of its sign.
#include <array>

#include "jit/bits.h"
#include "jit/integer_values.h"

namespace wideload::jit {

using ptx::PrmtMode;

namespace {

constexpr unsigned kBytes = 4;

/// The selector that each mode stands for, by its control value, 16 bits each (PTX ISA, prmt).
std::uint64_t selectors(PrmtMode mode) {
    switch (mode) {
        case PrmtMode::f4e:
            return 0x6543'5432'4321'3210;
        case PrmtMode::b4e:
            return 0x0123'7012'6701'5670;
        case PrmtMode::rc8:
            return 0x3333'2222'1111'0000;
        case PrmtMode::ecl:
            return 0x3333'3222'3211'3210;
        case PrmtMode::ecr:
            return 0x3210'2210'1110'0000;
        default:
            return 0x3232'1010'3232'1010;  // rc16
    }
}

/// Selectors known when the kernel is compiled: a shuffle of the lanes' bytes.
llvm::Value* permute_lanes(Emitter& emitter, llvm::Value* a, llvm::Value* b, unsigned selector) {
    llvm::IRBuilder<>& ir = emitter.ir();
    constexpr unsigned kAllBytes = simt::kLanes * kBytes;
    llvm::Type* bytes = llvm::FixedVectorType::get(ir.getInt8Ty(), kAllBytes);
    std::array<int, kAllBytes> picked;
    std::array<llvm::Constant*, kAllBytes> is_sign;
    for (unsigned i = 0; i < kAllBytes; ++i) {
        const unsigned lane = i / kBytes, nibble = selector >> (4 * (i % kBytes)) & 0xf;
        const unsigned source = nibble & 3, from_b = (nibble & 4) != 0 ? kAllBytes : 0;
        picked[i] = static_cast<int>(from_b + lane * kBytes + source);
        is_sign[i] = ir.getInt1((nibble & 8) != 0);
    }
    llvm::Value* result =
        ir.CreateShuffleVector(ir.CreateBitCast(a, bytes), ir.CreateBitCast(b, bytes), picked);
    if ((selector & 0x8888) != 0) {
        result =
            ir.CreateSelect(llvm::ConstantVector::get(is_sign), ir.CreateAShr(result, 7), result);
    }
    return ir.CreateBitCast(result, a->getType());
}

/// The byte of `both` that the lowest bits of `nibble` name, in the lowest place of 32 bits.
llvm::Value* selected_byte(Emitter& emitter, llvm::Value* both, llvm::Value* nibble) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* position = ir.CreateShl(ir.CreateAnd(nibble, 7), 3);
    llvm::Value* byte =
        resize(emitter, ir.CreateLShr(both, resize(emitter, position, 64, false)), 32, false);
    llvm::Value* sign = ir.CreateAShr(ir.CreateShl(byte, 24), 31);
    llvm::Value* wants_sign = ir.CreateICmpNE(ir.CreateAnd(nibble, 8), integer(emitter, nibble, 0));
    return ir.CreateAnd(ir.CreateSelect(wants_sign, sign, byte), 0xff);
}

llvm::Value* permute(Emitter& emitter, llvm::Value* a, llvm::Value* b, llvm::Value* selector) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* both =
        ir.CreateOr(resize(emitter, a, 64, false), ir.CreateShl(resize(emitter, b, 64, false), 32));
    llvm::Value* result = nullptr;
    for (unsigned i = 0; i < kBytes; ++i) {
        llvm::Value* byte =
            ir.CreateShl(selected_byte(emitter, both, ir.CreateLShr(selector, 4 * i)), 8 * i);
        result = result == nullptr ? byte : ir.CreateOr(result, byte);
    }
    return result;
}

}  // namespace

void lower_prmt(Emitter& emitter, const ptx::Instruction& instruction) {
    using ptx::Type;
    llvm::IRBuilder<>& ir = emitter.ir();
    const auto v = emitter.sources(instruction, 1, {Type::b32, Type::b32, Type::b32});
    const ptx::Operand& control = instruction.operands[3];
    const PrmtMode mode = instruction.prmt_mode;
    llvm::Value* result = nullptr;
    if (control.kind == ptx::Operand::Kind::immediate && Emitter::is_vector(v[0])) {
        const auto selector = static_cast<unsigned>(
            mode == PrmtMode::none ? control.bits : selectors(mode) >> (control.bits & 3) * 16);
        result = permute_lanes(emitter, v[0], v[1], selector & 0xffff);
    } else {
        llvm::Value* selector = v[2];
        if (mode != PrmtMode::none) {
            llvm::Value* amount =
                resize(emitter, ir.CreateShl(ir.CreateAnd(selector, 3), 4), 64, false);
            selector =
                resize(emitter, ir.CreateLShr(integer(emitter, amount, selectors(mode)), amount),
                       32, false);
        }
        result = permute(emitter, v[0], v[1], selector);
    }
    emitter.define(instruction.operands[0], result, Type::b32);
}

}  // namespace wideload::jit
