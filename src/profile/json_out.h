// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "profile/place_table.h"
#include "profile/profile.h"

/// Members of a profile as JSON values; docs/profile.schema.json states their form.
namespace wideload::profile {

using Json = nlohmann::ordered_json;

/// Everything but the launches and their places, in two parts: what comes before them, and what
/// comes after.
[[nodiscard]] Json header_to_json(const Profile& profile);
[[nodiscard]] Json footer_to_json(const Profile& profile);

/// What sites name by its index.
[[nodiscard]] Json place_to_json(const std::vector<Frame>& frames);

/// @param places  of this launch's sites, and others'
[[nodiscard]] Json to_json(const Launch& launch, const PlaceTable& places);

}  // namespace wideload::profile
