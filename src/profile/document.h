// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/result.h"

namespace wideload::profile {

/// JSON that anyone may have written; a mistake is told with its line and column.
/// @param source  for the errors
/// @param keep    is asked of every value that was read whether the document keeps it
[[nodiscard]] Result<nlohmann::json> parse_document(
    std::string_view text, const std::string& source,
    const nlohmann::json::parser_callback_t& keep = nullptr);

/// A whole file as text.
[[nodiscard]] Result<std::string> read_text(const std::string& file);

}  // namespace wideload::profile
