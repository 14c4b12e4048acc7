// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "jit/emitter.h"
#include "jit/integer_values.h"
#include "jit/lower.h"

namespace wideload::jit {

using ptx::SpecialRegister;
using Layout = simt::ThreadLayout::Kind;

namespace {

llvm::Constant* lane_numbers(Emitter& emitter) {
    llvm::SmallVector<std::uint32_t, kLanes> lanes(kLanes);
    std::iota(lanes.begin(), lanes.end(), 0u);
    return llvm::ConstantDataVector::get(emitter.output().getContext(), lanes);
}

/// lanemask_*: bits that stand in a relation to each lane's own.
llvm::Constant* lane_masks(Emitter& emitter, SpecialRegister reg) {
    llvm::SmallVector<std::uint32_t, kLanes> masks;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t own = 1u << lane, below = own - 1;
        switch (reg) {
            case SpecialRegister::lanemask_eq:
                masks.push_back(own);
                break;
            case SpecialRegister::lanemask_lt:
                masks.push_back(below);
                break;
            case SpecialRegister::lanemask_le:
                masks.push_back(below | own);
                break;
            case SpecialRegister::lanemask_gt:
                masks.push_back(~(below | own));
                break;
            default:
                masks.push_back(~below);
                break;
        }
    }
    return llvm::ConstantDataVector::get(emitter.output().getContext(), masks);
}

/// An element of an array that BlockContext points to.
llvm::LoadInst* load_element(Emitter& emitter, std::size_t array_field, llvm::Value* byte_offset,
                             llvm::Type* type) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* array = emitter.context_field(array_field, ir.getPtrTy());
    llvm::Value* element = ir.CreateInBoundsGEP(ir.getInt8Ty(), array, byte_offset);
    llvm::LoadInst* load =
        emitter.tag(ir.CreateAlignedLoad(type, element, llvm::Align(4)), Emitter::Memory::context);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(emitter.output().getContext(), {}));
    return load;
}

/// tid of the warp's lane 0 in one dimension.
llvm::Value* origin(Emitter& emitter, unsigned dimension) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* warp = ir.CreateZExt(emitter.warp(), ir.getInt64Ty());
    llvm::Value* offset = ir.CreateAdd(ir.CreateMul(warp, ir.getInt64(sizeof(WarpOrigin))),
                                       ir.getInt64(dimension * sizeof(std::uint32_t)));
    return load_element(emitter, offsetof(BlockContext, origins), offset, ir.getInt32Ty());
}

/// All lanes' tid in one dimension, of layouts without a pattern: tids[dimension][warp × 32 +
/// lane].
llvm::Value* listed_tids(Emitter& emitter, unsigned dimension) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* stride =
        emitter.context_field(offsetof(BlockContext, tid_stride), ir.getInt32Ty());
    llvm::Value* first = ir.CreateAdd(ir.CreateMul(stride, ir.getInt32(dimension)),
                                      ir.CreateMul(emitter.warp(), ir.getInt32(kLanes)));
    llvm::Value* offset = ir.CreateShl(ir.CreateZExt(first, ir.getInt64Ty()), 2);
    return load_element(emitter, offsetof(BlockContext, tids), offset,
                        llvm::FixedVectorType::get(ir.getInt32Ty(), kLanes));
}

llvm::Value* tid(Emitter& emitter, unsigned dimension) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const simt::ThreadLayout& layout = emitter.context().layout;
    if (layout.kind == Layout::general) return listed_tids(emitter, dimension);
    // Where a warp's rows share tid.z, so does the warp; where it is one row, they share tid.y.
    const bool shared_by_all = dimension == 2 || (dimension == 1 && layout.kind == Layout::rows);
    if (shared_by_all) return origin(emitter, dimension);
    llvm::Value* lanes = lane_numbers(emitter);
    if (layout.kind == Layout::columns) {
        if (dimension == 0) return ir.CreateAnd(lanes, (1u << layout.log2_width) - 1);
        lanes = ir.CreateLShr(lanes, layout.log2_width);
    }
    return ir.CreateAdd(emitter.splat(origin(emitter, dimension)), lanes);
}

/// A 64-bit count of the host, or half of it.
llvm::Value* host_count(Emitter& emitter, const char* helper, unsigned shift, unsigned bits) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* count = emitter.call(helper, {}, ir.getInt64Ty());
    return ir.CreateTrunc(ir.CreateLShr(count, shift), ir.getIntNTy(bits));
}

unsigned distance(SpecialRegister from, SpecialRegister to) {
    return static_cast<unsigned>(to) - static_cast<unsigned>(from);
}

