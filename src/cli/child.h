// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/held_signals.h"
#include "support/result.h"

namespace wideload::cli {

/// How a program ended.
struct ProgramEnd {
    pid_t pid = 0;
    int exit_code = 0;
    int signal = 0;       ///< that ended it; 0: it exited
    int start_error = 0;  ///< errno where it could not be started at all
    /// Signals that came since, for as long as what it left is put in order.
    HeldSignals held;
};

/// Runs a program with this process's stdin, stdout, stderr and folder, and waits for its end.
/// Signals sent to this process are passed on to the program, which decides; those of the terminal
/// reach it by themselves. Where this process is killed, the program gets SIGTERM.
/// @param words argv, the name as the user gave it first
[[nodiscard]] Result<ProgramEnd> run_program(const std::filesystem::path& file,
                                             const std::vector<std::string>& words,
                                             const std::vector<std::string>& environment);

/// Ends this process by the same signal, so that a shell sees what it would have seen without us;
/// where the signal does not end it, returns 128 + signal, the shell's way to say so.
[[nodiscard]] int end_by_signal(int signal);

}  // namespace wideload::cli
