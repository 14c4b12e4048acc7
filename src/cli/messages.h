// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "support/diagnostic.h"

/// What wideload says of itself goes to stderr, with its name before it.
namespace wideload::cli {

void say(std::string_view sentence);
void say(const Diagnostic& diagnostic);
void say(const Diagnostics& diagnostics);

/// Says them; returns the exit code kToolFailed.
int tool_failed(const Diagnostics& problems);

}  // namespace wideload::cli
