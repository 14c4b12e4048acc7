// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wideload::report {

/// Text as it stands in HTML, SVG and their attributes' quotes.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace wideload::report
