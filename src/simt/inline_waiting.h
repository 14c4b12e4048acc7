// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ptx/module.h"

namespace wideload::simt {

/// A function that would grow beyond this is left with the calls that it then has.
inline constexpr std::size_t kMostInlinedInstructions = 8192;

/// Puts functions that have a spinning loop in place of their calls. A called function comes back
/// with all its lanes at once, and lanes that wait in such a loop may wait for lanes of their own
/// warp that have left it; in the caller's own code these go on. So that they can meet there, too,
/// functions of a warp's or block's meetings follow into functions with such a loop; so do those
/// that sleep, by which a loop is known to wait. Of a call through a pointer, the functions that it
/// may reach are compared with the pointer first.
///
/// Stay calls: of functions that call themselves, and those that grow their caller too much.
void inline_waiting_calls(ptx::Module& module);

}  // namespace wideload::simt
