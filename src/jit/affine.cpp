// SPDX-License-Identifier: Apache-2.0
// Results in pattern shape: one scalar operation computes 32 lanes. simt/transfer.cpp says which
// results these are; the cases here mirror it.
#include <algorithm>

#include "jit/emitter.h"
#include "simt/liveness.h"
#include "simt/transfer.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

simt::Shape Emitter::operand_shape(const Operand& operand) const {
    const simt::TransferContext context{function_, analysis_.shapes, context_.layout,
                                        analysis_.patterns, is_called_};
    return simt::shape_of(operand, context);
}

/// An operand's base as an integer of `bits`; uniform ones are their own base.
Emitter::Affine Emitter::affine(const Operand& operand, unsigned bits) {
    llvm::Type* type = ir_.getIntNTy(bits);
    if (operand.kind == Operand::Kind::reg && slots_[operand.reg].shape.is_pattern()) {
        const RegisterSlot& slot = slots_[operand.reg];
        Affine value{bit_convert(read(slot.value), type, false), nullptr, nullptr};
        if (slot.wrapped.type != nullptr) {
            value.wrapped = read(slot.wrapped);
            value.correction = read(slot.correction);
        }
        return value;
    }
    if (operand.kind == Operand::Kind::special && operand_shape(operand).is_pattern()) {
        llvm::Value* lanes = special(operand);
        return {bit_convert(ir_.CreateExtractElement(lanes, std::uint64_t{0}), type, false),
                nullptr, nullptr};
    }
    const Type as_integer = bits == 64 ? Type::b64 : bits == 16 ? Type::b16 : Type::b32;
    return {source(operand, as_integer), nullptr, nullptr};
}

/// A 32-bit value as 64 bits. Lanes whose sum wrapped around within 32 bits get what they lack in
/// `correction`, which is computed only where it happens.
Emitter::Affine Emitter::widen(const Affine& value, const simt::Shape& shape, bool is_signed) {
    llvm::Type* wide = ir_.getInt64Ty();
    llvm::Value* base =
        is_signed ? ir_.CreateSExt(value.base, wide) : ir_.CreateZExt(value.base, wide);
    if (!shape.is_pattern()) return {base, nullptr, nullptr};

    const simt::PatternId pattern =
        analysis_.patterns.intern(simt::wrap(analysis_.patterns[shape.pattern], 32));
    const simt::LaneOffsets& offsets = analysis_.patterns[pattern];
    const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
    const std::int64_t lowest = is_signed ? INT32_MIN : 0;
    const std::int64_t highest = is_signed ? INT32_MAX : UINT32_MAX;
    llvm::Value* wrapped = ir_.CreateOr(
        ir_.CreateICmpSLT(base, ir_.getInt64(static_cast<std::uint64_t>(lowest - *low))),
        ir_.CreateICmpSGT(base, ir_.getInt64(static_cast<std::uint64_t>(highest - *high))));

    llvm::Type* wide_lanes = llvm::FixedVectorType::get(wide, kLanes);
    llvm::BasicBlock* before = ir_.GetInsertBlock();
    llvm::BasicBlock* correct = new_block("wrapped");
    llvm::BasicBlock* after = new_block("widened");
    ir_.CreateCondBr(wrapped, correct, after, unlikely());
    ir_.SetInsertPoint(correct);
    // Cut to 32 bits and extended again in place: vectors of one element type alone keep LLVM's
    // constant pool from comparing each of its entries with all others.
    llvm::Value* whole = ir_.CreateAdd(splat(base), pattern_vector(pattern, wide));
    llvm::Value* exact =
        is_signed ? ir_.CreateAShr(ir_.CreateShl(whole, std::uint64_t{32}), std::uint64_t{32})
                  : ir_.CreateAnd(whole, std::uint64_t{UINT32_MAX});
    llvm::Value* difference = ir_.CreateSub(exact, whole);
    llvm::BasicBlock* corrected = ir_.GetInsertBlock();
    ir_.CreateBr(after);
    ir_.SetInsertPoint(after);
    llvm::PHINode* correction = ir_.CreatePHI(wide_lanes, 2);
    correction->addIncoming(difference, corrected);
    correction->addIncoming(llvm::UndefValue::get(wide_lanes), before);
    return {base, wrapped, correction};
}

/// operands[1] × operands[2] of mul and mad: a constant factor, or two uniform values.
Emitter::Affine Emitter::affine_product(const Instruction& instruction) {
    const unsigned bits = ptx::bit_width(instruction.type());
    const bool wide = instruction.mul_mode == ptx::MulMode::wide;
    const bool is_signed = ptx::is_signed(instruction.type());
    const Operand *a = &instruction.operands[1], *b = &instruction.operands[2];
    if (!simt::constant_of(*b)) std::swap(a, b);

    Affine value = affine(*a, bits);
    llvm::Value* factor = affine(*b, bits).base;
    if (wide) {
        value = widen(value, operand_shape(*a), is_signed);
        factor = is_signed ? ir_.CreateSExt(factor, ir_.getIntNTy(bits * 2))
                           : ir_.CreateZExt(factor, ir_.getIntNTy(bits * 2));
    }
    value.base = ir_.CreateMul(value.base, factor);
    if (value.correction != nullptr) {
        value.correction = ir_.CreateMul(value.correction, splat(factor));
    }
    return value;
}

void Emitter::define_affine(const Operand& destination, const Affine& value) {
    RegisterSlot& slot = slots_[destination.reg];
    const auto store = [&](llvm::Value* written, Variable& to) {
        if (guard_scalar_ != nullptr) {
            written = ir_.CreateSelect(guard_scalar_, written, read(to));
        }
        write(to, written);
    };
    store(bit_convert(value.base, slot.scalar, false), slot.value);
    if (slot.wrapped.type == nullptr) return;
    llvm::Value* none = ir_.getFalse();
    store(value.wrapped == nullptr ? none : value.wrapped, slot.wrapped);
    if (value.correction != nullptr) store(value.correction, slot.correction);
}

