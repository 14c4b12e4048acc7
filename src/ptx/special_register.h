// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "ptx/instruction.h"

namespace wideload::ptx {

/// The special register that "%tid.x" or "%laneid" names; %envreg<n> is a special operand whose
/// `bits` are n.
/// "%tid" alone, and the other three-dimensional ones, are a vector of x, y, z and 0.
[[nodiscard]] std::optional<Operand> find_special_register(std::string_view name);

/// "%tid.x".
[[nodiscard]] std::string_view name(SpecialRegister special);

/// Bits that reading it gives: 64 of %clock64 and its kind, 1 of %is_explicit_cluster, else 32.
[[nodiscard]] unsigned bit_width(SpecialRegister special);

}  // namespace wideload::ptx