/// Element `reg - first` of a three-dimensional field.
llvm::Value* element_of(Emitter& emitter, std::size_t field, SpecialRegister first,
                        SpecialRegister reg) {
    return emitter.context_field(field + distance(first, reg) * sizeof(std::uint32_t),
                                 emitter.ir().getInt32Ty());
}

/// What a launch without clusters has: each block is one of its own.
llvm::Value* cluster_register(Emitter& emitter, SpecialRegister reg) {
    using enum SpecialRegister;
    switch (reg) {
        case clusterid_x:
        case clusterid_y:
        case clusterid_z:
            return element_of(emitter, offsetof(BlockContext, ctaid), clusterid_x, reg);
        case nclusterid_x:
        case nclusterid_y:
        case nclusterid_z:
            return element_of(emitter, offsetof(BlockContext, nctaid), nclusterid_x, reg);
        case cluster_nctaid_x:
        case cluster_nctaid_y:
        case cluster_nctaid_z:
        case cluster_nctarank:
            return emitter.ir().getInt32(1);
        default:
            return emitter.ir().getInt32(0);
    }
}

}  // namespace

llvm::Value* lower_special_register(Emitter& emitter, SpecialRegister reg) {
    using enum SpecialRegister;
    llvm::IRBuilder<>& ir = emitter.ir();
    const auto field32 = [&](std::size_t offset) {
        return emitter.context_field(offset, ir.getInt32Ty());
    };
    switch (reg) {
        case tid_x:
        case tid_y:
        case tid_z:
            return tid(emitter, distance(tid_x, reg));
        case ntid_x:
        case ntid_y:
        case ntid_z:
            return element_of(emitter, offsetof(BlockContext, ntid), ntid_x, reg);
        case ctaid_x:
        case ctaid_y:
        case ctaid_z:
            return element_of(emitter, offsetof(BlockContext, ctaid), ctaid_x, reg);
        case nctaid_x:
        case nctaid_y:
        case nctaid_z:
            return element_of(emitter, offsetof(BlockContext, nctaid), nctaid_x, reg);
        case laneid:
            return lane_numbers(emitter);
        case lanemask_eq:
        case lanemask_le:
        case lanemask_lt:
        case lanemask_ge:
        case lanemask_gt:
            return lane_masks(emitter, reg);
        case warpid:
            return emitter.warp();
        case nwarpid:
            return field32(offsetof(BlockContext, warp_count));
        case smid:
            return field32(offsetof(BlockContext, multiprocessor));
        case nsmid:
            return field32(offsetof(BlockContext, multiprocessor_count));
        case gridid:
            return emitter.context_field(offsetof(BlockContext, grid_id), ir.getInt64Ty());
        case clock:
            return host_count(emitter, "wl_clock", 0, 32);
        case clock_hi:
            return host_count(emitter, "wl_clock", 32, 32);
        case clock64:
            return host_count(emitter, "wl_clock", 0, 64);
        case globaltimer:
            return host_count(emitter, "wl_global_timer", 0, 64);
        case globaltimer_lo:
            return host_count(emitter, "wl_global_timer", 0, 32);
        case globaltimer_hi:
            return host_count(emitter, "wl_global_timer", 32, 32);
        case dynamic_smem_size:
            return field32(offsetof(BlockContext, dynamic_shared_bytes));
        case total_smem_size:
            return field32(offsetof(BlockContext, total_shared_bytes));
        case aggr_smem_size:
            return field32(offsetof(BlockContext, aggregate_shared_bytes));
        // The memory that is reserved begins at 0. Each of its two users has one half; that of
        // cooperative_groups counts on 288 bytes.
        case reserved_smem_offset_end:
        case reserved_smem_offset_cap:
            return field32(offsetof(BlockContext, reserved_shared_bytes));
        case reserved_smem_offset_1:
            return ir.CreateLShr(field32(offsetof(BlockContext, reserved_shared_bytes)), 1);
        default:
            // Performance monitors read as 0.
            return cluster_register(emitter, reg);
    }
}

llvm::Value* lower_environment_register(Emitter& emitter, std::uint64_t number) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (number != 1 && number != 2) return ir.getInt32(0);
    llvm::Value* workspace =
        emitter.context_field(offsetof(BlockContext, grid_workspace), ir.getInt64Ty());
    return ir.CreateTrunc(ir.CreateLShr(workspace, number == 1 ? 32 : 0), ir.getInt32Ty());
}

}  // namespace wideload::jit
