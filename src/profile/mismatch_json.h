// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/json_out.h"
#include "profile/json_reader.h"
#include "profile/place_table.h"
#include "profile/profile.h"

/// A launch's mismatches as JSON values, and back; docs/profile.schema.json states their form.
namespace wideload::profile {

/// @param places  of this launch, and others
[[nodiscard]] Json to_json(const Mismatch& mismatch, const PlaceTable& places);

/// All but the place, which names one of the document's.
void read_members(const JsonReader& json, Mismatch& mismatch);

}  // namespace wideload::profile
