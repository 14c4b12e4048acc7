// SPDX-License-Identifier: Apache-2.0
// shfl: lanes read each other's registers. A lane whose source lies outside its segment keeps its
// own value. What lanes that do not execute hold is read as it is.
#include <array>

#include "jit/integer_values.h"
#include "jit/warp.h"
#include "simt/transfer.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::ShuffleMode;
using ptx::Type;

namespace {

/// PTX's operands b and c: a distance or a lane, and the segment: its last lane in bits 0 to 4, its
/// mask in bits 8 to 12.
struct Source {
    unsigned lane;
    bool in_range;
};
Source source_lane(ShuffleMode mode, unsigned lane, unsigned b, unsigned c) {
    const unsigned distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    const auto last = static_cast<int>((lane & segment) | (clamp & ~segment));
    int source = 0;
    bool in_range = false;
    if (mode == ShuffleMode::up) {
        source = static_cast<int>(lane) - static_cast<int>(distance);
        in_range = source >= last;
    } else {
        source = mode == ShuffleMode::down ? static_cast<int>(lane + distance)
                 : mode == ShuffleMode::bfly
                     ? static_cast<int>(lane ^ distance)
                     : static_cast<int>((lane & segment) | (distance & ~segment));
        in_range = source <= last;
    }
    // With a clamp above its segment's lanes, `up` and `down` stay inside the warp all the same.
    in_range = in_range && source >= 0 && source < static_cast<int>(kLanes);
    return {in_range ? static_cast<unsigned>(source) : lane, in_range};
}

struct Shuffled {
    llvm::Value* value;
    llvm::Value* in_range;  ///< i1 or a mask
};

/// Both operands are constants: one permutation.
Shuffled by_constants(Emitter& emitter, ShuffleMode mode, llvm::Value* value, unsigned b,
                      unsigned c) {
    llvm::IRBuilder<>& ir = emitter.ir();
    std::array<int, kLanes> sources;
    std::array<llvm::Constant*, kLanes> in_range;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const Source source = source_lane(mode, lane, b, c);
        sources[lane] = static_cast<int>(source.lane);
        in_range[lane] = ir.getInt1(source.in_range);
    }
    return {Emitter::is_vector(value) ? ir.CreateShuffleVector(value, sources) : value,
            llvm::ConstantVector::get(in_range)};
}

/// For each lane the one that it would read, and whether it may; as source_lane(), at run time.
struct SourceLanes {
    llvm::Value *lane, *in_range;
};
SourceLanes source_lanes(Emitter& emitter, ShuffleMode mode, llvm::Value* b, llvm::Value* c) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Value* lane = emitter.special(ptx::SpecialRegister::laneid);
    llvm::Value* distance = ir.CreateAnd(emitter.splat(b), 31);
    llvm::Value* clamp = ir.CreateAnd(emitter.splat(c), 31);
    llvm::Value* segment = ir.CreateAnd(ir.CreateLShr(emitter.splat(c), 8), 31);
    llvm::Value* own_segment = ir.CreateAnd(lane, segment);
    llvm::Value* outside = ir.CreateNot(segment);
    llvm::Value* last = ir.CreateOr(own_segment, ir.CreateAnd(clamp, outside));
    llvm::Value* source = nullptr;
    switch (mode) {
        case ShuffleMode::up:
            source = ir.CreateSub(lane, distance);
            break;
        case ShuffleMode::down:
            source = ir.CreateAdd(lane, distance);
            break;
        case ShuffleMode::bfly:
            source = ir.CreateXor(lane, distance);
            break;
        default:
            source = ir.CreateOr(own_segment, ir.CreateAnd(distance, outside));
            break;
    }
    llvm::Value* in_range =
        mode == ShuffleMode::up ? ir.CreateICmpSGE(source, last) : ir.CreateICmpSLE(source, last);
    in_range = ir.CreateAnd(in_range, ir.CreateICmpULT(source, integer(emitter, source, kLanes)));
    return {source, in_range};
}

