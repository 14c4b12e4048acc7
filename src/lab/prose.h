// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wideload::lab {

/// The chapter of the course that is text: its title, and the experiment behind which it stands,
/// about what was measured there.
inline constexpr std::string_view kTextChapter = "Registers, frequency and power";
inline constexpr std::string_view kTextFollows = "occupancy";

/// A page of the documentation as HTML, so that the lab's page can have it as a chapter: the part
/// of Markdown that such pages use. Headings (one level lower, as the chapter stands in a page),
/// paragraphs, tables, fenced blocks, `code`, **bold**, *emphasis*, and links, of which only
/// addresses of the web lead anywhere from a page that stands alone.
[[nodiscard]] std::string html_of_markdown(std::string_view markdown);

/// An experiment's own words, of which only `code` in backticks means anything, as HTML.
[[nodiscard]] std::string html_of_words(std::string_view words);

/// The same as Markdown, in which no other character means anything.
[[nodiscard]] std::string markdown_of_words(std::string_view words);

}  // namespace wideload::lab
