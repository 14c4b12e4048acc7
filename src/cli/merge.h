// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/profile.h"

namespace wideload::cli {

/// Adds the processes of another profile to this one: their launches stay in their order behind
/// those that are there, equal devices are one. An empty `into` takes over what holds for the whole
/// run.
void merge(profile::Profile& into, profile::Profile other);

}  // namespace wideload::cli
