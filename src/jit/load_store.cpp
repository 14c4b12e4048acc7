// SPDX-License-Identifier: Apache-2.0
// ld and st: an inline path where the lanes' distances are known, else host code.
#include "jit/comparison.h"
#include "jit/half_warp_path.h"
#include "jit/lower.h"
#include "jit/memory_access.h"

namespace wideload::jit {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;

llvm::Type* lanes_of(llvm::Type* scalar, unsigned count = kLanes) {
    return llvm::FixedVectorType::get(scalar, count);
}

/// The operands that every out-of-line access begins with: context, warp, row, code, addresses,
/// mask.
std::vector<llvm::Value*> slow_arguments(Emitter& e, const MemoryAccess& access,
                                         const AddressValue& address, std::uint32_t row) {
    auto& ir = e.ir();
    llvm::AllocaInst* addresses = e.spill(address.lanes(), "addresses");
    return {e.context_pointer(), e.warp(),     ir.getInt32(row), ir.getInt32(access.code().bits),
            addresses,           e.mask_bits()};
}

std::vector<llvm::Value*> load_slowly(Emitter& e, const MemoryAccess& access,
                                      const AddressValue& address, std::uint32_t row) {
    auto& ir = e.ir();
    llvm::Type* element = ir.getIntNTy(access.element_bytes * 8);
    llvm::AllocaInst* buffer = e.scratch(lanes_of(element, kLanes * access.width), "loaded");
    std::vector<llvm::Value*> arguments = slow_arguments(e, access, address, row);
    arguments.push_back(buffer);
    e.call("wl_load", arguments);
    std::vector<llvm::Value*> elements;
    for (unsigned i = 0; i < access.width; ++i) {
        elements.push_back(ir.CreateLoad(
            lanes_of(element), ir.CreateConstInBoundsGEP1_64(lanes_of(element), buffer, i)));
    }
    return elements;
}

void store_slowly(Emitter& e, const MemoryAccess& access, const AddressValue& address,
                  std::uint32_t row, const std::vector<llvm::Value*>& elements) {
    auto& ir = e.ir();
    llvm::Type* element = ir.getIntNTy(access.element_bytes * 8);
    llvm::AllocaInst* buffer = e.scratch(lanes_of(element, kLanes * access.width), "stored");
    for (unsigned i = 0; i < access.width; ++i) {
        ir.CreateStore(elements[i], ir.CreateConstInBoundsGEP1_64(lanes_of(element), buffer, i));
    }
    std::vector<llvm::Value*> arguments = slow_arguments(e, access, address, row);
    arguments.push_back(buffer);
    e.call("wl_store", arguments);
}

/// What one thread passes to another is nothing: .param memory is the launch's buffer, shared by
/// all lanes, or a buffer around a call in which each lane has its own copy.
struct ParameterPlace {
    llvm::Value* buffer = nullptr;
    std::uint64_t bytes = 0;        ///< that a lane may reach
    std::uint64_t lane_stride = 0;  ///< 0: all lanes share it
};

/// A buffer around a call.
ParameterPlace place_of(llvm::Value* buffer, const ptx::Variable& variable) {
    return {buffer, variable.size, variable.size};
}

ParameterPlace find_parameter(Emitter& e, const Operand& address) {
    auto& ir = e.ir();
    const ptx::Function& function = e.function();
    for (std::size_t p = 0; p < function.parameters.size(); ++p) {
        if (function.parameters[p].name != address.symbol) continue;
        if (!e.is_called()) break;
        llvm::Value* slot = ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), e.argument_buffer(), p);
        return place_of(ir.CreateLoad(ir.getPtrTy(), slot), function.parameters[p]);
    }
    for (std::size_t p = 0; p < function.returns.size(); ++p) {
        if (function.returns[p].name != address.symbol) continue;
        llvm::Value* slot = ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), e.result_buffer(), p);
        return place_of(ir.CreateLoad(ir.getPtrTy(), slot), function.returns[p]);
    }
    for (const ptx::Variable& variable : function.variables) {
        if (variable.name == address.symbol && variable.space == Space::param) {
            return place_of(e.call_buffer(address.symbol), variable);
        }
    }
    return {e.context_field(offsetof(BlockContext, parameters), ir.getPtrTy()),
            function.parameter_bytes, 0};
}

