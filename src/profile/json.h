// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "profile/profile.h"
#include "support/result.h"

/// Profiles as JSON, schema "wideload-profile/2".
namespace wideload::profile {

class LaunchLog;

/// Writes a profile, a launch at a time. A write that fails is seen in the stream's state.
void write(std::ostream& out, const Profile& profile);
/// The launches are the log's; profile.launches is not looked at.
void write(std::ostream& out, const Profile& profile, const LaunchLog& log);

/// A file that was written whole.
struct Written {
    std::uint64_t bytes = 0;
};

/// Writes a file as a whole or not at all: into a temporary file beside it, which is renamed once
/// it is on disk. Where the disk is full an older file under that name stays as it was, and nothing
/// is left beside it.
[[nodiscard]] Result<Written> save(const std::string& path, const Profile& profile);
[[nodiscard]] Result<Written> save(const std::string& path, const Profile& profile,
                                   const LaunchLog& log);

/// Reads a profile that anyone may have written. Each error names its place: line and column where
/// the text is not JSON, else the member, as in "launches/3/sites/0/kind".
/// @param file_name  for the errors
[[nodiscard]] Result<Profile> parse(std::string_view text, const std::string& file_name);
[[nodiscard]] Result<Profile> load(const std::string& path);

}  // namespace wideload::profile
