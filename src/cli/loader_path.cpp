// SPDX-License-Identifier: Apache-2.0
#include "cli/loader_path.h"

#include <string>
#include <string_view>
#include <system_error>

namespace wideload::cli {
namespace {

namespace fs = std::filesystem;

/// ld.so(8): LD_PRELOAD is split at spaces and colons, LD_LIBRARY_PATH at colons and semicolons.
constexpr std::string_view kSeparators = " :;";

bool has_separator(const fs::path& path) {
    return path.native().find_first_of(kSeparators) != std::string::npos;
}

}  // namespace

Result<fs::path> path_for_loader(const fs::path& folder, const fs::path& link) {
    if (!has_separator(folder)) return folder;
    if (has_separator(link)) {
        return failure("cannot preload from " + folder.string() +
                           ": the dynamic loader splits paths at spaces, ':' and ';', and the "
                           "temporary folder's has some, too",
                       "set TMPDIR to a folder whose path has none of them");
    }
    std::error_code error;
    fs::create_directory_symlink(folder, link, error);
    if (error) {
        return failure("cannot make a link " + link.string() + ": " + error.message(),
                       "set TMPDIR to a folder that can hold symbolic links");
    }
    return link;
}

}  // namespace wideload::cli
