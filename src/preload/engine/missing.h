// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace wideload::preload {

/// Why a runtime function of runtime_api.def's MISSING is not there, and what to use instead, as
/// half a sentence: "the virtual GPU has no texture units ...".
[[nodiscard]] std::string_view why_missing(std::string_view function);

}  // namespace wideload::preload
