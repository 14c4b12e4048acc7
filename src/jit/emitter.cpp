// SPDX-License-Identifier: Apache-2.0
#include "jit/emitter.h"

#include <fmt/format.h>
#include <llvm/IR/MDBuilder.h>

#include "jit/lower.h"
#include "simt/liveness.h"
#include "simt/waiting.h"

namespace wideload::jit {

using ptx::Operand;
using ptx::Type;

Emitter::Emitter(llvm::Module& output, const CompileContext& context, const ptx::Function& function,
                 simt::Analysis& analysis, KernelTables& tables, bool calls_may_meet)
    : output_(output),
      context_(context),
      function_(function),
      analysis_(analysis),
      tables_(tables),
      ir_(output.getContext()),
      is_called_(!function.is_entry),
      calls_may_meet_(calls_may_meet),
      origins_(function),
      read_(function.registers.size()),
      crossing_(function.registers.size()) {
    for (const ptx::Instruction& instruction : function.body) {
        simt::for_each_use(instruction, [&](ptx::RegisterId r) { read_.insert(r); });
    }
    llvm::MDBuilder metadata(output.getContext());
    llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("wideload");
    std::array<llvm::MDNode*, 3> scopes{};
    for (auto& scope : scopes) scope = metadata.createAnonymousAliasScope(domain);
    for (std::size_t m = 0; m < 3; ++m) {
        std::vector<llvm::Metadata*> others;
        for (std::size_t o = 0; o < 3; ++o) {
            if (o != m) others.push_back(scopes[o]);
        }
        alias_scopes_[m] = llvm::MDNode::get(output.getContext(), {scopes[m]});
        no_alias_[m] = llvm::MDNode::get(output.getContext(), others);
    }
}

void Emitter::set_alias(llvm::Instruction* access, Memory memory) {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope,
                        alias_scopes_[static_cast<std::size_t>(memory)]);
    access->setMetadata(llvm::LLVMContext::MD_noalias, no_alias_[static_cast<std::size_t>(memory)]);
}

llvm::MDNode* Emitter::unlikely() {
    return llvm::MDBuilder(output_.getContext()).createBranchWeights(1, 2000);
}

llvm::MDNode* Emitter::likely() {
    return llvm::MDBuilder(output_.getContext()).createBranchWeights(2000, 1);
}

void Emitter::refuse(std::string message, std::string hint) {
    Diagnostic diagnostic;
    diagnostic.where = {context_.module.name, current_->ptx_line, current_->ptx_column};
    diagnostic.message = std::move(message);
    diagnostic.source_line = current_->mnemonic;
    diagnostic.where.column = 0;
    diagnostic.hint = std::move(hint);
    diagnostics_.push_back(std::move(diagnostic));
}

// Types.

llvm::Type* Emitter::scalar_type(Type type) {
    switch (type) {
        case Type::pred:
            return ir_.getInt1Ty();
        case Type::f16:
            return ir_.getHalfTy();
        case Type::bf16:
            return ir_.getBFloatTy();
        case Type::f32:
        case Type::tf32:
            return ir_.getFloatTy();
        case Type::f64:
            return ir_.getDoubleTy();
        default:
            return ir_.getIntNTy(ptx::bit_width(type));
    }
}

llvm::Type* Emitter::type_like(llvm::Type* scalar, llvm::Value* like) {
    return is_vector(like) ? llvm::FixedVectorType::get(scalar, kLanes) : scalar;
}

llvm::Value* Emitter::constant(llvm::Type* type, std::uint64_t value) {
    return llvm::ConstantInt::get(type, value);
}

llvm::Value* Emitter::constant_f(llvm::Type* type, double value) {
    return llvm::ConstantFP::get(type, value);
}

llvm::Value* Emitter::splat(llvm::Value* value) {
    return is_vector(value) ? value : ir_.CreateVectorSplat(kLanes, value);
}

llvm::Value* Emitter::bit_convert(llvm::Value* value, llvm::Type* scalar, bool sign_extend) {
    llvm::Type* from = value->getType()->getScalarType();
    if (from == scalar) return value;
    if (!from->isIntegerTy()) {
        llvm::Type* bits = ir_.getIntNTy(from->getPrimitiveSizeInBits());
        value = ir_.CreateBitCast(value, type_like(bits, value));
    }
    const auto width = static_cast<unsigned>(scalar->getPrimitiveSizeInBits());
    llvm::Type* integer = type_like(ir_.getIntNTy(width), value);
    value =
        sign_extend ? ir_.CreateSExtOrTrunc(value, integer) : ir_.CreateZExtOrTrunc(value, integer);
    return scalar->isIntegerTy() ? value : ir_.CreateBitCast(value, type_like(scalar, value));
}

// Stack slots.

llvm::AllocaInst* Emitter::scratch(llvm::Type* type, std::string_view name) {
    llvm::AllocaInst*& known = scratch_[{std::string(name), type}];
    if (known != nullptr) return known;
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    llvm::AllocaInst* slot =
        at_entry.CreateAlloca(type, nullptr, llvm::StringRef(name.data(), name.size()));
    slot->setAlignment(llvm::Align(64));
    known = slot;
    return slot;
}

llvm::AllocaInst* Emitter::spill(llvm::Value* value, std::string_view name) {
    llvm::Value* lanes = splat(value);
    llvm::AllocaInst* slot = scratch(lanes->getType(), name);
    ir_.CreateStore(lanes, slot);
    return slot;
}

