// SPDX-License-Identifier: Apache-2.0
// A PTX register is a stack slot: a vector of 32 lanes, or one value where the analysis knows the
// lanes' distances. Promotion to SSA values is left to LLVM.
#include "jit/emitter.h"

namespace wideload::jit {

void Emitter::create_slots() {
    slots_.resize(function_.registers.size());
    for (std::size_t r = 0; r < slots_.size(); ++r) {
        const ptx::Register& reg = function_.registers[r];
        RegisterSlot& slot = slots_[r];
        slot.shape = analysis_.shapes[r];
        slot.scalar = scalar_type(reg.type);
        const bool vector = slot.shape.is_varying();
        slot.value =
            ir_.CreateAlloca(vector ? llvm::FixedVectorType::get(slot.scalar, kLanes) : slot.scalar,
                             nullptr, reg.name);
        if (slot.shape.is_pattern() && slot.shape.may_wrap) {
            slot.wrapped = ir_.CreateAlloca(ir_.getInt1Ty());
            slot.correction =
                ir_.CreateAlloca(llvm::FixedVectorType::get(ir_.getInt64Ty(), kLanes));
        }
    }
}

/// The function's own .local variables in its frame, and a buffer around calls for each of its
/// .param variables.
void Emitter::place_variables() {
    std::uint64_t offset = function_.is_entry ? 0 : 32;  // as frame_bytes() counts them
    for (const ptx::Variable& variable : function_.variables) {
        if (variable.space == ptx::Space::local) {
            const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 16);
            offset = (offset + alignment - 1) / alignment * alignment;
            frame_offsets_[variable.name] = offset;
            offset += variable.size;
        } else if (variable.space == ptx::Space::param) {
            llvm::AllocaInst* buffer =
                ir_.CreateAlloca(llvm::ArrayType::get(ir_.getInt8Ty(), variable.size * kLanes),
                                 nullptr, variable.name);
            buffer->setAlignment(llvm::Align(64));
            call_buffers_[variable.name] = buffer;
        }
    }
}

/// Registers start out as zero: with a value of the last warp they would live around the loop over
/// warps.
void Emitter::clear_slots() {
    for (const RegisterSlot& slot : slots_) {
        ir_.CreateStore(llvm::Constant::getNullValue(slot.value->getAllocatedType()), slot.value);
        if (slot.wrapped != nullptr) {
            ir_.CreateStore(ir_.getFalse(), slot.wrapped);
            ir_.CreateStore(llvm::Constant::getNullValue(slot.correction->getAllocatedType()),
                            slot.correction);
        }
    }
}

llvm::Constant* Emitter::pattern_vector(simt::PatternId id, llvm::Type* scalar) {
    std::vector<llvm::Constant*> lanes;
    for (const std::int64_t offset : analysis_.patterns[id]) {
        lanes.push_back(
            llvm::ConstantInt::get(scalar, static_cast<std::uint64_t>(offset), /*IsSigned=*/true));
    }
    return llvm::ConstantVector::get(lanes);
}

llvm::Value* Emitter::pattern_lanes(const RegisterSlot& slot) {
    llvm::Value* base = ir_.CreateLoad(slot.scalar, slot.value);
    llvm::Value* lanes =
        ir_.CreateAdd(splat(base), pattern_vector(slot.shape.pattern, slot.scalar));
    if (slot.wrapped == nullptr) return lanes;
    llvm::Type* vector = slot.correction->getAllocatedType();
    llvm::Value* correction = ir_.CreateLoad(vector, slot.correction);
    llvm::Value* wrapped = ir_.CreateLoad(ir_.getInt1Ty(), slot.wrapped);
    return ir_.CreateAdd(
        lanes, ir_.CreateSelect(wrapped, correction, llvm::Constant::getNullValue(vector)));
}

llvm::Value* Emitter::read_register(ptx::RegisterId id) {
    const RegisterSlot& slot = slots_[id];
    if (slot.shape.is_pattern()) return pattern_lanes(slot);
    return ir_.CreateLoad(slot.value->getAllocatedType(), slot.value);
}

void Emitter::write_register(ptx::RegisterId id, llvm::Value* value) {
    const RegisterSlot& slot = slots_[id];
    if (!slot.shape.is_varying()) {
        if (is_vector(value)) value = ir_.CreateExtractElement(value, std::uint64_t{0});
        if (guard_scalar_ != nullptr) {
            value = ir_.CreateSelect(guard_scalar_, value, ir_.CreateLoad(slot.scalar, slot.value));
        }
        ir_.CreateStore(value, slot.value);
        return;
    }
    value = splat(value);
    if (current_->guard || analysis_.shielded[current_block_].contains(id)) {
        llvm::Value* old = ir_.CreateLoad(slot.value->getAllocatedType(), slot.value);
        value = ir_.CreateSelect(instruction_mask_, value, old);
    }
    ir_.CreateStore(value, slot.value);
}

}  // namespace wideload::jit
