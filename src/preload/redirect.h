// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wideload::preload {

/// Bytes that `redirect` overwrites at a function's entry.
inline constexpr unsigned kJumpBytes = 14;

/// Writes a jump to `target` over the entry of the function at `address`, which must be code of at
/// least kJumpBytes, or at a multiple of 16, whose padding then makes room. The page's protection
/// is as before afterwards. False where it cannot be written.
bool redirect(std::uintptr_t address, const void* target);

}  // namespace wideload::preload