llvm::AllocaInst* Emitter::carry_flag() {
    if (carry_flag_ == nullptr) {
        carry_flag_ = scratch(llvm::FixedVectorType::get(ir_.getInt1Ty(), kLanes), "carry");
        llvm::IRBuilder<> after(carry_flag_->getNextNode());
        after.CreateStore(llvm::Constant::getNullValue(carry_flag_->getAllocatedType()),
                          carry_flag_);
    }
    return carry_flag_;
}

// Masks.

llvm::Value* Emitter::bits_of(llvm::Value* lane_mask) {
    auto* from_bits = llvm::dyn_cast<llvm::BitCastInst>(lane_mask);
    if (from_bits != nullptr && from_bits->getSrcTy() == ir_.getInt32Ty()) {
        return from_bits->getOperand(0);
    }
    return ir_.CreateBitCast(lane_mask, ir_.getInt32Ty());
}

llvm::Value* Emitter::mask_of(llvm::Value* bits) {
    return ir_.CreateBitCast(bits, llvm::FixedVectorType::get(ir_.getInt1Ty(), kLanes));
}

llvm::Value* Emitter::any(llvm::Value* lanes) {
    llvm::Value* bits = is_vector(lanes) ? bits_of(lanes) : lanes;
    return ir_.CreateICmpNE(bits, ir_.getInt32(0));
}

void Emitter::keep_lanes(llvm::Value* lane_mask) {
    leave_function(bits_of(ir_.CreateNot(lane_mask)));
    block_mask_ = ir_.CreateAnd(block_mask_, lane_mask);
}

// Host code.

llvm::CallInst* Emitter::call(std::string_view helper, llvm::ArrayRef<llvm::Value*> arguments,
                              llvm::Type* result) {
    std::vector<llvm::Type*> types;
    for (llvm::Value* argument : arguments) types.push_back(argument->getType());
    llvm::FunctionType* type =
        llvm::FunctionType::get(result == nullptr ? ir_.getVoidTy() : result, types, false);
    const llvm::FunctionCallee callee =
        output_.getOrInsertFunction(llvm::StringRef(helper.data(), helper.size()), type);
    return ir_.CreateCall(callee, arguments);
}

llvm::Value* Emitter::call_on_arrays(std::string_view helper, llvm::Type* result_scalar,
                                     llvm::ArrayRef<llvm::Value*> values) {
    bool vector = false;
    for (llvm::Value* value : values) vector |= is_vector(value);
    llvm::Type* result_type = llvm::FixedVectorType::get(result_scalar, kLanes);
    std::vector<llvm::Value*> arguments{scratch(result_type, "result")};
    for (llvm::Value* value : values) {
        arguments.push_back(spill(value, fmt::format("argument{}", arguments.size())));
    }
    call(helper, arguments);
    llvm::Value* result = ir_.CreateLoad(result_type, arguments[0]);
    return vector ? result : ir_.CreateExtractElement(result, std::uint64_t{0});
}

llvm::Value* Emitter::context_field_address(std::size_t offset) {
    return ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), context_argument_, offset);
}

llvm::Value* Emitter::context_field(std::size_t offset, llvm::Type* type) {
    llvm::LoadInst* load =
        tag(ir_.CreateLoad(type, context_field_address(offset)), Memory::context);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(output_.getContext(), {}));
    return load;
}

llvm::Value* Emitter::special(const Operand& operand) {
    if (operand.special == ptx::SpecialRegister::envreg) {
        return lower_environment_register(*this, operand.bits);
    }
    return special(operand.special);
}

llvm::Value* Emitter::special(ptx::SpecialRegister reg) {
    return lower_special_register(*this, reg);
}

std::optional<std::uint64_t> Emitter::frame_offset(std::string_view variable) const {
    const auto found = frame_offsets_.find(variable);
    if (found == frame_offsets_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::uint64_t> Emitter::shared_offset(std::string_view variable) const {
    return context_.symbols.shared_offset(function_, variable);
}

llvm::Value* Emitter::call_buffer(std::string_view variable) {
    const auto found = call_buffers_.find(variable);
    return found == call_buffers_.end() ? nullptr : found->second;
}

std::uint32_t Emitter::add_site(Site site) {
    site.instruction = current_;
    site.function = &function_;
    tables_.sites.push_back(std::move(site));
    return static_cast<std::uint32_t>(tables_.sites.size() - 1);
}

llvm::Value* Emitter::row_field(std::uint32_t row, std::size_t offset) {
    llvm::Value* rows = context_field(offsetof(BlockContext, sites), ir_.getPtrTy());
    return ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), rows,
                                          row * sizeof(counters::SiteRow) + offset);
}

void Emitter::emit_instruction(const ptx::Instruction& instruction, simt::BlockId block) {
    current_ = &instruction;
    current_block_ = block;
    instruction_mask_ = block_mask_;
    guard_scalar_ = nullptr;
    if (instruction.guard) {
        llvm::Value* guard = read_register(instruction.guard->predicate);
        if (instruction.guard->negated) guard = ir_.CreateNot(guard);
        if (!is_vector(guard)) guard_scalar_ = guard;
        instruction_mask_ = ir_.CreateAnd(block_mask_, splat(guard));
    }
    if (simt::is_warp_meeting(instruction)) check_meeting(instruction);
    if (!lower_pattern(instruction)) lower(*this, instruction);
}

}  // namespace wideload::jit
