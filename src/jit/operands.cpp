// SPDX-License-Identifier: Apache-2.0
// What an instruction reads and writes, as LLVM values of the type that it asks for.
#include <fmt/format.h>

#include <bit>

#include "jit/emitter.h"
#include "jit/float_values.h"
#include "jit/nan_registers.h"
#include "jit/subnormal_registers.h"

namespace wideload::jit {

using ptx::Operand;
using ptx::Type;

llvm::Value* Emitter::symbol_address(const Operand& operand) {
    const auto offset = static_cast<std::uint64_t>(operand.offset);
    if (const auto shared = shared_offset(operand.symbol)) return ir_.getInt64(*shared + offset);
    if (const auto local = frame_offset(operand.symbol)) {
        return ir_.CreateAdd(frame_base_, ir_.getInt64(*local + offset));
    }
    if (const auto address = context_.symbols.address_of(operand.symbol)) {
        return ir_.getInt64(*address + offset);
    }
    if (const std::uint64_t address = context_.symbols.function_address(operand.symbol)) {
        return ir_.getInt64(address);
    }
    for (std::size_t p = 0; p < function_.parameters.size(); ++p) {
        // A kernel parameter's address: what is read through it is the launch's parameter buffer.
        if (!is_called_ && function_.parameters[p].name == operand.symbol) {
            return ir_.getInt64(function_.parameter_offsets[p] + offset);
        }
    }
    refuse(fmt::format("'{}' has no address here", operand.symbol));
    return ir_.getInt64(0);
}

llvm::Value* Emitter::source(const Operand& operand, Type type) {
    llvm::Type* scalar = scalar_type(type);
    switch (operand.kind) {
        case Operand::Kind::reg: {
            llvm::Value* value = read_register(operand.reg);
            if (operand.negated) value = ir_.CreateNot(value);
            if (may_be_host_nan(operand.reg) && looks_at_bits(*current_, type) &&
                !hands_on_host_nans()) {
                value = canonicalize_nan(*this, bit_convert(value, ir_.getFloatTy(), false));
            }
            return bit_convert(value, scalar, ptx::is_signed(type));
        }
        case Operand::Kind::immediate: {
            if (!operand.is_float_literal) {
                llvm::Type* bits = ir_.getIntNTy(ptx::bit_width(type));
                return bit_convert(
                    llvm::ConstantInt::get(
                        bits, llvm::APInt(64, operand.bits).zextOrTrunc(ptx::bit_width(type))),
                    scalar, false);
            }
            const double value = std::bit_cast<double>(operand.bits);
            return scalar->isFloatingPointTy()
                       ? llvm::ConstantFP::get(scalar, value)
                       : bit_convert(
                             llvm::ConstantFP::get(
                                 ptx::bit_width(type) == 64 ? ir_.getDoubleTy() : ir_.getFloatTy(),
                                 value),
                             scalar, false);
        }
        case Operand::Kind::special:
            return bit_convert(special(operand), scalar, false);
        case Operand::Kind::symbol:
            return bit_convert(symbol_address(operand), scalar, false);
        default:
            refuse("this operand is not a value");
            return llvm::Constant::getNullValue(scalar);
    }
}

std::vector<llvm::Value*> Emitter::sources(std::span<const Operand> operands,
                                           std::span<const Type> types) {
    std::vector<llvm::Value*> values;
    bool vector = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        values.push_back(source(operands[i], types[i]));
        vector |= is_vector(values.back());
    }
    if (vector) {
        for (llvm::Value*& value : values) value = splat(value);
    }
    return values;
}

std::vector<llvm::Value*> Emitter::sources(const ptx::Instruction& instruction, std::size_t first,
                                           std::initializer_list<Type> types) {
    return sources(std::span(instruction.operands).subspan(first, types.size()),
                   std::span(types.begin(), types.size()));
}

void Emitter::define(const Operand& destination, llvm::Value* value, Type type) {
    if (destination.kind == Operand::Kind::none) return;
    if (destination.kind == Operand::Kind::vector) {
        define_element(destination, 0, value, type);
        return;
    }
    if (makes_host_nan(*current_) && !may_be_host_nan(destination.reg)) {
        value = canonicalize_nan(*this, value);
    }
    const RegisterSlot& slot = slots_[destination.reg];
    write_register(destination.reg, bit_convert(value, slot.scalar, ptx::is_signed(type)));
}

void Emitter::define_element(const Operand& destination, std::size_t index, llvm::Value* value,
                             Type type) {
    if (destination.kind == Operand::Kind::vector) {
        if (index < destination.elements.size()) define(destination.elements[index], value, type);
    } else if (index == 0) {
        define(destination, value, type);
    }
}

bool Emitter::may_be_host_nan(ptx::RegisterId id) {
    if (may_be_host_nan_.empty()) may_be_host_nan_ = registers_with_host_nans(function_);
    return may_be_host_nan_[id];
}

/// The current instruction copies into a register whose NaNs may be the host's, too.
bool Emitter::hands_on_host_nans() {
    return copies_a_register(*current_) && may_be_host_nan(current_->operands[0].reg);
}

bool Emitter::may_be_subnormal(const Operand& operand) {
    if (operand.kind != Operand::Kind::reg) return true;
    if (may_be_subnormal_.empty()) may_be_subnormal_ = registers_with_subnormals(function_);
    return may_be_subnormal_[operand.reg];
}

}  // namespace wideload::jit
