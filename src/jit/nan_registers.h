// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ptx/module.h"

namespace wideload::jit {

/// The GPU's f32 arithmetic makes one NaN, 0x7fffffff; the host's keeps the bits of an operand, or
/// makes 0xffc00000. Nothing tells them apart until the bits are looked at: stored, moved to
/// another lane, compared as integers.

/// Whether the instruction's result may be a NaN as the host makes it.
[[nodiscard]] bool makes_host_nan(const ptx::Instruction& instruction);

/// Whether the instruction only hands on 32 bits of one of two registers.
[[nodiscard]] bool copies_a_register(const ptx::Instruction& instruction);

/// Whether the instruction, which reads a register as `type`, looks at all of its bits.
[[nodiscard]] bool looks_at_bits(const ptx::Instruction& instruction, ptx::Type type);

/// By register: whether its NaNs may be left as the host makes them until their bits are looked at,
/// since nothing but f32 arithmetic writes it and no NaN in it has bits to be kept.
[[nodiscard]] std::vector<bool> registers_with_host_nans(const ptx::Function& function);

}  // namespace wideload::jit
