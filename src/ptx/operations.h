// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ptx/instruction.h"

namespace wideload::ptx {

/// The units that arithmetic is done by, each with a peak rate of its own.
enum class OperationType : std::uint8_t {
    f16,  ///< f16 and bf16
    f32,  ///< tf32 too
    f64,
    i32,  ///< integers of up to 32 bits
    i64,
};
inline constexpr std::array kOperationTypes = {OperationType::f16, OperationType::f32,
                                               OperationType::f64, OperationType::i32,
                                               OperationType::i64};

/// "f32"
[[nodiscard]] std::string_view name(OperationType type);

struct Operations {
    OperationType type = OperationType::i32;
    std::uint32_t per_lane = 0;  ///< 0: no arithmetic
};

/// Arithmetic operations of one execution in one lane: additions, subtractions, multiplications,
/// divisions, remainders, roots and other functions count one, fused ones two (a product and a
/// sum); packed types do as many as they have elements. Comparisons, minima, sign changes, logic,
/// shifts, conversions, moves and atomics are none.
[[nodiscard]] Operations operations(const Instruction& instruction);

}  // namespace wideload::ptx
