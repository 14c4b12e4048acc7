// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/messages.h"
#include "cli/profile_files.h"
#include "cli/show_report.h"

namespace wideload::cli {

int execute(const ReportCommand& command) {
    const std::vector<std::filesystem::path> files(command.files.begin(), command.files.end());
    const ReadProfiles read = read_profiles(files);
    say(read.problems);
    if (read.files_read == 0) return kToolFailed;
    const Diagnostics problems = show_report(read.profile, command.look, STDOUT_FILENO);
    say(problems);
    return read.problems.empty() && problems.empty() ? 0 : kToolFailed;
}

}  // namespace wideload::cli
