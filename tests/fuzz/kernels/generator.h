// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "program.h"

namespace wideload::fuzz {

/// Which statements kernels may have; each stage includes those before it.
enum class Stage : std::uint8_t {
    straight = 1,  ///< arithmetic and memory
    branches = 2,  ///< ifs, loops, early exits, irregular graphs
    warps = 3,     ///< collectives, barriers, atomics, calls
};

/// A kernel that reads nothing undefined, faults nowhere, and whose memory does not depend on the
/// order in which its warps run or its lanes leave loops. The same seed gives the same kernel.
/// @param is_large hundreds of statements, which compile in other ways than few
[[nodiscard]] Kernel generate(std::uint64_t seed, Stage stage, bool is_large = false);

}  // namespace wideload::fuzz
