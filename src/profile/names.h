// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "profile/profile.h"

/// How a profile spells its enumerations.
namespace wideload::profile {

/// "global_ld"
[[nodiscard]] std::string_view name(SiteKind kind);
[[nodiscard]] std::optional<SiteKind> site_kind(std::string_view name);

/// "absent_lanes"
[[nodiscard]] std::string_view name(MismatchKind kind);
[[nodiscard]] std::optional<MismatchKind> mismatch_kind(std::string_view name);

/// "contiguous"
[[nodiscard]] std::string_view name(Pattern pattern);
[[nodiscard]] std::optional<Pattern> pattern(std::string_view name);

}  // namespace wideload::profile
