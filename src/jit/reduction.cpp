// SPDX-License-Identifier: Apache-2.0
// redux: one result for all lanes of a group.
#include "jit/integer_values.h"
#include "jit/warp.h"

namespace wideload::jit {

using ptx::AtomOp;
using ptx::Instruction;
using ptx::Type;

namespace {

/// How redux's operation acts on 32-bit integers.
struct Reduction {
    llvm::Intrinsic::ID intrinsic;
    std::uint32_t identity;
    const char* helper;  ///< for groups that differ by lane
};

Reduction reduction(AtomOp operation, bool is_signed) {
    switch (operation) {
        case AtomOp::and_:
            return {llvm::Intrinsic::vector_reduce_and, ~0u, "wl_reduce_and"};
        case AtomOp::or_:
            return {llvm::Intrinsic::vector_reduce_or, 0, "wl_reduce_or"};
        case AtomOp::xor_:
            return {llvm::Intrinsic::vector_reduce_xor, 0, "wl_reduce_xor"};
        case AtomOp::min:
            return is_signed
                       ? Reduction{llvm::Intrinsic::vector_reduce_smin, 0x7fffffff,
                                   "wl_reduce_min_s32"}
                       : Reduction{llvm::Intrinsic::vector_reduce_umin, ~0u, "wl_reduce_min_u32"};
        case AtomOp::max:
            return is_signed
                       ? Reduction{llvm::Intrinsic::vector_reduce_smax, 0x80000000,
                                   "wl_reduce_max_s32"}
                       : Reduction{llvm::Intrinsic::vector_reduce_umax, 0, "wl_reduce_max_u32"};
        default:
            return {llvm::Intrinsic::vector_reduce_add, 0, "wl_reduce_add"};
    }
}

/// `group` is a mask that all lanes share, or one a lane; so is the result.
llvm::Value* reduce(Emitter& emitter, const Reduction& how, llvm::Value* value,
                    llvm::Value* group) {
    llvm::IRBuilder<>& ir = emitter.ir();
    value = emitter.splat(value);
    if (Emitter::is_vector(group)) {
        return emitter.call_on_arrays(how.helper, ir.getInt32Ty(), {value, group});
    }
    llvm::Value* taking_part =
        ir.CreateSelect(emitter.mask_of(group), value, integer(emitter, value, how.identity));
    return ir.CreateUnaryIntrinsic(how.intrinsic, taking_part);
}

constexpr std::uint32_t kMagnitude = 0x7fffffff, kInfinityBits = 0x7f800000,
                        kCanonicalNan = 0x7fffffff;

/// f32 as an integer in the order of the values, -0 before +0, and back: the same operation.
llvm::Value* ordered(Emitter& emitter, llvm::Value* bits) {
    llvm::IRBuilder<>& ir = emitter.ir();
    return ir.CreateXor(bits, ir.CreateAnd(ir.CreateAShr(bits, 31), kMagnitude));
}

/// min and max of f32: NaNs are left out, or with .NaN make the result one.
llvm::Value* reduce_floats(Emitter& emitter, const Instruction& instruction, llvm::Value* value,
                           llvm::Value* group) {
    llvm::IRBuilder<>& ir = emitter.ir();
    value = emitter.splat(value);
    if (instruction.form.find("abs") != std::string::npos) value = ir.CreateAnd(value, kMagnitude);
    const Reduction how = reduction(instruction.atom_op, true);
    llvm::Value* is_nan =
        ir.CreateICmpUGT(ir.CreateAnd(value, kMagnitude), integer(emitter, value, kInfinityBits));
    llvm::Value* numbers =
        ir.CreateSelect(is_nan, integer(emitter, value, how.identity), ordered(emitter, value));
    llvm::Value* result = ordered(emitter, reduce(emitter, how, numbers, group));
    llvm::Value* nans = emitter.bits_of(is_nan);
    if (Emitter::is_vector(group)) nans = emitter.splat(nans);
    nans = ir.CreateAnd(nans, group);
    llvm::Value* result_is_nan = instruction.nan_propagating
                                     ? ir.CreateICmpNE(nans, integer(emitter, group, 0))
                                     : ir.CreateICmpEQ(nans, group);
    return ir.CreateSelect(result_is_nan, integer(emitter, result, kCanonicalNan), result);
}

}  // namespace

void lower_redux(Emitter& emitter, const Instruction& instruction) {
    const Type type = instruction.type();
    llvm::Value* group = participants(emitter, instruction);
    llvm::Value* value = emitter.source(instruction.operands[1], Type::b32);
    llvm::Value* result =
        type == Type::f32
            ? reduce_floats(emitter, instruction, value, group)
            : reduce(emitter, reduction(instruction.atom_op, ptx::is_signed(type)), value, group);
    emitter.define(instruction.operands[0], result, Type::b32);
}

}  // namespace wideload::jit