bool Emitter::lower_pattern(const Instruction& instruction) {
    if (instruction.operands.empty()) return false;
    const Operand& destination = instruction.operands[0];
    if (destination.kind != Operand::Kind::reg || simt::destination_count(instruction) == 0 ||
        !slots_[destination.reg].shape.is_pattern()) {
        return false;
    }
    const unsigned bits = ptx::bit_width(instruction.type());
    const Operand& a = instruction.operands[1];
    Affine value{};
    switch (instruction.opcode) {
        case Opcode::mov:
            value = affine(a, bits);
            break;
        case Opcode::cvta: {
            value = affine(a, bits);
            if (llvm::Value* window = window_base(instruction.space)) {
                value.base = instruction.to ? ir_.CreateSub(value.base, window)
                                            : ir_.CreateAdd(value.base, window);
            }
            break;
        }
        case Opcode::add:
        case Opcode::sub: {
            value = affine(a, bits);
            const Affine other = affine(instruction.operands[2], bits);
            value.base = instruction.opcode == Opcode::add ? ir_.CreateAdd(value.base, other.base)
                                                           : ir_.CreateSub(value.base, other.base);
            if (other.wrapped != nullptr) {
                value.wrapped = other.wrapped;
                value.correction = other.correction;
            }
            break;
        }
        case Opcode::mul:
            value = affine_product(instruction);
            break;
        case Opcode::mad: {
            value = affine_product(instruction);
            const Affine addend =
                affine(instruction.operands[3],
                       instruction.mul_mode == ptx::MulMode::wide ? bits * 2 : bits);
            value.base = ir_.CreateAdd(value.base, addend.base);
            if (addend.wrapped != nullptr) {
                value.wrapped = addend.wrapped;
                value.correction = addend.correction;
            }
            break;
        }
        case Opcode::shl: {
            value = affine(a, bits);
            const std::uint64_t amount = instruction.operands[2].bits;
            value.base = ir_.CreateShl(value.base, amount);
            if (amount == 32) value.wrapped = value.correction = nullptr;
            if (value.correction != nullptr) {
                value.correction = ir_.CreateShl(value.correction, amount);
            }
            break;
        }
        case Opcode::shr: {
            // A 32-bit value in the upper half: extended, and moved up by what is left.
            const auto low =
                simt::low_half_moved_up(operand_shape(a), instruction.type(), analysis_.patterns);
            const std::uint64_t up = 32 - instruction.operands[2].bits;
            value = affine(a, bits);
            value.base = ir_.CreateTrunc(ir_.CreateLShr(value.base, 32), ir_.getInt32Ty());
            value = widen(value, *low, ptx::is_signed(instruction.type()));
            value.base = ir_.CreateShl(value.base, up);
            if (value.correction != nullptr) value.correction = ir_.CreateShl(value.correction, up);
            break;
        }
        case Opcode::and_: {
            const Operand* mask = &instruction.operands[2];
            const Operand* masked = &a;
            if (!simt::constant_of(*mask)) std::swap(mask, masked);
            value = affine(*masked, bits);
            value.base = ir_.CreateAnd(value.base, mask->bits);
            break;
        }
        case Opcode::cvt: {
            const unsigned from = ptx::bit_width(instruction.types[1]);
            value = affine(a, from);
            if (bits > from) {
                value = widen(value, operand_shape(a), ptx::is_signed(instruction.types[1]));
            } else if (bits < from) {
                value = {ir_.CreateTrunc(value.base, ir_.getIntNTy(bits)), nullptr, nullptr};
            }
            break;
        }
        default:
            refuse("internal: a pattern result without a rule");
            return true;
    }
    define_affine(destination, value);
    return true;
}

llvm::Value* Emitter::window_base(ptx::Space space) {
    if (space == ptx::Space::shared) return ir_.getInt64(kSharedWindow);
    if (space == ptx::Space::local) return ir_.getInt64(kLocalWindow);
    if (space == ptx::Space::param) return ir_.getInt64(kParameterWindow);
    return nullptr;
}

AddressValue Emitter::address(const Operand& operand, unsigned address_bits) {
    AddressValue result;
    if (!operand.has_base_register) {
        llvm::Value* base = operand.symbol.empty()
                                ? ir_.getInt64(static_cast<std::uint64_t>(operand.offset))
                                : symbol_address(operand);
        result.shape = simt::Shape::uniform();
        result.base = base;
        result.lanes = [this, base] { return splat(base); };
        return result;
    }
    result.shape = slots_[operand.reg].shape;
    // Narrow addresses wrap around as their registers do.
    const auto add_offset = [this, address_bits, offset = operand.offset](llvm::Value* value) {
        llvm::Type* type = type_like(ir_.getIntNTy(address_bits), value);
        value =
            ir_.CreateAdd(value, llvm::ConstantInt::get(type, static_cast<std::uint64_t>(offset)));
        return ir_.CreateZExtOrTrunc(value, type_like(ir_.getInt64Ty(), value));
    };
    Operand base;
    base.kind = Operand::Kind::reg;
    base.reg = operand.reg;
    if (!result.shape.is_varying()) {
        const Affine value = affine(base, address_bits);
        result.base = add_offset(value.base);
        result.wrapped = value.wrapped;
    }
    result.lanes = [this, base, add_offset, address_bits] {
        return splat(add_offset(source(base, address_bits == 64 ? Type::b64 : Type::b32)));
    };
    return result;
}

}  // namespace wideload::jit
