// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::preload {

/// Looks up the C library's own functions, once, at the start: exec is called where a look-up might
/// wait for a lock that nobody holds any more.
void find_next_exec();

}  // namespace wideload::preload
