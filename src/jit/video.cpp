// SPDX-License-Identifier: Apache-2.0
// Video instructions on single values: parts of operands are selected and extended, the result is
// saturated, and then put into or combined with a third operand (PTX ISA, "Scalar Video
// Instructions").
#include "jit/video.h"

#include "jit/comparison.h"
#include "jit/integer_values.h"
#include "jit/lower.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

namespace {

/// Bits [shift, shift + bits) of a register: all of it where there is no selector.
struct Part {
    unsigned shift = 0, bits = 32;
};

std::optional<Part> part(const std::string& selector) {
    if (selector.empty()) return Part{};
    if (selector.size() != 2) return std::nullopt;
    const auto index = static_cast<unsigned>(selector[1] - '0');
    if (selector[0] == 'b' && index < 4) return Part{8 * index, 8};
    if (selector[0] == 'h' && index < 2) return Part{16 * index, 16};
    return std::nullopt;
}

/// Intermediate results have 34 bits and more.
constexpr unsigned kWideBits = 64;

llvm::Value* selected(Emitter& emitter, llvm::Value* value, const Part& p, bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    value = ir.CreateLShr(value, p.shift);
    return resize(emitter, resize(emitter, value, p.bits, false), kWideBits, is_signed);
}

llvm::Value* shifted(Emitter& emitter, const Instruction& instruction, llvm::Value* a,
                     llvm::Value* amount) {
    llvm::IRBuilder<>& ir = emitter.ir();
    amount = has_word(instruction, "wrap")
                 ? ir.CreateAnd(amount, 31)
                 : minimum(emitter, amount, integer(emitter, amount, 32), false);
    if (instruction.opcode == Opcode::vshr) return ir.CreateAShr(a, amount);
    // 33 bits moved by 32 do not fit 64: what saturation has to know is only that they are out of
    // range.
    llvm::Value* wide =
        ir.CreateShl(resize(emitter, a, 128, true), resize(emitter, amount, 128, false));
    if (!instruction.sat) return resize(emitter, wide, kWideBits, false);
    return resize(emitter, clamp(emitter, wide, INT64_MIN, INT64_MAX), kWideBits, false);
}

/// Signs of 64-bit sums are right: products of 33-bit values need 66 bits only for two u32, which
/// are taken as unsigned.
void lower_vmad(Emitter& emitter, const Instruction& instruction, llvm::Value* a, llvm::Value* b,
                llvm::Value* c) {
    llvm::IRBuilder<>& ir = emitter.ir();
    constexpr unsigned kProductBits = 128;
    const bool is_signed =
        ptx::is_signed(instruction.types[1]) || ptx::is_signed(instruction.types[2]);
    llvm::Value* sum = ir.CreateMul(resize(emitter, a, kProductBits, true),
                                    resize(emitter, b, kProductBits, true));
    sum = ir.CreateAdd(sum, resize(emitter, c, kProductBits, is_signed));
    if (has_word(instruction, "po")) sum = ir.CreateAdd(sum, integer(emitter, sum, 1));
    const unsigned scale = has_word(instruction, "shr7")    ? 7
                           : has_word(instruction, "shr15") ? 15
                                                            : 0;
    sum = ir.CreateAShr(sum, scale);
    if (instruction.sat) sum = saturated(emitter, sum, 32, is_signed);
    emitter.define(instruction.operands[0], resize(emitter, sum, 32, false), Type::b32);
}

/// The 32-bit result with the third operand: merged into a part of it, or combined by add, min or
/// max.
llvm::Value* merged(Emitter& emitter, const Instruction& instruction, llvm::Value* result,
                    llvm::Value* c, const Part& to) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const bool is_signed =
        instruction.opcode != Opcode::vset && ptx::is_signed(instruction.types[0]);
    if (to.bits < 32) {
        const std::uint64_t mask = ((1u << to.bits) - 1) << to.shift;
        return ir.CreateOr(ir.CreateAnd(c, ~mask & ~0u),
                           ir.CreateAnd(ir.CreateShl(result, to.shift), mask));
    }
    if (has_word(instruction, "add")) return ir.CreateAdd(result, c);
    if (has_word(instruction, "min")) return minimum(emitter, result, c, is_signed);
    if (has_word(instruction, "max")) return maximum(emitter, result, c, is_signed);
    return result;
}

