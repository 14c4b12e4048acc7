// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options.h"
#include "profile/profile.h"
#include "report/terminal.h"
#include "support/diagnostic.h"

namespace wideload::cli {

/// How a report looks on a stream of this process.
/// @param descriptor decides on colour where that is automatic
[[nodiscard]] report::TerminalOptions terminal_options(const ReportOptions& look, int descriptor);

/// Prints the terminal report to a stream of this process.
/// @param descriptor STDOUT_FILENO or STDERR_FILENO; decides on colour where that is automatic
/// @returns what went wrong, if anything
[[nodiscard]] Diagnostics show_report(const profile::Profile& profile, const ReportOptions& look,
                                      int descriptor);

/// Writes it to a file, without colour unless that is asked for; to stdout where `file` is "-".
[[nodiscard]] Diagnostics write_report(const profile::Profile& profile, const ReportOptions& look,
                                       const std::string& file);

}  // namespace wideload::cli
