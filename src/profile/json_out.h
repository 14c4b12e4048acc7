// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "profile/profile.h"

/// Members of a profile as JSON values; docs/profile.schema.json states their form.
namespace wideload::profile {

using Json = nlohmann::ordered_json;

/// Everything but the launches, in two parts: what comes before them, and what comes after.
[[nodiscard]] Json header_to_json(const Profile& profile);
[[nodiscard]] Json footer_to_json(const Profile& profile);

[[nodiscard]] Json to_json(const Launch& launch);

}  // namespace wideload::profile
