// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace wideload::simt {

/// A loop `do { ...; counter += step; } while (counter < bound)` that only reads: no stores,
/// atomics, calls, meetings or other loops inside, and no way out but its end. What PTX says must
/// not be unrolled (`.pragma "nounroll"`) is none.
struct CountedLoop {
    std::uint32_t first = 0;  ///< its instructions, Function::body[first, last)
    std::uint32_t last = 0;   ///< the last of them is the branch back to the first
    ptx::RegisterId counter = 0;
    std::int64_t step = 0;
    ptx::Operand bound;                                  ///< the same in every turn
    ptx::Comparison comparison = ptx::Comparison::none;  ///< of another turn: lt, le, gt, ge, ne
    ptx::Type type = ptx::Type::none;                    ///< of the comparison
    ptx::RegisterId again = 0;                           ///< what it sets, for the branch alone
    std::uint32_t global_loads = 0;                      ///< instructions `ld.global` of one turn
};

/// In the order of the function's text.
[[nodiscard]] std::vector<CountedLoop> counted_loops(const ptx::Function& function);

/// Whether it is a load that names global memory.
[[nodiscard]] bool is_global_load(const ptx::Instruction& instruction);

}  // namespace wideload::simt
