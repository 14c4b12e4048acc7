// SPDX-License-Identifier: Apache-2.0
#include "jit/emitter.h"
#include "jit/lower.h"

namespace wideload::jit {

/// createpolicy. Policies guide caches, which are not modelled: any value will do.
void lower_cache_policy(Emitter& e, const ptx::Instruction& instruction) {
    e.define(instruction.operands[0], e.ir().getInt64(0), ptx::Type::b64);
}

}  // namespace wideload::jit
