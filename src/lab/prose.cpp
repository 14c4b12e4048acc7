// SPDX-License-Identifier: Apache-2.0
#include "lab/prose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "lab/lines.h"
#include "report/markup.h"

namespace wideload::lab {
namespace {

using report::escaped;

struct ProseMark {
    std::string_view sign, element;
};

// A longer sign before the one that it begins with.
constexpr std::array<ProseMark, 3> kProseMarks = {{{"`", "code"}, {"**", "b"}, {"*", "em"}}};

std::string spans(std::string_view text);

/// "**words** and more": the words as an element, taken off the text.
std::optional<std::string> take_marked(std::string_view& text) {
    for (const ProseMark& mark : kProseMarks) {
        if (!text.starts_with(mark.sign)) continue;
        const std::size_t end = text.find(mark.sign, mark.sign.size());
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view inside = text.substr(mark.sign.size(), end - mark.sign.size());
        text.remove_prefix(end + mark.sign.size());
        return fmt::format("<{0}>{1}</{0}>", mark.element,
                           mark.element == "code" ? escaped(inside) : spans(inside));
    }
    return std::nullopt;
}

/// "[words](target) and more"
std::optional<std::string> take_link(std::string_view& text) {
    if (!text.starts_with('[')) return std::nullopt;
    const std::size_t middle = text.find("](");
    const std::size_t end = text.find(')', middle);
    if (middle == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
    std::string words = spans(text.substr(1, middle - 1));
    const std::string_view target = text.substr(middle + 2, end - middle - 2);
    text.remove_prefix(end + 1);
    if (!target.starts_with("https://")) return words;
    return fmt::format("<a href=\"{}\">{}</a>", escaped(target), words);
}

std::string spans(std::string_view text) {
    std::string markup;
    while (!text.empty()) {
        auto taken = take_marked(text);
        if (!taken) taken = take_link(text);
        if (!taken) {
            taken = escaped(text.substr(0, 1));
            text.remove_prefix(1);
        }
        markup += *taken;
    }
    return markup;
}

/// "| a | b |" as cells of a row.
std::string row(std::string_view line, std::string_view element) {
    std::string markup = "<tr>";
    line.remove_prefix(1);
    while (!line.empty()) {
        const std::size_t end = std::min(line.find('|'), line.size());
        std::string_view cell = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        while (cell.starts_with(' ')) cell.remove_prefix(1);
        while (cell.ends_with(' ')) cell.remove_suffix(1);
        markup += fmt::format("<{0}>{1}</{0}>", element, spans(cell));
    }
    return markup + "</tr>\n";
}

/// The first row names the columns, the second only rules them off.
std::string table(std::string_view first, std::string_view& text) {
    std::string markup = "<table class=\"words\">\n" + row(first, "th");
    for (int number = 1; text.starts_with('|'); ++number) {
        const std::string_view line = take_line(text);
        if (number > 1) markup += row(line, "td");
    }
    return markup + "</table>\n";
}

std::string fenced(std::string_view& text) {
    std::string inside;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (line.starts_with("```")) break;
        inside += escaped(line) + "\n";
    }
    return "<pre>" + inside + "</pre>\n";
}

bool begins_block(std::string_view line) {
    return line.empty() || line.starts_with('#') || line.starts_with('|') ||
           line.starts_with("```");
}

std::string paragraph(std::string_view first, std::string_view& text) {
    std::string words(first);
    while (!text.empty() && !begins_block(text.substr(0, text.find('\n')))) {
        words += "\n" + std::string(take_line(text));
    }
    return "<p>" + spans(words) + "</p>\n";
}

std::string heading(std::string_view line) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == std::string_view::npos) return {};
    const std::string_view words = line.substr(line.find_first_not_of("# "));
    return fmt::format("<h{0}>{1}</h{0}>\n", level + 1, spans(words));
}

/// Words with what stands in backticks and what does not, each in its own spelling. A backtick
/// without a partner is no mark.
template <class Plain, class Code>
std::string with_code(std::string_view words, Plain plain, Code code) {
    std::string markup;
    while (!words.empty()) {
        const std::size_t open = std::min(words.find('`'), words.size());
        const std::size_t close = words.find('`', open + 1);
        if (close == std::string_view::npos) break;
        markup += plain(words.substr(0, open)) + code(words.substr(open + 1, close - open - 1));
        words.remove_prefix(close + 1);
    }
    return markup + plain(words);
}

/// Text in which no character means anything to Markdown.
std::string plain_markdown(std::string_view text) {
    constexpr std::string_view kSigns = R"(\`*_[]<>|#)";
    std::string markup;
    for (const char c : text) {
        if (kSigns.find(c) != std::string_view::npos) markup += '\\';
        markup += c;
    }
    return markup;
}

}  // namespace

std::string html_of_words(std::string_view words) {
    return with_code(words, escaped,
                     [](std::string_view code) { return "<code>" + escaped(code) + "</code>"; });
}

std::string markdown_of_words(std::string_view words) {
    return with_code(words, plain_markdown,
                     [](std::string_view code) { return "`" + std::string(code) + "`"; });
}

std::string html_of_markdown(std::string_view text) {
    std::string markup;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (line.empty()) continue;
        if (line.starts_with("```")) {
            markup += fenced(text);
        } else if (line.starts_with('#')) {
            markup += heading(line);
        } else if (line.starts_with('|')) {
            markup += table(line, text);
        } else {
            markup += paragraph(line, text);
        }
    }
    return markup;
}

}  // namespace wideload::lab
