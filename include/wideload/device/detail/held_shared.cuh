// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// A block's shared memory, by an address that stays in a register: compilers would rather find it
/// anew in every loop, from a special register that takes its time.
WIDELOAD_DEVICE char* held_shared(uint4* shared) {
    auto address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm("" : "+r"(address));
    return static_cast<char*>(__cvta_shared_to_generic(address));
}

}  // namespace wideload::WIDELOAD_DETAIL