/// Bytes from the buffer's (or each lane's part's) start: a scalar, or one a lane.
llvm::Value* parameter_offset(Emitter& e, const Operand& address, bool in_launch_buffer) {
    auto& ir = e.ir();
    if (address.has_base_register) {
        const AddressValue value = e.address(address, 64);
        return value.shape.is_uniform() ? value.base : value.lanes();
    }
    std::uint64_t offset = static_cast<std::uint64_t>(address.offset);
    if (in_launch_buffer) {
        for (std::size_t p = 0; p < e.function().parameters.size(); ++p) {
            if (e.function().parameters[p].name == address.symbol) {
                offset += e.function().parameter_offsets[p];
            }
        }
    }
    return ir.getInt64(offset);
}

llvm::Value* lane_starts(Emitter& e, std::uint64_t stride) {
    llvm::SmallVector<std::uint64_t, kLanes> starts;
    for (unsigned lane = 0; lane < kLanes; ++lane) starts.push_back(lane * stride);
    return llvm::ConstantDataVector::get(e.ir().getContext(), starts);
}

/// Ends the launch where an active lane's index has left the parameters.
/// @return the offset, which no lane takes outside; null where every offset is
llvm::Value* keep_inside(Emitter& e, const ParameterPlace& place, const MemoryAccess& access,
                         llvm::Value* offset) {
    auto& ir = e.ir();
    const std::uint64_t bytes = access.lane_bytes();
    const std::uint64_t starts = place.bytes < bytes ? 0 : place.bytes - bytes + 1;
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(offset);
    if (known != nullptr && known->getValue().ult(starts)) return offset;
    llvm::Value* inside =
        ir.CreateICmpULT(offset, llvm::ConstantInt::get(offset->getType(), starts));
    llvm::Value* outside = ir.CreateAnd(e.mask(), e.splat(ir.CreateNot(inside)));
    llvm::Function* function = ir.GetInsertBlock()->getParent();
    auto* fault = llvm::BasicBlock::Create(ir.getContext(), "outside", function);
    auto* on = llvm::BasicBlock::Create(ir.getContext(), "inside", function);
    ir.CreateCondBr(e.any(outside), fault, on, e.unlikely());
    ir.SetInsertPoint(fault);
    e.call(
        "wl_outside_parameters",
        {e.context_pointer(), e.warp(), e.bits_of(outside), ir.getInt32(e.instruction().ptx_line),
         e.spill(offset, "offsets"), ir.getInt32(access.lane_bytes()), ir.getInt64(place.bytes)});
    ir.CreateBr(on);
    ir.SetInsertPoint(on);
    if (starts == 0) return nullptr;
    // Where no lane is active, a scalar load goes somewhere all the same.
    return Emitter::is_vector(offset) ? offset : ir.CreateSelect(inside, offset, ir.getInt64(0));
}

void load_parameter(Emitter& e, const Instruction& instruction, const MemoryAccess& access) {
    auto& ir = e.ir();
    const Operand& address = instruction.operands[1];
    const ParameterPlace place = find_parameter(e, address);
    llvm::Value* offset =
        keep_inside(e, place, access, parameter_offset(e, address, place.lane_stride == 0));
    llvm::Type* element = ir.getIntNTy(access.element_bytes * 8);
    for (unsigned i = 0; i < access.width; ++i) {
        if (offset == nullptr) {
            e.define(element_of(instruction.operands[0], i), llvm::Constant::getNullValue(element),
                     instruction.type());
            continue;
        }
        llvm::Value* at = ir.CreateAdd(
            offset, llvm::ConstantInt::get(offset->getType(), i * access.element_bytes));
        llvm::Value* value = nullptr;
        if (place.lane_stride == 0 && !Emitter::is_vector(at)) {
            llvm::LoadInst* load = ir.CreateAlignedLoad(
                element, ir.CreateGEP(ir.getInt8Ty(), place.buffer, at), llvm::Align(1));
            load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                              llvm::MDNode::get(ir.getContext(), {}));
            value = e.tag(load, Emitter::Memory::context);
        } else {
            at = ir.CreateAdd(e.splat(at), lane_starts(e, place.lane_stride));
            llvm::Value* pointers = ir.CreateGEP(ir.getInt8Ty(), place.buffer, at);
            value = ir.CreateMaskedGather(lanes_of(element), pointers, llvm::Align(1), e.mask(),
                                          llvm::Constant::getNullValue(lanes_of(element)));
        }
        e.define(element_of(instruction.operands[0], i), value, instruction.type());
    }
}

