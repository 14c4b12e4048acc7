// SPDX-License-Identifier: Apache-2.0
#include "cli/colour.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace wideload::cli {
namespace {

bool is_colour_refused() {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return (no_color != nullptr && *no_color != '\0') ||
           (terminal != nullptr && std::string_view(terminal) == "dumb");
}

}  // namespace

bool wants_colour(Colour colour, int descriptor) {
    switch (colour) {
        case Colour::always:
            return true;
        case Colour::never:
            return false;
        case Colour::automatic:
            return ::isatty(descriptor) != 0 && !is_colour_refused();
    }
    return false;
}

}  // namespace wideload::cli
