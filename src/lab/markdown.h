// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/page.h"

namespace wideload::lab {

struct PageFile {
    std::string name;  ///< relative to the folder of the pages
    std::string text;
};

/// The lab as Markdown: index.md, a page for each experiment, and their charts and pictures as SVG
/// files in figures/. Of an experiment that `beside` has too, the page quotes those results, and
/// has the pictures of the run.
[[nodiscard]] std::vector<PageFile> markdown_pages(const PageInput& input);

}  // namespace wideload::lab
