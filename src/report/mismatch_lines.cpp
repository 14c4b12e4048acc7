// SPDX-License-Identifier: Apache-2.0
#include "report/mismatch_lines.h"

#include <fmt/format.h>

#include "profile/mismatch.h"
#include "profile/place.h"

namespace wideload::report {
namespace {

std::string place_of(const profile::Mismatch& mismatch, const Layout& layout, SourceText& sources) {
    const profile::Frame* place = profile::own_frame(*mismatch.frames);
    return place_lines(place_words(place, mismatch.ptx_line, sources),
                       place == nullptr ? std::string{} : sources.line(place->where),
                       *mismatch.frames, layout, sources);
}

}  // namespace

std::string mismatch_lines(const FoldedKernel& kernel, const Layout& layout, SourceText& sources) {
    std::string lines;
    for (const profile::Mismatch& mismatch : kernel.mismatches) {
        lines += place_of(mismatch, layout, sources);
        lines += wrapped(profile::describe(mismatch), "    ", layout.columns);
        lines += fix_lines(profile::fix(mismatch), layout);
    }
    if (lines.empty()) return {};
    return layout.style.bad(
               fmt::format("{}Collectives of a warp that are undefined on a GPU:", kIndent)) +
           '\n' + lines + '\n';
}

}  // namespace wideload::report
