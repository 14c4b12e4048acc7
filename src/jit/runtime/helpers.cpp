// SPDX-License-Identifier: Apache-2.0
#include "jit/runtime/helpers.h"

namespace wideload::jit {

std::vector<Helper> all_helpers() {
    std::vector<Helper> all;
    for (const std::span<const Helper> table :
         {memory_helpers(), atomic_helpers(), bulk_copy_helpers(), mbarrier_helpers(),
          synchronization_helpers(), call_helpers(), warp_helpers(), integer_helpers(),
          floating_helpers(), half_helpers(), conversion_helpers()}) {
        all.insert(all.end(), table.begin(), table.end());
    }
    return all;
}

}  // namespace wideload::jit
