// SPDX-License-Identifier: Apache-2.0
// cvt among integers and f16, bf16, f32, f64. Narrow formats (tf32, fp8 and smaller, packed
// results) are in narrow_conversion.cpp.
#include "jit/conversion.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include <cmath>

#include "jit/float_values.h"
#include "jit/integer_values.h"
#include "jit/lower.h"

namespace wideload::jit {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

bool is_half(Type type) { return type == Type::f16 || type == Type::bf16; }

// Integers.

/// .sat of an integer to an integer type, whose range may lie on either side.
Value* clamp_to_type(Emitter& emitter, Value* value, bool value_is_signed, Type type) {
    const unsigned from = bits_of_type(value), to = ptx::bit_width(type);
    const bool to_signed = ptx::is_signed(type);
    // The largest value of the type, where the source has greater ones.
    const unsigned magnitude_bits = to - (to_signed ? 1 : 0);
    if (from - (value_is_signed ? 1 : 0) > magnitude_bits) {
        const std::uint64_t largest = (std::uint64_t{1} << magnitude_bits) - 1;
        value = minimum(emitter, value, integer(emitter, value, largest), value_is_signed);
    }
    if (!value_is_signed) return value;
    if (!to_signed) return maximum(emitter, value, integer(emitter, value, 0), true);
    if (from > to) {
        const std::uint64_t smallest = ~std::uint64_t{0} << (to - 1);
        value =
            maximum(emitter, value,
                    llvm::ConstantInt::get(value->getType(), smallest, /*IsSigned=*/true), true);
    }
    return value;
}

void convert_integers(Emitter& emitter, const Instruction& instruction) {
    const Type to = instruction.types[0], from = instruction.types[1];
    Value* value = emitter.source(instruction.operands[1], from);
    if (instruction.sat) value = clamp_to_type(emitter, value, ptx::is_signed(from), to);
    emitter.define(instruction.operands[0],
                   resize(emitter, value, ptx::bit_width(to), ptx::is_signed(from)), to);
}

// From integers to floating point.

/// A 64-bit integer as f64, rounded to odd: of more than 53 bits the last one kept tells whether
/// any was lost.
Value* wide_integer_to_odd(Emitter& emitter, Value* value, bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* lost = ir.CreateAnd(value, integer_constant(value, 0x7ff));
    Value* sticky = ir.CreateSelect(ir.CreateICmpEQ(lost, integer_constant(value, 0)),
                                    integer_constant(value, 0), integer_constant(value, 0x800));
    Value* kept =
        ir.CreateOr(ir.CreateAnd(value, integer_constant(value, ~std::uint64_t{0x7ff})), sticky);
    // Values of up to 53 bits are exact as they are.
    Value* shifted =
        is_signed ? ir.CreateAdd(value, integer_constant(value, std::uint64_t{1} << 53)) : value;
    const std::uint64_t exact_below = std::uint64_t{1} << (is_signed ? 54 : 53);
    Value* exact = ir.CreateICmpULT(shifted, integer_constant(value, exact_below));
    Value* chosen = ir.CreateSelect(exact, value, kept);
    llvm::Type* f64 = with_element(value, ir.getDoubleTy());
    return is_signed ? ir.CreateSIToFP(chosen, f64) : ir.CreateUIToFP(chosen, f64);
}

/// An exact or odd f64 of any integer.
Value* integer_to_double(Emitter& emitter, Value* value, bool is_signed) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (bits_of_type(value) == 64) return wide_integer_to_odd(emitter, value, is_signed);
    llvm::Type* f64 = with_element(value, ir.getDoubleTy());
    return is_signed ? ir.CreateSIToFP(value, f64) : ir.CreateUIToFP(value, f64);
}

std::string_view suffix(Rounding rounding) {
    return rounding == Rounding::rz ? "rz" : rounding == Rounding::rm ? "rm" : "rp";
}

