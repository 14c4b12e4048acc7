// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/record.h"

namespace wideload::lab {

struct PageInput {
    std::vector<Outcome> outcomes;  ///< in the order of the course
    std::vector<Outcome> beside;    ///< a kept record's, shown where an experiment is in both
    /// Vega and Vega-Lite as JavaScript; empty: the page has tables where charts would be.
    std::string vega, vega_lite;
};

/// The lab as one HTML file that needs nothing else: a course of chapters, each with its question,
/// pictures, charts, tables and computed sentences.
[[nodiscard]] std::string html_page(const PageInput& input);

}  // namespace wideload::lab
