// SPDX-License-Identifier: Apache-2.0
#include "jit/runtime/lane_moves.h"

#include "jit/runtime/lane_moves_portable.h"

namespace wideload::jit {

#if defined(__x86_64__)
extern const LaneMoves kWideMoves;
#endif

const LaneMoves& lane_moves() {
#if defined(__x86_64__)
    static const LaneMoves& chosen =
        __builtin_cpu_supports("x86-64-v4") != 0 ? kWideMoves : kPortableMoves;
    return chosen;
#else
    return kPortableMoves;
#endif
}

}  // namespace wideload::jit