/// All lanes look the same distance away: lanes stored beside themselves and read again that far
/// off.
llvm::Value* slide(Emitter& emitter, llvm::Value* value, llvm::Value* distance, bool up) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Type* row = llvm::ArrayType::get(ir.getInt32Ty(), 2 * kLanes);
    llvm::AllocaInst* twice = emitter.scratch(row, "shuffled");
    const auto element = [&](llvm::Value* index) {
        return ir.CreateInBoundsGEP(ir.getInt32Ty(), twice, index);
    };
    distance = ir.CreateAnd(distance, 31);
    llvm::Value* half = ir.getInt32(kLanes);
    ir.CreateAlignedStore(value, twice, llvm::Align(4));
    ir.CreateAlignedStore(value, element(half), llvm::Align(4));
    return ir.CreateAlignedLoad(
        value->getType(), element(up ? ir.CreateSub(half, distance) : distance), llvm::Align(4));
}

/// Lanes swap across each bit of a distance that all share.
llvm::Value* butterfly(Emitter& emitter, llvm::Value* value, llvm::Value* distance) {
    llvm::IRBuilder<>& ir = emitter.ir();
    for (unsigned bit = 1; bit < kLanes; bit *= 2) {
        std::array<int, kLanes> swapped;
        for (unsigned lane = 0; lane < kLanes; ++lane) swapped[lane] = static_cast<int>(lane ^ bit);
        llvm::Value* swaps = ir.CreateICmpNE(ir.CreateAnd(distance, bit), ir.getInt32(0));
        value = ir.CreateSelect(swaps, ir.CreateShuffleVector(value, swapped), value);
    }
    return value;
}

/// All lanes read one: a scalar.
Shuffled broadcast(Emitter& emitter, llvm::Value* value, llvm::Value* lane) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (Emitter::is_vector(value))
        value = ir.CreateExtractElement(value, ir.CreateAnd(lane, kLanes - 1));
    return {value, ir.getTrue()};
}

Shuffled at_run_time(Emitter& emitter, const Instruction& instruction, llvm::Value* value,
                     llvm::Value* b, llvm::Value* c) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const ShuffleMode mode = instruction.shuffle_mode;
    const SourceLanes lanes = source_lanes(emitter, mode, b, c);
    if (!Emitter::is_vector(value)) return {value, lanes.in_range};
    llvm::Value* read = nullptr;
    if (Emitter::is_vector(b) || mode == ShuffleMode::idx) {
        llvm::Value* within = ir.CreateAnd(lanes.lane, kLanes - 1);
        read = emitter.call_on_arrays("wl_permute", ir.getInt32Ty(), {value, within});
    } else if (mode == ShuffleMode::bfly) {
        read = butterfly(emitter, value, b);
    } else {
        read = slide(emitter, value, b, mode == ShuffleMode::up);
    }
    return {ir.CreateSelect(lanes.in_range, read, value), lanes.in_range};
}

}  // namespace

void lower_shfl(Emitter& emitter, const Instruction& instruction) {
    if (ptx::bit_width(instruction.type()) != 32) {
        emitter.refuse("shfl moves values of 32 bits");
        return;
    }
    llvm::Value* value = emitter.source(instruction.operands[1], Type::b32);
    if (Emitter::is_vector(value)) {
        value = emitter.ir().CreateSelect(emitter.mask(), value, integer(emitter, value, 0));
    }
    const auto b_constant = simt::constant_of(instruction.operands[2]);
    const auto c_constant = simt::constant_of(instruction.operands[3]);
    llvm::Value* b = emitter.source(instruction.operands[2], Type::b32);
    Shuffled result{};
    if (simt::is_broadcast(instruction) && !Emitter::is_vector(b)) {
        result = broadcast(emitter, value, b);
    } else if (b_constant && c_constant) {
        result =
            by_constants(emitter, instruction.shuffle_mode, value,
                         static_cast<unsigned>(*b_constant), static_cast<unsigned>(*c_constant));
    } else {
        result = at_run_time(emitter, instruction, value, b,
                             emitter.source(instruction.operands[3], Type::b32));
    }
    emitter.define_element(instruction.operands[0], 0, result.value, Type::b32);
    emitter.define_element(instruction.operands[0], 1, result.in_range, Type::pred);
}

}  // namespace wideload::jit
