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

/// Writes a profile whole or not at all; straight into what is no file (a pipe, /dev/stdout);
/// to stdout where `file` is "-".
/// @returns what went wrong, if anything
[[nodiscard]] Diagnostics save_profile(const profile::Profile& profile,
                                       const std::filesystem::path& file);

}  // namespace wideload::cli
