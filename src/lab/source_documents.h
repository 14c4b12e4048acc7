// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace wideload::lab {

/// A text that experiments are taken from.
struct SourceDocument {
    std::string_view number;  ///< as experiments name it: "003"
    std::string_view title;   ///< as it calls itself; else what it is about
    std::string_view more;    ///< who wrote it, in which language, as far as it says
    std::string_view link;    ///< that it gives of itself; empty: none
};

/// In the order of their numbers.
[[nodiscard]] std::span<const SourceDocument> source_documents();

}  // namespace wideload::lab
