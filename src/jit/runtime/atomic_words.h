// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "jit/abi.h"
#include "jit/access.h"

namespace wideload::jit {

/// What the lanes bring and take: element 0 of every lane, then element 1, of the code's type.
struct AtomicOperands {
    const void* operand;
    const void* swap;  ///< null unless the operation compares
    void* old;         ///< null where nobody asks what stood there before
};

/// One request's lanes and where the host finds their words.
struct AtomicLanes {
    std::uint32_t mask;
    unsigned width;  ///< elements a lane
    const std::array<std::byte*, kLanes>& places;
    AtomicOperands operands;
};

/// Each active lane's words change by the code's operation, lanes in order.
/// @param alone no other thread can see the words meanwhile
void apply_atomic(AtomicCode code, const AtomicLanes& lanes, bool alone);

}  // namespace wideload::jit
