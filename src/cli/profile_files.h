// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "profile/profile.h"
#include "support/result.h"

namespace wideload::cli {

/// The profiles of several files as one, in the order given, and what was wrong with files that
/// could not be read.
struct ReadProfiles {
    profile::Profile profile;
    Diagnostics problems;
    std::size_t files_read = 0;
};
[[nodiscard]] ReadProfiles read_profiles(std::span<const std::filesystem::path> files);

}  // namespace wideload::cli
