// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace wideload::cli {

/// Keeps the numbers of standard streams that are closed from going to the next files that are
/// opened: what is written to such a stream still fails, and a program that is started finds it
/// closed.
void hold_closed_streams();

/// Says something on stderr. One that cannot be written to stops nothing: nobody is left to tell.
void write_to_stderr(std::string_view text);

/// Puts out what stdout still holds.
/// @returns `exit_code`, or kToolFailed where that was 0 and not all of stdout could be written
[[nodiscard]] int finish_stdout(int exit_code);

}  // namespace wideload::cli
