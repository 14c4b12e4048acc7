// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_files.h"

#include <iterator>
#include <utility>

#include "cli/merge.h"
#include "profile/json.h"

namespace wideload::cli {

ReadProfiles read_profiles(std::span<const std::filesystem::path> files) {
    ReadProfiles result;
    for (const std::filesystem::path& file : files) {
        Result<profile::Profile> read = profile::read_file(file);
        if (!read) {
            result.problems.insert(result.problems.end(), read.errors().begin(),
                                   read.errors().end());
            continue;
        }
        merge(result.profile, std::move(*read));
        ++result.files_read;
    }
    return result;
}

}  // namespace wideload::cli
