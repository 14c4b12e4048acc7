// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/types.h"

namespace wideload::ptx {

/// The binary64 pattern of a binary32 pattern. A NaN keeps its payload and stays signalling where
/// it was.
[[nodiscard]] std::uint64_t widen_to_binary64(std::uint32_t binary32);

/// The pattern of `type` (f16, bf16, f32, f64) nearest to a binary64 pattern, ties to even; undoes
/// widen_to_binary64, NaN payloads included. `type` of another kind: the pattern as it is.
[[nodiscard]] std::uint64_t narrow_from_binary64(std::uint64_t binary64, Type type);

}  // namespace wideload::ptx
