// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/code_report.h"

namespace wideload::report {

inline constexpr std::string_view kInspectSchema = "wideload-inspect/1";

/// An inspection as JSON, ended by a newline: docs/inspect.schema.json states its form. What is not
/// known is absent, never 0.
[[nodiscard]] std::string code_json(const Inspection& inspection);

}  // namespace wideload::report
