// SPDX-License-Identifier: Apache-2.0
// cvt to and from formats narrower than f32 that exist only for conversions or in pairs: tf32,
// f16x2 and bf16x2, pairs of 8-, 6- and 4-bit floats, and cvt.pack.
#include <fmt/format.h>

#include "jit/conversion.h"
#include "jit/float_values.h"
#include "jit/integer_values.h"

namespace wideload::jit {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

/// f32 with its last 13 bits rounded off. Ties go away from zero with .rna.
Value* round_to_tf32(Emitter& emitter, Value* value, Rounding rounding) {
    llvm::IRBuilder<>& ir = emitter.ir();
    constexpr unsigned kDropped = 13;
    constexpr std::uint64_t kDroppedMask = (1u << kDropped) - 1;
    Value* bits = float_bits(emitter, value);
    Value* rounded = bits;
    if (rounding == Rounding::rna) {
        rounded = ir.CreateAdd(bits, integer_constant(bits, (kDroppedMask + 1) / 2));
    } else if (rounding == Rounding::rn) {
        Value* last = ir.CreateAnd(ir.CreateLShr(bits, kDropped), integer_constant(bits, 1));
        rounded = ir.CreateAdd(bits, ir.CreateAdd(last, integer_constant(bits, kDroppedMask / 2)));
    }
    rounded = ir.CreateAnd(rounded, integer_constant(bits, ~kDroppedMask & 0xffff'ffff));
    return ir.CreateSelect(is_nan(emitter, value), integer_constant(bits, 0x7fff'e000), rounded);
}

/// Infinities, by rounding or by themselves, become the largest number of the format.
Value* clamp_to_finite(Emitter& emitter, Value* bits, std::uint64_t infinity, std::uint64_t largest,
                       std::uint64_t sign) {
    llvm::IRBuilder<>& ir = emitter.ir();
    Value* magnitude = ir.CreateAnd(bits, integer_constant(bits, sign - 1));
    Value* clamped = ir.CreateOr(ir.CreateAnd(bits, integer_constant(bits, sign)),
                                 integer_constant(bits, largest));
    return ir.CreateSelect(ir.CreateICmpEQ(magnitude, integer_constant(bits, infinity)), clamped,
                           bits);
}

void convert_to_tf32(Emitter& emitter, const Instruction& instruction) {
    Value* value = emitter.source(instruction.operands[1], Type::f32);
    if (instruction.relu) value = rectify(emitter, value);
    Value* bits = round_to_tf32(emitter, value, instruction.rounding);
    if (instruction.satfinite) {
        bits = clamp_to_finite(emitter, bits, 0x7f80'0000, 0x7f7f'e000, 0x8000'0000);
    }
    emitter.define(instruction.operands[0], bits, Type::b32);
}

/// Two f32 as one f16x2 or bf16x2; the first becomes the upper half.
void convert_to_half_pair(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type format = instruction.types[0] == Type::f16x2 ? Type::f16 : Type::bf16;
    std::vector<Value*> halves;
    for (Value* value : emitter.sources(instruction, 1, {Type::f32, Type::f32})) {
        if (instruction.relu) value = rectify(emitter, value);
        Value* half = narrow_to_half(emitter, value, format, instruction.rounding);
        if (instruction.satfinite) half = clamp_half_to_finite(emitter, half, format);
        halves.push_back(ir.CreateZExt(half, with_element(half, ir.getInt32Ty())));
    }
    emitter.define(instruction.operands[0], ir.CreateOr(ir.CreateShl(halves[0], 16), halves[1]),
                   Type::b32);
}

/// "e4m3", for helpers' names; empty for what is no such format.
std::string_view element_name(Type pair) {
    switch (pair) {
        case Type::e4m3x2:
            return "e4m3";
        case Type::e5m2x2:
            return "e5m2";
        case Type::e2m3x2:
            return "e2m3";
        case Type::e3m2x2:
            return "e3m2";
        case Type::e2m1x2:
            return "e2m1";
        case Type::ue8m0x2:
            return "ue8m0";
        default:
            return {};
    }
}

/// The parts of f16x2 or bf16x2 as f32, the upper one first.
std::vector<Value*> halves_as_floats(Emitter& emitter, Value* pair, Type format) {
    llvm::IRBuilder<>& ir = emitter.ir();
    std::vector<Value*> floats;
    for (const unsigned part : {1u, 0u}) {
        Value* bits =
            ir.CreateTrunc(ir.CreateLShr(pair, 16 * part), with_element(pair, ir.getInt16Ty()));
        floats.push_back(widen_half(emitter, bits, format));
    }
    return floats;
}

/// Two f32, or a pair of f16 or bf16, as a pair of narrow floats, by host code.
void convert_to_narrow_pair(Emitter& emitter, const Instruction& instruction) {
    const Type to = instruction.types[0], from = instruction.types[1];
    std::vector<Value*> values;
    if (from == Type::f32) {
        values = emitter.sources(instruction, 1, {Type::f32, Type::f32});
    } else {
        const Type format = from == Type::f16x2 ? Type::f16 : Type::bf16;
        values =
            halves_as_floats(emitter, emitter.source(instruction.operands[1], Type::b32), format);
    }
    if (instruction.relu) {
        for (Value*& value : values) value = rectify(emitter, value);
    }
    std::string name = fmt::format("wl_pack_{}", element_name(to));
    if (to == Type::ue8m0x2) {
        name += instruction.rounding == Rounding::rp ? "_rp" : "_rz";
        if (instruction.satfinite) name += "_satfinite";
    }
    Value* pairs = emitter.call_on_arrays(name, emitter.ir().getInt16Ty(), values);
    const bool byte = ptx::bit_width(to) == 8;
    emitter.define(instruction.operands[0], byte ? resize(emitter, pairs, 8, false) : pairs,
                   byte ? Type::b8 : Type::b16);
}

/// A pair of narrow floats as f16x2 or bf16x2, which hold them exactly.
void convert_from_narrow_pair(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type to = instruction.types[0], from = instruction.types[1];
    const Type format = to == Type::f16x2 ? Type::f16 : Type::bf16;
    const bool byte = ptx::bit_width(from) == 8;
    Value* pair = resize(
        emitter, emitter.source(instruction.operands[1], byte ? Type::b8 : Type::b16), 16, false);
    Value* result = nullptr;
    for (const char* part : {"upper", "lower"}) {
        Value* value = emitter.call_on_arrays(
            fmt::format("wl_unpack_{}_{}", element_name(from), part), ir.getFloatTy(), {pair});
        if (instruction.relu) value = rectify(emitter, value);
        Value* bits = narrow_to_half(emitter, value, format);
        bits = ir.CreateZExt(bits, with_element(bits, ir.getInt32Ty()));
        result = result == nullptr ? ir.CreateShl(bits, 16) : ir.CreateOr(result, bits);
    }
    emitter.define(instruction.operands[0], result, Type::b32);
}

}  // namespace

Value* clamp_half_to_finite(Emitter& emitter, Value* bits, Type format) {
    return format == Type::f16 ? clamp_to_finite(emitter, bits, 0x7c00, 0x7bff, 0x8000)
                               : clamp_to_finite(emitter, bits, 0x7f80, 0x7f7f, 0x8000);
}

Lowering narrow_conversion(const Instruction& instruction) {
    const Type to = instruction.types[0], from = instruction.types[1];
    const bool to_half_pair = to == Type::f16x2 || to == Type::bf16x2;
    const bool from_half_pair = from == Type::f16x2 || from == Type::bf16x2;
    const bool vector_source = instruction.operands.size() > 1 &&
                               instruction.operands[1].kind == ptx::Operand::Kind::vector;
    if (to == Type::tf32 && from == Type::f32) return convert_to_tf32;
    if (to_half_pair && from == Type::f32 && !vector_source) return convert_to_half_pair;
    if (!element_name(to).empty() && (from == Type::f32 || from_half_pair)) {
        return convert_to_narrow_pair;
    }
    if (to_half_pair && !element_name(from).empty()) return convert_from_narrow_pair;
    return nullptr;
}

void convert_and_pack(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Type to = instruction.types[0];
    const unsigned width = ptx::bit_width(to);
    const bool is_signed = ptx::is_signed(to);
    const bool appends = instruction.operands.size() > 3;
    std::vector<Value*> values =
        appends ? emitter.sources(instruction, 1, {Type::s32, Type::s32, Type::b32})
                : emitter.sources(instruction, 1, {Type::s32, Type::s32});
    const auto largest = static_cast<std::int64_t>((1u << (is_signed ? width - 1 : width)) - 1);
    const std::int64_t smallest = is_signed ? -largest - 1 : 0;
    for (unsigned v = 0; v < 2; ++v) {
        values[v] = clamp(emitter, values[v], smallest, largest);
        values[v] = ir.CreateAnd(values[v], integer_constant(values[v], (1u << width) - 1));
    }
    Value* packed = ir.CreateOr(ir.CreateShl(values[0], width), values[1]);
    if (appends) packed = ir.CreateOr(packed, ir.CreateShl(values[2], 2 * width));
    emitter.define(instruction.operands[0], packed, Type::b32);
}

}  // namespace wideload::jit
