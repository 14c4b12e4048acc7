// SPDX-License-Identifier: Apache-2.0
// Any function of three bits. Its truth table is split by one of its inputs into two functions of
// two bits, whichever way needs the fewest operations; the code generator merges what is left where
// the host has such an instruction itself.
#include <array>
#include <bit>

#include "jit/bits.h"
#include "jit/integer_values.h"

namespace wideload::jit {
namespace {

using Inputs = std::array<llvm::Value*, 3>;

/// Truth tables: bit 4a + 2b + c of three inputs, bit 2x + y of two.
constexpr unsigned kTrue2 = 0xf;

/// Operations that two_inputs() emits for a table.
constexpr std::array<unsigned, 16> kCost2{0, 2, 2, 1, 2, 1, 1, 2, 1, 2, 0, 2, 0, 2, 1, 0};

llvm::Value* two_inputs(Emitter& emitter, unsigned table, llvm::Value* x, llvm::Value* y) {
    llvm::IRBuilder<>& ir = emitter.ir();
    switch (table) {
        case 0x0:
            return integer(emitter, x, 0);
        case 0x1:
            return ir.CreateNot(ir.CreateOr(x, y));
        case 0x2:
            return ir.CreateAnd(ir.CreateNot(x), y);
        case 0x3:
            return ir.CreateNot(x);
        case 0x4:
            return ir.CreateAnd(x, ir.CreateNot(y));
        case 0x5:
            return ir.CreateNot(y);
        case 0x6:
            return ir.CreateXor(x, y);
        case 0x7:
            return ir.CreateNot(ir.CreateAnd(x, y));
        case 0x8:
            return ir.CreateAnd(x, y);
        case 0x9:
            return ir.CreateNot(ir.CreateXor(x, y));
        case 0xa:
            return y;
        case 0xb:
            return ir.CreateOr(ir.CreateNot(x), y);
        case 0xc:
            return x;
        case 0xd:
            return ir.CreateOr(x, ir.CreateNot(y));
        case 0xe:
            return ir.CreateOr(x, y);
        default:
            return llvm::Constant::getAllOnesValue(x->getType());
    }
}

/// A table of three inputs as two tables of the other two: where input `pivot` is 0, and where it
/// is 1.
struct Split {
    unsigned pivot;
    unsigned if_clear, if_set;
    /// f = if_clear ^ (pivot & difference)
    [[nodiscard]] unsigned difference() const { return if_clear ^ if_set; }
    [[nodiscard]] unsigned cost() const {
        if (difference() == 0) return kCost2[if_clear];
        const bool constant =
            if_clear == 0 || if_clear == kTrue2 || if_set == 0 || if_set == kTrue2;
        return constant ? kCost2[if_clear] + kCost2[if_set] + 1
                        : kCost2[if_clear] + kCost2[difference()] + 2;
    }
};

Split split(unsigned table, unsigned pivot) {
    const unsigned pivot_bit = 4u >> pivot;
    Split result{pivot, 0, 0};
    unsigned clear = 0, set = 0;  // entries seen so far, in ascending order
    for (unsigned entry = 0; entry < 8; ++entry) {
        const unsigned value = table >> entry & 1;
        if ((entry & pivot_bit) != 0) {
            result.if_set |= value << set++;
        } else {
            result.if_clear |= value << clear++;
        }
    }
    return result;
}

llvm::Value* three_inputs(Emitter& emitter, unsigned table, const Inputs& inputs) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Split best = split(table, 0);
    for (const unsigned pivot : {1u, 2u}) {
        const Split other = split(table, pivot);
        if (other.cost() < best.cost()) best = other;
    }
    llvm::Value* p = inputs[best.pivot];
    llvm::Value* x = inputs[best.pivot == 0 ? 1 : 0];
    llvm::Value* y = inputs[best.pivot == 2 ? 1 : 2];
    const auto of_two = [&](unsigned two) { return two_inputs(emitter, two, x, y); };
    if (best.difference() == 0) return of_two(best.if_clear);
    if (best.if_clear == 0) return ir.CreateAnd(p, of_two(best.if_set));
    if (best.if_clear == kTrue2) return ir.CreateOr(ir.CreateNot(p), of_two(best.if_set));
    if (best.if_set == 0) return ir.CreateAnd(ir.CreateNot(p), of_two(best.if_clear));
    if (best.if_set == kTrue2) return ir.CreateOr(p, of_two(best.if_clear));
    return ir.CreateXor(of_two(best.if_clear), ir.CreateAnd(p, of_two(best.difference())));
}

}  // namespace

void lower_lop3(Emitter& emitter, const ptx::Instruction& instruction) {
    using ptx::Type;
    llvm::IRBuilder<>& ir = emitter.ir();
    const ptx::Operand& table = instruction.operands[4];
    if (table.kind != ptx::Operand::Kind::immediate) {
        emitter.refuse("the truth table of lop3 must be a constant");
        return;
    }
    const auto v = emitter.sources(instruction, 1, {Type::b32, Type::b32, Type::b32});
    llvm::Value* result =
        three_inputs(emitter, static_cast<unsigned>(table.bits & 0xff), {v[0], v[1], v[2]});
    if (instruction.bool_op == ptx::BoolOp::none) {
        emitter.define(instruction.operands[0], result, Type::b32);
        return;
    }
    // lop3.and d|p, a, b, c, table, q: p = (d != 0) and q.
    llvm::Value* is_set = ir.CreateICmpNE(result, integer(emitter, result, 0));
    llvm::Value* q = emitter.source(instruction.operands[5], Type::pred);
    if (Emitter::is_vector(q) || Emitter::is_vector(is_set)) {
        q = emitter.splat(q);
        is_set = emitter.splat(is_set);
    }
    llvm::Value* p = instruction.bool_op == ptx::BoolOp::and_  ? ir.CreateAnd(is_set, q)
                     : instruction.bool_op == ptx::BoolOp::or_ ? ir.CreateOr(is_set, q)
                                                               : ir.CreateXor(is_set, q);
    emitter.define_element(instruction.operands[0], 0, result, Type::b32);
    emitter.define_element(instruction.operands[0], 1, p, Type::pred);
}

}  // namespace wideload::jit
