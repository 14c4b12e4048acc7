// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "jit/abi.h"
#include "jit/access.h"

namespace wideload::jit {

/// Combines each active lane's word at `places` with its element of `operands`, 32 elements of the
/// code's type; lanes in order. What stood there before is dropped.
/// @param alone no other thread can see the words meanwhile
void combine_words(AtomicCode code, std::uint32_t mask,
                   const std::array<std::byte*, kLanes>& places, const void* operands, bool alone);

}  // namespace wideload::jit
