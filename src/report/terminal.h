// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "profile/profile.h"

namespace wideload::report {

struct TerminalOptions {
    bool colour = false;
    std::size_t columns = 100;
    bool all_sites = false;               ///< list every site, also those that cost nothing
    std::filesystem::path source_folder;  ///< where relative source paths start and shown paths end
};

/// The report that a reader sees: a summary, then each kernel with what its accesses cost, the most
/// costly first. Every line but the program's own fits in `columns`; the text ends with a newline.
[[nodiscard]] std::string terminal_report(const profile::Profile& profile,
                                          const TerminalOptions& options);

}  // namespace wideload::report
