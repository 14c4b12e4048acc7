// SPDX-License-Identifier: Apache-2.0
#include "cli/step_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace wideload::cli {

void show_step(std::string_view step, bool wanted) {
    if (!wanted || ::isatty(STDERR_FILENO) == 0) return;
    fmt::print(stderr, "\r\x1b[K{}\r", step);
    std::fflush(stderr);
}

}  // namespace wideload::cli
