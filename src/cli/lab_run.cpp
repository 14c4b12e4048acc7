// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "arch/device.h"
#include "cli/child.h"
#include "cli/environment.h"
#include "cli/install_layout.h"
#include "cli/lab_machine_code.h"
#include "cli/lab_results.h"
#include "cli/messages.h"
#include "cli/profile_files.h"
#include "cli/progress.h"
#include "cli/workspace.h"
#include "lab/bounds.h"
#include "lab/join.h"

namespace wideload::cli {
namespace {

/// The program's results, or why it wrote none. One that found a result of its own wrong writes
/// them and exits with 1.
Result<lab::Outcome> outcome_of(const lab::Program& program, const ProgramEnd& end,
                                const Workspace& workspace) {
    if (end.start_error != 0) {
        return failure_in(program.file.string(),
                          "cannot be started: " + std::generic_category().message(end.start_error));
    }
    return read_outcome(program, workspace,
                        end.signal != 0 ? fmt::format("signal {}", end.signal)
                                        : fmt::format("exit code {}", end.exit_code));
}

}  // namespace

const arch::Device& virtual_gpu(const LabCommand& command) {
    return command.gpu.empty() ? arch::default_device() : *arch::find_device(command.gpu);
}

Result<lab::Outcome> run_on_virtual_gpu(const lab::Program& program, const LabCommand& command) {
    const Result<InstallLayout> layout = find_install_layout();
    if (!layout) return layout.errors();
    const Result<Workspace> workspace = Workspace::create();
    if (!workspace) return workspace.errors();
    RunCommand run;
    run.gpu = command.gpu;
    run.roofline = true;
    run.program = {program.file.string(), "--results", results_file(*workspace).string()};
    const auto environment = environment_of_program(run, *layout, *workspace);
    if (!environment) return environment.errors();
    const auto run_it = [&] {
        const Progress progress(workspace->status(), !command.quiet);
        return run_program(program.file, run.program, *environment);
    };
    const Result<ProgramEnd> end = run_it();
    if (!end) return end.errors();
    for (const std::string& message : workspace->messages()) say(message);

    Result<lab::Outcome> outcome = outcome_of(program, *end, *workspace);
    if (!outcome) return outcome;
    outcome->results.machine.is_virtual = true;
    outcome->results.machine.driver_build.clear();  // this machine's, where it has one
    const ReadProfiles profiles = read_profiles(workspace->profiles());
    if (!profiles.problems.empty()) return profiles.problems;
    const Diagnostics problems = lab::join(outcome->results, profiles.profile);
    if (!problems.empty()) return problems;
    const arch::Device& device = virtual_gpu(command);
    add_machine_code(outcome->results, program.file, device);
    lab::add_bounds(outcome->results, device);
    return outcome;
}

}  // namespace wideload::cli
