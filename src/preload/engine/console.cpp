// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/console.h"

#include <unistd.h>

#include <string>

namespace wideload::preload {

void say(std::string_view text) {
    std::string line = "wideload: " + std::string(text);
    if (line.back() != '\n') line += '\n';
    // The program's own stream may be buffered or closed: its buffers are not ours to use.
    if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

void say(const Diagnostic& diagnostic) { say(format(diagnostic)); }

void say(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) say(diagnostic);
}

}  // namespace wideload::preload
