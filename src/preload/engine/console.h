// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "support/diagnostic.h"

namespace wideload::preload {

/// Says on stderr what happened to the program: "wideload: " and the text, in one write.
void say(std::string_view text);
void say(const Diagnostic& diagnostic);
void say(const Diagnostics& diagnostics);

}  // namespace wideload::preload
