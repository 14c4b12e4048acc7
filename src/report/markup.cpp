// SPDX-License-Identifier: Apache-2.0
#include "report/markup.h"

namespace wideload::report {

std::string escaped(std::string_view text) {
    std::string markup;
    for (const char c : text) {
        switch (c) {
            case '&':
                markup += "&amp;";
                break;
            case '<':
                markup += "&lt;";
                break;
            case '>':
                markup += "&gt;";
                break;
            case '"':
                markup += "&quot;";
                break;
            default:
                markup += c;
        }
    }
    return markup;
}

}  // namespace wideload::report
