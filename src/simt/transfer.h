// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "ptx/module.h"
#include "simt/shape.h"

namespace wideload::simt {

/// What is known when an instruction's result is shaped.
struct TransferContext {
    const ptx::Function& function;
    const std::vector<Shape>& shapes;  ///< by register
    ThreadLayout layout;
    PatternTable& patterns;
    /// A function that is called: its parameters may differ by lane.
    bool parameters_vary = false;
};

/// The shape of an operand as a value of the instruction's type.
[[nodiscard]] Shape shape_of(const ptx::Operand& operand, const TransferContext& context);

/// The shape of an instruction's results where every lane of the warp computes it.
[[nodiscard]] Shape transfer(const ptx::Instruction& instruction, const TransferContext& context);

/// Whether a shuffle has every lane read one lane of the whole warp, as long as all name the same:
/// shfl.idx with c = 31.
[[nodiscard]] bool is_broadcast(const ptx::Instruction& shuffle);

/// Offsets as a register of `bits` holds them, sign-extended.
[[nodiscard]] LaneOffsets wrap(LaneOffsets offsets, unsigned bits);

/// The 32-bit value whose lanes a 64-bit one holds in its upper half, where its lower half is known
/// to be 0: nvcc extends the low half of a register by a shift to the left and one to the right.
[[nodiscard]] std::optional<Shape> low_half_moved_up(const Shape& shape, ptx::Type type,
                                                     PatternTable& patterns);

/// The value of an integer immediate, else nothing.
[[nodiscard]] std::optional<std::int64_t> constant_of(const ptx::Operand& operand);

}  // namespace wideload::simt
