// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wideload::ptx {

/// PTX's fundamental types (PTX ISA, "Fundamental Types") and the packed ones that instructions
/// name.
// clang-format off
enum class Type : std::uint8_t {
    none,
    b8, b16, b32, b64, b128,
    u8, u16, u32, u64,
    s8, s16, s32, s64,
    f16, bf16, f32, f64, tf32,
    f16x2, bf16x2, u16x2, s16x2,
    pred,
    f32x2,                                    // 64 bits (sm_100)
    u8x4, s8x4,                               // 32 bits
    e4m3x2, e5m2x2, e2m3x2, e3m2x2, ue8m0x2,  // 16 bits, only of cvt
    e2m1x2,                                   // 8 bits, only of cvt
    u2, s2, u4, s4,                           // only of cvt.pack
};
// clang-format on

[[nodiscard]] constexpr unsigned bit_width(Type type) {
    switch (type) {
        case Type::none:
            return 0;
        case Type::pred:
            return 1;
        case Type::u2:
        case Type::s2:
            return 2;
        case Type::u4:
        case Type::s4:
            return 4;
        case Type::b8:
        case Type::u8:
        case Type::s8:
        case Type::e2m1x2:
            return 8;
        case Type::b16:
        case Type::u16:
        case Type::s16:
        case Type::f16:
        case Type::bf16:
        case Type::e4m3x2:
        case Type::e5m2x2:
        case Type::e2m3x2:
        case Type::e3m2x2:
        case Type::ue8m0x2:
            return 16;
        case Type::b64:
        case Type::u64:
        case Type::s64:
        case Type::f64:
        case Type::f32x2:
            return 64;
        case Type::b128:
            return 128;
        default:
            return 32;
    }
}

/// Size in memory; 0 for `none`, predicates and types below a byte, which have none.
[[nodiscard]] constexpr unsigned byte_size(Type type) {
    return type == Type::pred ? 0 : bit_width(type) / 8;
}

[[nodiscard]] constexpr bool is_signed(Type type) {
    return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64 ||
           type == Type::s16x2 || type == Type::s8x4 || type == Type::s2 || type == Type::s4;
}

/// Whether it is too narrow for any register or variable.
[[nodiscard]] constexpr bool is_sub_byte(Type type) {
    return type == Type::u2 || type == Type::s2 || type == Type::u4 || type == Type::s4;
}

[[nodiscard]] constexpr bool is_float(Type type) {
    return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64 ||
           type == Type::tf32 || type == Type::f16x2 || type == Type::bf16x2 || type == Type::f32x2;
}

[[nodiscard]] constexpr bool is_packed(Type type) {
    return type == Type::f16x2 || type == Type::bf16x2 || type == Type::u16x2 ||
           type == Type::s16x2 || type == Type::f32x2 || type == Type::u8x4 || type == Type::s8x4;
}

/// ".f32" without the dot.
[[nodiscard]] std::string_view name(Type type);

/// The type that "f32" names.
[[nodiscard]] std::optional<Type> find_type(std::string_view word);

/// State spaces. `generic` is an access that names no space.
enum class Space : std::uint8_t { generic, reg, param, shared, local, global, constant };

[[nodiscard]] std::string_view name(Space space);

}  // namespace wideload::ptx
