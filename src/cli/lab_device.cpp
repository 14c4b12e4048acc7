// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "arch/device.h"
#include "cli/child.h"
#include "cli/lab_machine_code.h"
#include "cli/lab_results.h"
#include "cli/messages.h"
#include "cli/step_line.h"
#include "cli/workspace.h"
#include "lab/bounds.h"
#include "lab/dram_traffic.h"
#include "lab/hardware_counters.h"
#include "lab/join.h"
#include "profile/document.h"
#include "sass/tool.h"
#include "support/tool_process.h"

namespace wideload::cli {
namespace {

namespace fs = std::filesystem;

// As lab/harness/require.cuh has it.
constexpr int kExitNoGpu = 3;

std::vector<std::string> own_environment() {
    std::vector<std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
    return variables;
}

/// What machine code means for GPUs that the table has not is not known.
void add_device_facts(lab::Results& results, const fs::path& program) {
    const arch::Device* device = arch::device_named(results.machine.gpu);
    if (device == nullptr) return;
    add_machine_code(results, program, *device);
    lab::add_bounds(results, *device);
}

std::string end_words(const ProgramEnd& end) {
    return end.signal != 0 ? fmt::format("signal {}", end.signal)
                           : fmt::format("exit code {}", end.exit_code);
}

constexpr const char* kStatedBytes =
    "the roofline goes by the bytes that programs state, not by those that DRAM moved";

void say_not_permitted() {
    say("the hardware's counters are left out: this user may not read them (ERR_NVGPUCTRPERM); run "
        "as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0");
}

}  // namespace

DeviceLab::DeviceLab(const LabCommand& command)
    : wants_times_(command.only != "counters"),
      wants_counters_(command.only != "times"),
      shows_steps_(!command.quiet) {
    if (!wants_counters_) return;
    if (const auto found = sass::find_tool("ncu")) {
        ncu_ = *found;
    } else {
        why_no_ncu_ = found.errors();
        // Else a GPU has to answer first: without one there is nothing to leave out.
        if (!wants_times_) say_no_ncu();
    }
}

void DeviceLab::say_no_ncu() {
    if (why_no_ncu_.empty()) return;
    show_step("", shows_steps_);
    say("the hardware's counters are left out:");
    say(why_no_ncu_);
    if (wants_times_) say(kStatedBytes);
    why_no_ncu_.clear();
}

Result<std::vector<lab::Outcome>> DeviceLab::run(const lab::Program& program,
                                                 const std::string& step) {
    std::vector<lab::Outcome> outcomes;
    if (wants_times_) {
        show_step(step + ": timing", shows_steps_);
        Result<lab::Outcome> timed = time(program);
        if (has_gpu_) say_no_ncu();
        if (!timed) return timed.errors();
        outcomes.push_back(std::move(*timed));
    }
    if (ncu_) {
        show_step(step + ": counting under ncu", shows_steps_);
        Result<std::optional<lab::Outcome>> counted = count(program);
        if (!counted && outcomes.empty()) return counted.errors();
        if (!counted) say(counted.errors());  // the times are worth showing all the same
        if (counted && *counted) {
            if (!outcomes.empty()) {
                lab::name_kernels(outcomes.front().results, (*counted)->results);
                add_device_facts(outcomes.front().results, program.file);
            }
            outcomes.push_back(std::move(**counted));
        }
    }
    if (wants_times_ && ncu_) {
        show_step(step + ": counting DRAM's bytes under ncu", shows_steps_);
        say(add_dram_bytes(outcomes.front(), program));
    }
    return outcomes;
}

Result<lab::Outcome> DeviceLab::time(const lab::Program& program) {
    const Result<Workspace> workspace = Workspace::create();
    if (!workspace) return workspace.errors();
    const std::vector<std::string> words = {program.file.string(), "--device", "--results",
                                            results_file(*workspace).string()};
    const Result<ProgramEnd> end = run_program(program.file, words, own_environment());
    if (!end) return end.errors();
    if (end->exit_code == kExitNoGpu) {
        has_gpu_ = false;
        return Diagnostics{};  // the program said it
    }
    Result<lab::Outcome> outcome = read_outcome(program, *workspace, end_words(*end));
    if (outcome) add_device_facts(outcome->results, program.file);
    return outcome;
}

Result<std::optional<lab::Outcome>> DeviceLab::count(const lab::Program& program) {
    std::vector<std::string> arguments;
    if (program.description.counts_full_sizes) arguments.emplace_back("--full");
    Result<std::optional<lab::Outcome>> outcome =
        run_under_ncu(program, arguments, lab::Asked::every_counter);
    if (outcome && *outcome) add_device_facts((*outcome)->results, program.file);
    return outcome;
}

Diagnostics DeviceLab::add_dram_bytes(lab::Outcome& timed, const lab::Program& program) {
    const std::vector<std::string> arguments = lab::dram_arguments(timed);
    if (arguments.empty()) return {};
    const Result<std::optional<lab::Outcome>> counted =
        run_under_ncu(program, arguments, lab::Asked::dram);
    if (!counted) return counted.errors();
    if (!*counted) return {};
    lab::take_dram_bytes(timed.results, (*counted)->results);
    lab::add_bounds(timed.results);
    return {};
}

Result<std::optional<lab::Outcome>> DeviceLab::run_under_ncu(
    const lab::Program& program, const std::vector<std::string>& arguments, lab::Asked asked) {
    const Result<Workspace> workspace = Workspace::create();
    if (!workspace) return workspace.errors();
    const fs::path log = results_file(*workspace).parent_path() / "ncu.csv";
    ToolCall call{*ncu_, lab::ncu_arguments(log.string(), asked), {}, {}};
    call.arguments.push_back(program.file.string());
    call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
    call.arguments.insert(call.arguments.end(), {"--results", results_file(*workspace).string()});
    // A program that finds a result of its own wrong ends with 1, and ncu with it: what was written
    // decides.
    const Diagnostics problems = run_tool(call);
    const Result<std::string> text = profile::read_text(log.string());
    if (!text) return problems.empty() ? text.errors() : problems;
    const std::string error = lab::ncu_error(*text);
    if (lab::is_not_permitted(error)) {
        ncu_.reset();
        say_not_permitted();
        if (wants_times_) say(kStatedBytes);
        return std::optional<lab::Outcome>{};
    }
    const auto launches = lab::parse_ncu_log(*text, "ncu's log of " + program.description.name);
    if (!launches) {
        if (!error.empty()) return failure_in(ncu_->string(), error);
        return problems.empty() ? launches.errors() : problems;
    }
    Result<lab::Outcome> outcome = read_outcome(program, *workspace, "an error");
    if (!outcome) return problems.empty() ? outcome.errors() : problems;
    const Diagnostics mismatches = lab::join(outcome->results, *launches);
    if (!mismatches.empty()) return mismatches;
    return std::optional(std::move(*outcome));
}

}  // namespace wideload::cli