/// A 64-bit integer as f64 in a directed rounding: that of the sum of its halves, which are exact.
Value* sum_of_halves(Emitter& emitter, Value* value, bool is_signed, Rounding rounding) {
    llvm::IRBuilder<>& ir = emitter.ir();
    llvm::Type* f64 = with_element(value, ir.getDoubleTy());
    Value* low = ir.CreateAnd(value, integer_constant(value, 0xffff'ffff));
    Value* high = ir.CreateSub(value, low);
    return emitter.call_on_arrays(
        fmt::format("wl_add_f64_{}", suffix(rounding)), ir.getDoubleTy(),
        {is_signed ? ir.CreateSIToFP(high, f64) : ir.CreateUIToFP(high, f64),
         ir.CreateUIToFP(low, f64)});
}

/// An integer as `to`; f16 and bf16 as 16-bit integers.
Value* integer_to_float(Emitter& emitter, Value* value, bool is_signed, Type to,
                        Rounding rounding) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const bool nearest = rounding == Rounding::none || rounding == Rounding::rn;
    const bool wide = bits_of_type(value) == 64;
    if (is_half(to)) {
        Value* odd = narrow_to_odd(emitter, integer_to_double(emitter, value, is_signed));
        return narrow_to_half(emitter, odd, to, rounding);
    }
    if (to == Type::f64 && wide && !nearest) {
        return sum_of_halves(emitter, value, is_signed, rounding);
    }
    if (to == Type::f32 && !nearest) {
        return narrow_to_float(emitter, integer_to_double(emitter, value, is_signed), rounding);
    }
    llvm::Type* type = with_element(value, to == Type::f64 ? ir.getDoubleTy() : ir.getFloatTy());
    return is_signed ? ir.CreateSIToFP(value, type) : ir.CreateUIToFP(value, type);
}

// From floating point to integers.

/// A source of any floating-point type as f32, or f64 where it is one.
Value* float_source(Emitter& emitter, const Instruction& instruction) {
    const Type from = instruction.types[1];
    Value* value =
        is_half(from)
            ? widen_half(emitter, emitter.source(instruction.operands[1], Type::b16), from)
            : emitter.source(instruction.operands[1], from);
    // Hardware rounds subnormal numbers to f16 as they are, to bf16 not.
    const bool flush = instruction.ftz && from == Type::f32 && instruction.types[0] != Type::f16 &&
                       emitter.may_be_subnormal(instruction.operands[1]);
    return flush ? flush_subnormals(emitter, value) : value;
}

/// Clamped to the integer type's range, NaN as PTX defines it. `value` is rounded already.
Value* float_to_integer(Emitter& emitter, Value* value, Type to, bool nan_is_zero) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const unsigned width = ptx::bit_width(to);
    const bool is_signed = ptx::is_signed(to);
    llvm::Type* type = with_element(value, ir.getIntNTy(width < 32 ? 32 : width));
    const double beyond = std::ldexp(1.0, static_cast<int>(is_signed ? width - 1 : width));
    Value* low = float_constant(value, is_signed ? -beyond : 0.0);
    Value* high = float_constant(value, beyond);

    // fptosi of what does not fit is poison, in lanes that do not execute too.
    Value* too_low = ir.CreateFCmpOLT(value, low);
    Value* too_high = ir.CreateFCmpOGE(value, high);
    Value* unordered = is_nan(emitter, value);
    Value* fits = ir.CreateNot(ir.CreateOr(ir.CreateOr(too_low, too_high), unordered));
    Value* safe = ir.CreateSelect(fits, value, float_constant(value, 0.0));
    Value* result = is_signed ? ir.CreateFPToSI(safe, type) : ir.CreateFPToUI(safe, type);

    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    const auto constant = [&](std::uint64_t bits) { return llvm::ConstantInt::get(type, bits); };
    result = ir.CreateSelect(too_high, constant(is_signed ? sign - 1 : sign | (sign - 1)), result);
    if (is_signed) result = ir.CreateSelect(too_low, constant(sign), result);
    if (!nan_is_zero) result = ir.CreateSelect(unordered, constant(sign), result);
    return resize(emitter, result, width, false);
}

void convert_to_integer(Emitter& emitter, const Instruction& instruction) {
    const Type to = instruction.types[0], from = instruction.types[1];
    Value* value = float_source(emitter, instruction);
    // The conversion itself cuts off what follows the point.
    const Rounding rounding = instruction.rounding;
    if (rounding != Rounding::none && rounding != Rounding::rzi) {
        value = round_to_integer(emitter, value, rounding);
    }
    const bool nan_is_zero = from != Type::f64 && ptx::bit_width(to) < 64;
    emitter.define(instruction.operands[0], float_to_integer(emitter, value, to, nan_is_zero), to);
}

// Among floating-point types.

bool rounds_to_integer(Rounding rounding) {
    return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi ||
           rounding == Rounding::rpi;
}

