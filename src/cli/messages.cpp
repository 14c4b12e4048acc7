// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <fmt/format.h>

#include <cstdio>

namespace wideload::cli {

void say(std::string_view sentence) { fmt::print(stderr, "wideload: {}\n", sentence); }

void say(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics)
        fmt::print(stderr, "wideload: {}", format(diagnostic));
}

}  // namespace wideload::cli
