// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/fold.h"
#include "report/layout.h"
#include "report/source_text.h"

namespace wideload::report {

/// How a report is laid out; the same for every part of it.
struct Layout {
    Style style{false};
    std::size_t columns = 100;
    bool all_sites = false;  ///< also those beyond the first few that cost nothing
};

/// The sites of one class of a kernel: a heading, then each source line with what its accesses cost
/// and what to change. Empty where there is nothing to show.
[[nodiscard]] std::string site_lines(const FoldedKernel& kernel, SiteClass site_class,
                                     const Layout& layout, SourceText& sources);

/// `file:line`, or the PTX line where the program was built without -lineinfo.
/// @param place null there
[[nodiscard]] std::string place_words(const profile::Frame* place, std::uint32_t ptx_line,
                                      const SourceText& sources);
[[nodiscard]] std::string place_words(const FoldedSite& site, const SourceText& sources);

/// A line that says where, with the text that stands there, and below it where that was inlined.
/// @param words of the place
[[nodiscard]] std::string place_lines(const std::string& words, const std::string& text,
                                      std::span<const profile::Frame> frames, const Layout& layout,
                                      const SourceText& sources);

/// "fix: " and what to change, below what is to be changed.
[[nodiscard]] std::string fix_lines(std::string_view text, const Layout& layout);

}  // namespace wideload::report
