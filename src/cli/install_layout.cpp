// SPDX-License-Identifier: Apache-2.0
#include "cli/install_layout.h"

namespace wideload::cli {
namespace {

/// The folder that holds bin/ with this executable.
Result<std::filesystem::path> find_prefix() {
    std::error_code error;
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        return failure("cannot tell where wideload lies: /proc/self/exe: " + error.message());
    return executable.parent_path().parent_path();
}

}  // namespace

Result<std::filesystem::path> lab_folder() {
    const Result<std::filesystem::path> prefix = find_prefix();
    if (!prefix) return prefix.errors();
    return *prefix / "libexec" / "wideload" / "lab";
}

Result<std::filesystem::path> vega_folder() {
    const Result<std::filesystem::path> prefix = find_prefix();
    if (!prefix) return prefix.errors();
    return *prefix / "share" / "wideload" / "vega";
}

Result<InstallLayout> find_install_layout() {
    const Result<std::filesystem::path> prefix = find_prefix();
    if (!prefix) return prefix.errors();
    std::error_code error;
    const std::filesystem::path folder = *prefix / "lib" / "wideload";
    InstallLayout layout{folder / "libwideload-preload.so", folder / "libwideload-engine.so"};
    for (const std::filesystem::path& library : {layout.preload, layout.engine}) {
        if (!std::filesystem::exists(library, error)) {
            return failure("cannot find " + library.string(),
                           "bin/ and lib/wideload/ are moved together; install wideload again");
        }
    }
    return layout;
}

}  // namespace wideload::cli
