// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <fmt/format.h>

#include "cli/exit_codes.h"
#include "cli/standard_streams.h"

namespace wideload::cli {

void say(std::string_view sentence) { write_to_stderr(fmt::format("wideload: {}\n", sentence)); }

void say(const Diagnostic& diagnostic) {
    write_to_stderr(fmt::format("wideload: {}", format(diagnostic)));
}

void say(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) say(diagnostic);
}

int tool_failed(const Diagnostics& problems) {
    say(problems);
    return kToolFailed;
}

}  // namespace wideload::cli