void lower_scalar_video(Emitter& emitter, const Instruction& instruction) {
    const auto to = part(instruction.operands[0].selector);
    const auto from_a = part(instruction.operands[1].selector);
    const auto from_b = part(instruction.operands[2].selector);
    if (!to || !from_a || !from_b) {
        emitter.refuse("a selector of a single value is .b0 to .b3, .h0 or .h1");
        return;
    }
    const bool has_c = instruction.operands.size() > 3;
    const auto v = has_c ? emitter.sources(instruction, 1, {Type::b32, Type::b32, Type::b32})
                         : emitter.sources(instruction, 1, {Type::b32, Type::b32});
    // vset has no type of its result.
    const std::size_t first_type = instruction.opcode == Opcode::vset ? 0 : 1;
    llvm::Value* a =
        selected(emitter, v[0], *from_a, ptx::is_signed(instruction.types[first_type]));
    llvm::Value* b =
        selected(emitter, v[1], *from_b, ptx::is_signed(instruction.types[first_type + 1]));
    if (instruction.opcode == Opcode::vmad) {
        if (!has_c) return emitter.refuse("vmad needs three operands");
        return lower_vmad(emitter, instruction, a, b, v[2]);
    }
    const auto operation = video_operation(instruction.opcode);
    llvm::Value* result = operation ? video_result(emitter, instruction, *operation, a, b)
                                    : shifted(emitter, instruction, a, b);
    if (instruction.sat) {
        result = saturated(emitter, result, to->bits, ptx::is_signed(instruction.types[0]));
    }
    result = resize(emitter, result, 32, false);
    if (has_c) result = merged(emitter, instruction, result, v[2], *to);
    emitter.define(instruction.operands[0], result, Type::b32);
}

}  // namespace

llvm::Value* saturated(Emitter& emitter, llvm::Value* value, unsigned bits, bool is_signed) {
    const std::int64_t span = std::int64_t{1} << (is_signed ? bits - 1 : bits);
    return clamp(emitter, value, is_signed ? -span : 0, span - 1);
}

bool has_word(const Instruction& instruction, std::string_view word) {
    for (std::string_view rest = instruction.form; !rest.empty();) {
        const std::size_t end = rest.find('.');
        if (rest.substr(0, end) == word) return true;
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    return false;
}

std::optional<VideoOperation> video_operation(Opcode opcode) {
    switch (opcode) {
        case Opcode::vadd:
        case Opcode::vadd2:
        case Opcode::vadd4:
            return VideoOperation::add;
        case Opcode::vsub:
        case Opcode::vsub2:
        case Opcode::vsub4:
            return VideoOperation::subtract;
        case Opcode::vabsdiff:
        case Opcode::vabsdiff2:
        case Opcode::vabsdiff4:
            return VideoOperation::absolute_difference;
        case Opcode::vmin:
        case Opcode::vmin2:
        case Opcode::vmin4:
            return VideoOperation::minimum;
        case Opcode::vmax:
        case Opcode::vmax2:
        case Opcode::vmax4:
            return VideoOperation::maximum;
        case Opcode::vavrg2:
        case Opcode::vavrg4:
            return VideoOperation::average;
        case Opcode::vset:
        case Opcode::vset2:
        case Opcode::vset4:
            return VideoOperation::compare;
        default:
            return std::nullopt;
    }
}

llvm::Value* video_result(Emitter& emitter, const Instruction& instruction,
                          VideoOperation operation, llvm::Value* a, llvm::Value* b) {
    llvm::IRBuilder<>& ir = emitter.ir();
    switch (operation) {
        case VideoOperation::add:
            return ir.CreateAdd(a, b);
        case VideoOperation::subtract:
            return ir.CreateSub(a, b);
        case VideoOperation::absolute_difference:
            return ir.CreateSub(maximum(emitter, a, b, true), minimum(emitter, a, b, true));
        case VideoOperation::minimum:
            return minimum(emitter, a, b, true);
        case VideoOperation::maximum:
            return maximum(emitter, a, b, true);
        case VideoOperation::average: {
            // Halves are rounded away from zero.
            llvm::Value* sum = ir.CreateAdd(a, b);
            llvm::Value* is_negative = ir.CreateICmpSLT(sum, integer(emitter, sum, 0));
            llvm::Value* up = ir.CreateAdd(sum, integer(emitter, sum, 1));
            return ir.CreateAShr(ir.CreateSelect(is_negative, sum, up), 1);
        }
        default: {
            // Extended, values of either signedness compare as signed ones.
            llvm::Value* holds = compare_integers(emitter, instruction.comparison, a, b, true);
            return ir.CreateZExt(holds, a->getType());
        }
    }
}

void lower_video(Emitter& emitter, const Instruction& instruction) {
    const char width = ptx::name(instruction.opcode).back();
    if (width == '2' || width == '4') return lower_packed_video(emitter, instruction);
    lower_scalar_video(emitter, instruction);
}

}  // namespace wideload::jit
