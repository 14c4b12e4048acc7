// SPDX-License-Identifier: Apache-2.0
#include "cli/step_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/standard_streams.h"

namespace wideload::cli {

void show_step(std::string_view step, bool wanted) {
    if (!wanted || ::isatty(STDERR_FILENO) == 0) return;
    write_to_stderr(fmt::format("\r\x1b[K{}\r", step));
}

}  // namespace wideload::cli
