// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/profile.h"

namespace wideload::profile::test {

/// A profile with every member set, so that none is lost between writing and reading.
[[nodiscard]] Profile full_profile();

}  // namespace wideload::profile::test
