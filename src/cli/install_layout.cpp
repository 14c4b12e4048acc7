// SPDX-License-Identifier: Apache-2.0
#include "cli/install_layout.h"

namespace wideload::cli {

Result<InstallLayout> find_install_layout() {
    std::error_code error;
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        return failure("cannot tell where wideload lies: /proc/self/exe: " + error.message());
    const std::filesystem::path folder =
        executable.parent_path().parent_path() / "lib" / "wideload";
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