void store_parameter(Emitter& e, const Instruction& instruction, const MemoryAccess& access) {
    auto& ir = e.ir();
    const Operand& address = instruction.operands[0];
    const ParameterPlace place = find_parameter(e, address);
    if (place.lane_stride == 0) {
        e.refuse("a kernel's parameters cannot be written");
        return;
    }
    llvm::Value* offset = keep_inside(e, place, access, parameter_offset(e, address, false));
    if (offset == nullptr) return;
    offset = e.splat(offset);
    const ptx::Type bits = bits_type(instruction.type());
    for (unsigned i = 0; i < access.width; ++i) {
        llvm::Value* value = e.splat(e.source(element_of(instruction.operands[1], i), bits));
        llvm::Value* at = ir.CreateAdd(
            offset, llvm::ConstantInt::get(offset->getType(), i * access.element_bytes));
        at = ir.CreateAdd(at, lane_starts(e, place.lane_stride));
        ir.CreateMaskedScatter(value, ir.CreateGEP(ir.getInt8Ty(), place.buffer, at),
                               llvm::Align(1), e.mask());
    }
}

}  // namespace

void lower_load(Emitter& e, const Instruction& instruction) {
    const MemoryAccess access = memory_access(instruction);
    if (access.space == Space::param) {
        load_parameter(e, instruction, access);
        return;
    }
    auto& ir = e.ir();
    const Operand& operand = instruction.operands[1];
    const AddressValue address = e.address(operand, address_bits(e, operand));
    FastPath fast(e, access, address);
    HalfWarpPath halves(e, access, address);
    const std::uint32_t row =
        add_rows(e, access, address, halves.exists() ? Inline::halves : fast.inline_counts());
    std::vector<llvm::Value*> elements;
    if (e.tables().sites[row].inline_counts == Inline::halves) {
        elements = {halves.load(row, [&] { return load_slowly(e, access, address, row)[0]; })};
    } else if (!fast.exists()) {
        elements = load_slowly(e, access, address, row);
    } else {
        llvm::BasicBlock* slow = fast.begin(row);
        const std::vector<llvm::Value*> quick = fast.load();
        llvm::BasicBlock* quick_end = ir.GetInsertBlock();
        auto* done = llvm::BasicBlock::Create(ir.getContext(), "loaded", quick_end->getParent());
        ir.CreateBr(done);
        ir.SetInsertPoint(slow);
        std::vector<llvm::Value*> careful = load_slowly(e, access, address, row);
        const bool scalar = !Emitter::is_vector(quick[0]);
        if (scalar) {
            // Some active lane's value: inactive lanes of the buffer hold nothing.
            llvm::Value* lane =
                ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, e.mask_bits(), ir.getFalse());
            lane = ir.CreateAnd(lane, kLanes - 1);
            for (llvm::Value*& value : careful) value = ir.CreateExtractElement(value, lane);
        }
        llvm::BasicBlock* slow_end = ir.GetInsertBlock();
        ir.CreateBr(done);
        ir.SetInsertPoint(done);
        for (unsigned i = 0; i < access.width; ++i) {
            llvm::PHINode* value = ir.CreatePHI(quick[i]->getType(), 2);
            value->addIncoming(quick[i], quick_end);
            value->addIncoming(careful[i], slow_end);
            elements.push_back(value);
        }
    }
    for (unsigned i = 0; i < access.width; ++i) {
        e.define(element_of(instruction.operands[0], i), elements[i], instruction.type());
    }
}

void lower_store(Emitter& e, const Instruction& instruction) {
    const MemoryAccess access = memory_access(instruction);
    if (access.space == Space::param) {
        store_parameter(e, instruction, access);
        return;
    }
    auto& ir = e.ir();
    const Operand& operand = instruction.operands[0];
    const AddressValue address = e.address(operand, address_bits(e, operand));
    FastPath fast(e, access, address);
    HalfWarpPath halves(e, access, address);
    const std::uint32_t row =
        add_rows(e, access, address, halves.exists() ? Inline::halves : fast.inline_counts());
    std::vector<llvm::Value*> elements;
    for (unsigned i = 0; i < access.width; ++i) {
        const Operand& element = element_of(instruction.operands[1], i);
        elements.push_back(e.splat(e.source(element, bits_type(instruction.type()))));
    }
    if (e.tables().sites[row].inline_counts == Inline::halves) {
        halves.store(row, elements[0], [&] { store_slowly(e, access, address, row, elements); });
        return;
    }
    if (!fast.exists()) {
        store_slowly(e, access, address, row, elements);
        return;
    }
    llvm::BasicBlock* slow = fast.begin(row);
    fast.store(elements);
    llvm::Function* function = ir.GetInsertBlock()->getParent();
    auto* done = llvm::BasicBlock::Create(ir.getContext(), "stored", function);
    ir.CreateBr(done);
    ir.SetInsertPoint(slow);
    store_slowly(e, access, address, row, elements);
    ir.CreateBr(done);
    ir.SetInsertPoint(done);
}

}  // namespace wideload::jit
