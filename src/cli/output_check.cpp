// SPDX-License-Identifier: Apache-2.0
#include "cli/output_check.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "support/result.h"

namespace wideload::cli {
namespace {

Diagnostics refused(const std::filesystem::path& file, int error) {
    return {failure("cannot write " + file.string() + ": " + std::generic_category().message(error),
                    "name a file in a directory that can be written to")};
}

}  // namespace

Diagnostics check_output(const std::filesystem::path& file) {
    if (file == "-") return {};
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) return refused(file, EISDIR);
    if (std::filesystem::exists(file, ignored)) {
        return ::access(file.c_str(), W_OK) == 0 ? Diagnostics{} : refused(file, errno);
    }
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    return ::access(folder.c_str(), W_OK | X_OK) == 0 ? Diagnostics{} : refused(file, errno);
}

}  // namespace wideload::cli
