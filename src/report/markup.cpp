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

std::string paragraphs(std::string_view text) {
    std::string markup;
    while (!text.empty()) {
        const std::size_t end = text.find("\n\n");
        markup += "<p>" + escaped(text.substr(0, end)) + "</p>\n";
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 2);
    }
    return markup;
}

}  // namespace wideload::report
