// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::preload {

/// What a program that the tool cannot run ends with, as `wideload run` does itself.
inline constexpr int kExitCannotRun = 126;

/// Tells the user one sentence about the tool itself: the parts joined, in one write, to the file
/// that `wideload run` named or else to stderr. Safe at any time, also before the C library is
/// initialised.
void tell_parts(const char* const* parts, unsigned count);

template <class... Parts>
void tell(Parts... parts) {
    const char* const list[] = {parts...};
    tell_parts(list, sizeof...(parts));
}

}  // namespace wideload::preload
