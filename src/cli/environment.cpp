// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <string_view>

#include "arch/device.h"
#include "cli/loader_path.h"
#include "cli/runtime_stand_ins.h"
#include "preload/protocol.h"

namespace wideload::cli {
namespace {

constexpr std::string_view kPreloadVariable = "LD_PRELOAD";
constexpr std::string_view kLibraryPathVariable = "LD_LIBRARY_PATH";

/// What is said anew; an empty optional takes away what an outer run may have left.
using Settings = std::map<std::string_view, std::optional<std::string>>;

Settings settings_of(const RunCommand& command, const InstallLayout& layout,
                     const Workspace& workspace) {
    const auto unless = [](bool is_default, std::string value) {
        return is_default ? std::nullopt : std::optional(std::move(value));
    };
    return {
        {preload::kEnginePath, layout.engine.string()},
        {preload::kGpu,
         command.gpu.empty() ? std::string(arch::default_device().key) : command.gpu},
        {preload::kWorkers, unless(command.workers == 0, std::to_string(command.workers))},
        {preload::kDeterministic, unless(!command.deterministic, "1")},
        {preload::kCounters, unless(command.counters, "0")},
        {preload::kTouchedSectors, unless(!command.roofline, "1")},
        {preload::kKernelTimeout, fmt::format("{}", command.kernel_timeout_s)},
        {preload::kHostIsa, unless(command.host_isa.empty(), command.host_isa)},
        {preload::kProfilePattern,
         unless(!command.is_profiled(), workspace.profile_pattern().string())},
        {preload::kStatusFile, workspace.status_file().string()},
        {preload::kMessageFile, workspace.message_file().string()},
    };
}

}  // namespace

Result<std::vector<std::string>> environment_of_program(const RunCommand& command,
                                                        const InstallLayout& layout,
                                                        const Workspace& workspace) {
    const Result<std::filesystem::path> libraries =
        path_for_loader(layout.preload.parent_path(), workspace.library_link());
    if (!libraries) return libraries.errors();
    const Settings settings = settings_of(command, layout, workspace);
    std::string preloads, library_path;
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable = *entry;
        const std::string_view name = variable.substr(0, variable.find('='));
        if (name == kPreloadVariable) {
            preloads = variable.substr(std::min(name.size() + 1, variable.size()));
        } else if (name == kLibraryPathVariable) {
            library_path = variable.substr(std::min(name.size() + 1, variable.size()));
        } else if (!settings.contains(name)) {
            environment.emplace_back(variable);
        }
    }
    for (const auto& [name, value] : settings) {
        if (value) environment.push_back(fmt::format("{}={}", name, *value));
    }
    environment.push_back(fmt::format("{}={}{}{}", kPreloadVariable, preloads,
                                      preloads.empty() ? "" : ":",
                                      (*libraries / layout.preload.filename()).string()));
    library_path = library_path_with_stand_ins(library_path, *libraries);
    if (!library_path.empty()) {
        environment.push_back(fmt::format("{}={}", kLibraryPathVariable, library_path));
    }
    return environment;
}

}  // namespace wideload::cli
