// SPDX-License-Identifier: Apache-2.0
// A PTX register is a variable: a vector of 32 lanes, or one value where the analysis knows the
// lanes' distances. Promotion to SSA values is left to LLVM where one lives across blocks.
#include "jit/emitter.h"

namespace wideload::jit {

Emitter::Variable Emitter::create_variable(llvm::Type* type, bool crosses_blocks,
                                           const llvm::Twine& name) {
    return {type, crosses_blocks ? ir_.CreateAlloca(type, nullptr, name) : nullptr};
}

/// One that nothing was written to, as where lanes are guarded out, is zero.
llvm::Value* Emitter::read(const Variable& variable) {
    if (variable.slot != nullptr) return ir_.CreateLoad(variable.type, variable.slot);
    const bool written = variable.last != nullptr && variable.block == current_block_;
    return written ? variable.last : llvm::Constant::getNullValue(variable.type);
}

void Emitter::write(Variable& variable, llvm::Value* value) {
    if (variable.slot != nullptr) {
        ir_.CreateStore(value, variable.slot);
        return;
    }
    variable.last = value;
    variable.block = current_block_;
}

void Emitter::create_slots() {
    for (const simt::Bitset& live : analysis_.live) crossing_.unite(live);
    for (const auto& loop : analysis_.spinning.loops) crossing_.unite(loop.progress);
    slots_.resize(function_.registers.size());
    for (std::size_t r = 0; r < slots_.size(); ++r) {
        const ptx::Register& reg = function_.registers[r];
        const bool crosses = crossing_.contains(static_cast<ptx::RegisterId>(r));
        RegisterSlot& slot = slots_[r];
        slot.shape = analysis_.shapes[r];
        slot.scalar = scalar_type(reg.type);
        const bool vector = slot.shape.is_varying();
        slot.value =
            create_variable(vector ? llvm::FixedVectorType::get(slot.scalar, kLanes) : slot.scalar,
                            crosses, reg.name);
        if (slot.shape.is_pattern() && slot.shape.may_wrap) {
            slot.wrapped = create_variable(ir_.getInt1Ty(), crosses);
            slot.correction =
                create_variable(llvm::FixedVectorType::get(ir_.getInt64Ty(), kLanes), crosses);
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
    const auto clear = [&](const Variable& variable) {
        if (variable.slot == nullptr) return;
        ir_.CreateStore(llvm::Constant::getNullValue(variable.type), variable.slot);
    };
    for (const RegisterSlot& slot : slots_) {
        clear(slot.value);
        clear(slot.wrapped);
        clear(slot.correction);
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
    llvm::Value* base = read(slot.value);
    llvm::Value* lanes =
        ir_.CreateAdd(splat(base), pattern_vector(slot.shape.pattern, slot.scalar));
    if (slot.wrapped.type == nullptr) return lanes;
    llvm::Value* correction = read(slot.correction);
    llvm::Value* none = llvm::Constant::getNullValue(slot.correction.type);
    return ir_.CreateAdd(lanes, ir_.CreateSelect(read(slot.wrapped), correction, none));
}

llvm::Value* Emitter::read_register(ptx::RegisterId id) {
    const RegisterSlot& slot = slots_[id];
    return slot.shape.is_pattern() ? pattern_lanes(slot) : read(slot.value);
}

void Emitter::write_register(ptx::RegisterId id, llvm::Value* value) {
    RegisterSlot& slot = slots_[id];
    if (!slot.shape.is_varying()) {
        if (is_vector(value)) value = ir_.CreateExtractElement(value, std::uint64_t{0});
        if (guard_scalar_ != nullptr) {
            value = ir_.CreateSelect(guard_scalar_, value, read(slot.value));
        }
        write(slot.value, value);
        return;
    }
    value = splat(value);
    if (current_->guard || analysis_.shielded[current_block_].contains(id)) {
        value = ir_.CreateSelect(instruction_mask_, value, read(slot.value));
    }
    write(slot.value, value);
}

}  // namespace wideload::jit
