// SPDX-License-Identifier: Apache-2.0
#include "ptx/operations.h"

namespace wideload::ptx {
namespace {

/// Of one element.
std::uint32_t operations_of(Opcode opcode) {
    switch (opcode) {
        using enum Opcode;
        case add:
        case addc:
        case sub:
        case subc:
        case mul:
        case mul24:
        case div:
        case rem:
        case rcp:
        case sqrt:
        case rsqrt:
        case sin:
        case cos:
        case lg2:
        case ex2:
        case tanh:
            return 1;
        case mad:
        case madc:
        case mad24:
        case fma:
        case sad:  // a difference and a sum
            return 2;
        case dp2a:
            return 4;  // two products, two sums
        case dp4a:
            return 8;
        default:
            return 0;
    }
}

OperationType unit_of(Type type) {
    switch (type) {
        case Type::f16:
        case Type::bf16:
        case Type::f16x2:
        case Type::bf16x2:
            return OperationType::f16;
        case Type::f32:
        case Type::f32x2:
        case Type::tf32:
            return OperationType::f32;
        case Type::f64:
            return OperationType::f64;
        default:
            return bit_width(type) > 32 ? OperationType::i64 : OperationType::i32;
    }
}

std::uint32_t elements_of(Type type) {
    switch (type) {
        case Type::f16x2:
        case Type::bf16x2:
        case Type::u16x2:
        case Type::s16x2:
        case Type::f32x2:
            return 2;
        case Type::u8x4:
        case Type::s8x4:
            return 4;
        default:
            return 1;
    }
}

}  // namespace

std::string_view name(OperationType type) {
    constexpr std::array<std::string_view, kOperationTypes.size()> kNames = {"f16", "f32", "f64",
                                                                             "i32", "i64"};
    return kNames[static_cast<std::size_t>(type)];
}

Operations operations(const Instruction& instruction) {
    const Type type = instruction.type();
    return {unit_of(type), operations_of(instruction.opcode) * elements_of(type)};
}

}  // namespace wideload::ptx