/// f32 or f64 as `to`; f16 and bf16 as 16-bit integers.
Value* resize_float(Emitter& emitter, Value* value, Type to, Rounding rounding) {
    const bool is_double = value->getType()->getScalarType()->isDoubleTy();
    if (is_half(to)) {
        return narrow_to_half(emitter, is_double ? narrow_to_odd(emitter, value) : value, to,
                              rounding);
    }
    if (to == Type::f64 && !is_double) {
        return emitter.ir().CreateFPExt(value, with_element(value, emitter.ir().getDoubleTy()));
    }
    return to == Type::f32 && is_double ? narrow_to_float(emitter, value, rounding) : value;
}

/// `result` is `value` as f32, or a zero of its sign where it would be below the normal numbers
/// with an exponent of any size.
Value* flush_narrowed(Emitter& emitter, Value* value, Value* result, Rounding rounding) {
    llvm::IRBuilder<>& ir = emitter.ir();
    if (!value->getType()->getScalarType()->isDoubleTy()) return flush_subnormals(emitter, result);
    Value* scaled =
        narrow_to_float(emitter, ir.CreateFMul(value, float_constant(value, 0x1p64)), rounding);
    Value* tiny = ir.CreateFCmpOLT(absolute(emitter, scaled), float_constant(scaled, 0x1p-62));
    Value* zero =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, float_constant(result, 0.0), result);
    return ir.CreateSelect(tiny, zero, result);
}

void convert_floats(Emitter& emitter, const Instruction& instruction) {
    const Type to = instruction.types[0];
    Value* value = float_source(emitter, instruction);
    if (rounds_to_integer(instruction.rounding)) {
        value = round_to_integer(emitter, value, instruction.rounding);
    }
    if (instruction.sat) value = saturate(emitter, value);
    if (instruction.relu) value = rectify(emitter, value);
    Value* result = resize_float(emitter, value, to, instruction.rounding);
    if (instruction.ftz && to == Type::f32 && instruction.types[1] != Type::f32) {
        result = flush_narrowed(emitter, value, result, instruction.rounding);
    }
    if (instruction.satfinite && is_half(to)) result = clamp_half_to_finite(emitter, result, to);
    emitter.define(instruction.operands[0], result, is_half(to) ? Type::b16 : to);
}

void convert_from_integer(Emitter& emitter, const Instruction& instruction) {
    const Type to = instruction.types[0], from = instruction.types[1];
    Value* value = emitter.source(instruction.operands[1], from);
    // LLVM's conversions of 8 and 16 bits are less direct than those of 32.
    if (bits_of_type(value) < 32) value = resize(emitter, value, 32, ptx::is_signed(from));
    Value* result =
        integer_to_float(emitter, value, ptx::is_signed(from), to, instruction.rounding);
    if (instruction.sat) {
        result = is_half(to) ? narrow_to_half(
                                   emitter, saturate(emitter, widen_half(emitter, result, to)), to)
                             : saturate(emitter, result);
    }
    emitter.define(instruction.operands[0], result, is_half(to) ? Type::b16 : to);
}

bool is_plain_float(Type type) { return is_half(type) || type == Type::f32 || type == Type::f64; }

bool is_narrow_format(Type type) {
    return type == Type::tf32 || type == Type::f16x2 || type == Type::bf16x2 ||
           (!ptx::is_float(type) && (type >= Type::e4m3x2));
}

/// Null where nothing emits it.
Lowering conversion(const Instruction& instruction) {
    const Type to = instruction.types[0], from = instruction.types[1];
    if (instruction.form.find("pack") != std::string::npos) return convert_and_pack;
    if (is_narrow_format(to) || is_narrow_format(from)) return narrow_conversion(instruction);
    if (is_plain_float(to)) return is_plain_float(from) ? convert_floats : convert_from_integer;
    return is_plain_float(from) ? convert_to_integer : convert_integers;
}

}  // namespace

std::optional<std::string> why_conversion_unsupported(const Instruction& instruction) {
    if (instruction.rounding == Rounding::rs) {
        return "the virtual GPU does not execute cvt.rs, which rounds at random";
    }
    if (instruction.form.find("scaled") != std::string::npos) {
        return "the virtual GPU does not execute cvt with .scaled";
    }
    if (conversion(instruction) == nullptr) {
        return fmt::format("the virtual GPU does not convert .{} to .{}",
                           ptx::name(instruction.types[1]), ptx::name(instruction.types[0]));
    }
    return std::nullopt;
}

void lower_conversion(Emitter& emitter, const Instruction& instruction) {
    if (const auto reason = why_conversion_unsupported(instruction)) return emitter.refuse(*reason);
    conversion(instruction)(emitter, instruction);
}

}  // namespace wideload::jit
