// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::cli {

/// What `wideload` itself exits with, as env(1) and timeout(1) do; any other code is the program's
/// own.
inline constexpr int kToolFailed = 125;
inline constexpr int kCannotRun = 126;
inline constexpr int kNotFound = 127;

}  // namespace wideload::cli
