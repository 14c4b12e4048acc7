// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_files.h"

#include <cerrno>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>

#include "cli/merge.h"
#include "profile/json.h"
#include "profile/launch_log.h"

namespace wideload::cli {
namespace {

/// Of a stream that has just failed.
Diagnostics cannot_write(const std::string& where) {
    const int reason = errno != 0 ? errno : EIO;
    return {failure("cannot write the profile " + where + ": " +
                    std::generic_category().message(reason))};
}

}  // namespace

ReadProfiles read_profiles(std::span<const std::filesystem::path> files) {
    ReadProfiles result;
    for (const std::filesystem::path& file : files) {
        Result<profile::Profile> read = profile::load(file);
        if (!read) {
            result.problems.insert(result.problems.end(), read.errors().begin(),
                                   read.errors().end());
            continue;
        }
        merge(result.profile, std::move(*read));
        ++result.files_read;
    }
    if (result.files_read > 1) profile::merge_equal_launches(result.profile);
    return result;
}

Diagnostics save_profile(const profile::Profile& profile, const std::filesystem::path& file) {
    if (file == "-") {
        errno = 0;
        profile::write(std::cout, profile);
        return std::cout.flush() ? Diagnostics{} : cannot_write("stdout");
    }
    std::error_code error;
    if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
        std::ofstream out(file);
        errno = 0;
        profile::write(out, profile);
        return out.flush() ? Diagnostics{} : cannot_write(file.string());
    }
    const Result<profile::Written> written = profile::save(file, profile);
    return written ? Diagnostics{} : written.errors();
}

}  // namespace wideload::cli
