// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.h"

namespace wideload::cli {

/// Whether what goes to a stream of this process has colour: where that is automatic, on a terminal
/// that can show it (TERM is not "dumb"), unless NO_COLOR has a value (https://no-color.org; an
/// empty one counts for nothing).
[[nodiscard]] bool wants_colour(Colour colour, int descriptor);

}  // namespace wideload::cli
