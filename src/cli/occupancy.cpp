// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/kernels_of_file.h"
#include "cli/messages.h"
#include "cli/text_output.h"
#include "cli/version.h"
#include "model/occupancy_steps.h"
#include "profile/demangle.h"
#include "report/occupancy_json.h"
#include "report/occupancy_svg.h"
#include "report/occupancy_text.h"

namespace wideload::cli {
namespace {

using Studies = std::vector<model::OccupancyStudy>;

constexpr std::uint32_t kUsualThreads = 256;

std::vector<const arch::Device*> devices_of(const OccupancyCommand& command) {
    if (command.gpu.empty()) return {&arch::default_device()};
    if (command.gpu != "all") return {arch::find_device(command.gpu)};
    std::vector<const arch::Device*> all;
    for (const arch::Device& device : arch::devices()) all.push_back(&device);
    return all;
}

std::optional<std::uint32_t> volume(const std::optional<std::array<std::uint32_t, 3>>& extent) {
    if (!extent) return std::nullopt;
    return (*extent)[0] * (*extent)[1] * (*extent)[2];
}

arch::BlockResources resources_of(const image::CubinKernel& kernel,
                                  const OccupancyCommand& command) {
    const std::optional<std::uint32_t> required = volume(kernel.required_threads);
    const std::optional<std::uint32_t> bound = required ? required : volume(kernel.max_threads);
    return {.threads = command.threads.value_or(bound.value_or(kUsualThreads)),
            .registers = kernel.registers,
            .static_shared_bytes = kernel.static_shared_bytes,
            .dynamic_shared_bytes = command.shared_bytes,
            .max_threads = bound.value_or(arch::kMaxThreadsPerBlock),
            .barriers = std::max(kernel.barriers, 1u)};
}

/// Shared memory that no GPU asked about has is a slip of the hand, not a cliff.
std::optional<Diagnostic> impossible_shared_memory(const Studies& studies) {
    std::uint32_t largest = 0;
    for (const model::OccupancyStudy& study : studies) {
        const std::uint32_t most = study.device->limits().shared_bytes_per_block_optin;
        if (study.resources.shared_bytes() <= most) return std::nullopt;
        largest = std::max(largest, most);
    }
    const arch::BlockResources& asked = studies.front().resources;
    std::string sentence =
        fmt::format("no block can have {} bytes of shared memory: {} is the most",
                    asked.shared_bytes(), largest);
    if (asked.static_shared_bytes != 0) {
        sentence += fmt::format("; {} of them are the kernel's own", asked.static_shared_bytes);
    }
    return failure(std::move(sentence), "give --shared less");
}

Result<Studies> study_figures(const OccupancyCommand& command) {
    Studies studies;
    for (const arch::Device* device : devices_of(command)) {
        studies.push_back(model::study_occupancy("", *device,
                                                 {.threads = *command.threads,
                                                  .registers = *command.registers,
                                                  .dynamic_shared_bytes = command.shared_bytes}));
    }
    return studies;
}

Result<std::regex> pattern_of(const OccupancyCommand& command) {
    try {
        return std::regex(command.kernel, std::regex::ECMAScript);
    } catch (const std::regex_error&) {
        return failure(fmt::format("--kernel '{}' is not a regular expression", command.kernel),
                       "ECMAScript's: 'reduce|scan', '^matmul<16>'");
    }
}

/// GPUs that the file has no code for are left out where several were asked for.
Result<Studies> study_file(const OccupancyCommand& command) {
    const Result<std::regex> pattern = pattern_of(command);
    if (!pattern) return pattern.errors();
    Studies studies;
    Diagnostics problems;
    for (const arch::Device* device : devices_of(command)) {
        const auto kernels = kernels_of_file(command.file, *device, command.nvcc_flags);
        if (!kernels) {
            problems = kernels.errors();
            continue;
        }
        for (const image::CubinKernel& kernel : *kernels) {
            const std::string name = profile::demangle(kernel.name);
            if (!std::regex_search(name, *pattern)) continue;
            studies.push_back(model::study_occupancy(name, *device, resources_of(kernel, command)));
        }
    }
    if (!studies.empty()) return studies;
    if (!problems.empty()) return problems;
    return failure_in(command.file,
                      fmt::format("no kernel's name has a match of '{}'", command.kernel),
                      "without --kernel all are listed");
}

Diagnostics write_svg(const Studies& studies, const std::string& file) {
    if (studies.size() > report::kMostStaircases) {
        return {failure(fmt::format("--svg draws {} kernels at most, and these are {}",
                                    report::kMostStaircases, studies.size()),
                        "choose some with --kernel")};
    }
    return write_text(report::occupancy_svg(studies), file);
}

}  // namespace

int execute(const OccupancyCommand& command) {
    Result<Studies> studies = command.registers ? study_figures(command) : study_file(command);
    if (!studies) return tool_failed(studies.errors());
    if (const auto problem = impossible_shared_memory(*studies)) return tool_failed({*problem});
    // A kernel's rows together; within a kernel in the table's order.
    if (command.gpu == "all") {
        std::ranges::stable_sort(*studies, {}, &model::OccupancyStudy::kernel);
    }
    Diagnostics problems =
        command.json.empty() ? write_text(report::occupancy_text(*studies), "-")
                             : write_text(report::occupancy_json(*studies, kVersion), command.json);
    if (!command.svg.empty()) append(problems, write_svg(*studies, command.svg));
    say(problems);
    return problems.empty() ? 0 : kToolFailed;
}

}  // namespace wideload::cli
