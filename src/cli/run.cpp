// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "cli/child.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/exit_codes.h"
#include "cli/install_layout.h"
#include "cli/machine_code.h"
#include "cli/messages.h"
#include "cli/output_check.h"
#include "cli/profile_files.h"
#include "cli/program_check.h"
#include "cli/progress.h"
#include "cli/rank.h"
#include "cli/show_report.h"
#include "cli/version.h"
#include "cli/workspace.h"
#include "report/words.h"

namespace wideload::cli {
namespace {

int refused(const Refusal& refusal) {
    say(refusal.sentence);
    return refusal.exit_code;
}

Result<ProgramEnd> run_with_progress(const RunCommand& command,
                                     const std::filesystem::path& program,
                                     const InstallLayout& layout, const Workspace& workspace) {
    const auto environment = environment_of_program(command, layout, workspace);
    if (!environment) return environment.errors();
    const Progress progress(workspace.status(), !command.quiet);
    return run_program(program, command.program, *environment);
}

Refusal cannot_start(const std::filesystem::path& program, int error) {
    return {
        error == ENOENT ? kNotFound : kCannotRun,
        fmt::format("cannot run {}: {}", program.string(), std::generic_category().message(error))};
}

void note_end(std::vector<profile::Process>& processes, const ProgramEnd& end) {
    // What it was before exec() did not end.
    const auto last = std::find_if(processes.rbegin(), processes.rend(), [&](const auto& process) {
        return process.pid == static_cast<std::uint64_t>(end.pid);
    });
    if (last == processes.rend()) return;
    if (end.signal != 0) {
        last->signal = end.signal;
    } else {
        last->exit_code = end.exit_code;
    }
}

/// What the program's processes wrote, as one profile that also says how the program ended.
ReadProfiles collect(const RunCommand& command, const ProgramEnd& end, const Workspace& workspace) {
    ReadProfiles read = read_profiles(workspace.profiles());
    if (read.files_read == 0) {
        // A profile all the same, so that a script that asked for one finds it.
        read.profile.producer = kVersion;
        profile::Process& process = read.profile.processes.emplace_back();
        process.pid = static_cast<std::uint64_t>(end.pid);
        process.program = command.program.front();
        process.arguments = command.program;
    }
    note_end(read.profile.processes, end);
    return read;
}

/// What was counted, but never arrived; some of it may have.
Diagnostics lost_counts(const RunCommand& command, const ReadProfiles& read,
                        const Workspace& workspace) {
    const preload::StatusPage& status = workspace.status();
    if (const std::uint32_t lost = status.profiles_lost; lost != 0) {
        return {
            failure(fmt::format("{} could not write {} profile to {}: what was counted there is "
                                "lost",
                                report::counted(lost, "process"), lost == 1 ? "its" : "their",
                                workspace.status_file().parent_path().string()),
                    "set TMPDIR to a folder with more free space, and run again")};
    }
    if (status.processes_using_cuda <= status.profiles_written) return {};
    if (read.files_read != 0) {
        const std::uint32_t missing = status.processes_using_cuda - status.profiles_written;
        return {
            failure(fmt::format("{} that used CUDA had not ended, or {} killed: what was "
                                "counted there is not in the report",
                                report::counted(missing, "process"), missing == 1 ? "was" : "were"),
                    "let the program wait for its children")};
    }
    return {failure(fmt::format("{} used CUDA, but ended before it could write its profile",
                                command.program.front()),
                    "let it end by exit() or a signal other than SIGKILL")};
}

/// Why there is nothing to report where nothing was lost.
std::string nothing_counted(const RunCommand& command, const Workspace& workspace) {
    const preload::StatusPage& status = workspace.status();
    if (status.processes_preloaded == 0) {
        return fmt::format(
            "{} could not be entered: no process of it loads shared libraries through LD_PRELOAD "
            "(set-user-ID programs and "
            "statically linked ones do not)",
            command.program.front());
    }
    return fmt::format("{} made no CUDA call: there is nothing to report", command.program.front());
}

/// Where anybody will see it.
void join_machine_code(const RunCommand& command, ReadProfiles& read) {
    if (read.files_read == 0 || (command.quiet && command.json.empty())) return;
    const std::string hint = add_machine_code(read.profile);
    if (!hint.empty() && !command.quiet) say(hint);
}

/// @returns whether all that was asked for was written
bool deliver(const RunCommand& command, const ProgramEnd& end, const Workspace& workspace) {
    ReadProfiles read = collect(command, end, workspace);
    join_machine_code(command, read);
    const std::optional<unsigned> rank = rank_of_this_process();
    Diagnostics problems = read.problems;
    const auto add = [&](const Diagnostics& more) {
        problems.insert(problems.end(), more.begin(), more.end());
    };

    if (!command.json.empty()) add(save_profile(read.profile, path_of_rank(command.json, rank)));
    add(lost_counts(command, read, workspace));
    if (read.files_read == 0) {
        if (!command.quiet && problems.empty()) say(nothing_counted(command, workspace));
    } else if (!command.report.empty()) {
        add(write_report(read.profile, command.look, path_of_rank(command.report, rank).string()));
    } else if (!command.quiet) {
        add(show_report(read.profile, command.look, STDERR_FILENO));
    }
    say(problems);
    return problems.empty();
}

/// What would be in the way of delivering.
Diagnostics check_outputs(const RunCommand& command) {
    const std::optional<unsigned> rank = rank_of_this_process();
    Diagnostics problems;
    for (const std::string& file : {command.json, command.report}) {
        if (!file.empty()) append(problems, check_output(path_of_rank(file, rank)));
    }
    return problems;
}

}  // namespace

int execute(const RunCommand& command) {
    const auto found = find_program(command.program.front());
    if (const auto* refusal = std::get_if<Refusal>(&found)) return refused(*refusal);
    const auto& program = std::get<std::filesystem::path>(found);
    if (const Refusal refusal = check_program(program); !refusal.sentence.empty())
        return refused(refusal);

    if (const Diagnostics problems = check_outputs(command); !problems.empty())
        return tool_failed(problems);

    const Result<InstallLayout> layout = find_install_layout();
    if (!layout) return tool_failed(layout.errors());
    ProgramEnd end;
    bool delivered = false;
    {
        const Result<Workspace> workspace = Workspace::create();
        if (!workspace) return tool_failed(workspace.errors());
        Result<ProgramEnd> ended = run_with_progress(command, program, *layout, *workspace);
        if (!ended) return tool_failed(ended.errors());
        if (ended->start_error != 0) return refused(cannot_start(program, ended->start_error));
        end = std::move(*ended);
        for (const std::string& sentence : workspace->messages()) say(sentence);
        delivered = !command.is_profiled() || deliver(command, end, *workspace);
    }
    // What the program says of itself comes first; a report that could not be written fails a run
    // that went well.
    if (end.signal != 0) return end_by_signal(end.signal);
    if (end.exit_code == 0 && !delivered) return kToolFailed;
    return end.exit_code;
}

}  // namespace wideload::cli
