// SPDX-License-Identifier: Apache-2.0
#include "lab/programs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "support/tool_process.h"

namespace wideload::lab {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& file) {
    return fs::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

Result<Description> describe(const fs::path& program) {
    std::string text;
    ToolCall call{program, {"--describe"}, {}, [&](std::string_view line) {
                      text += line;
                      text += '\n';
                  }};
    if (!run_tool(call).empty()) {
        return failure_in(program.string(), "does not describe itself as a program of the lab",
                          "move what is no experiment out of the folder");
    }
    return parse_description(text, program.string() + " --describe");
}

std::string refusal(const Description& description, const arch::Device& device) {
    if (device.capability.number() >= description.least_capability) return {};
    return fmt::format("{} needs compute capability {}.{}, {} has {}.{}", description.name,
                       description.least_capability / 10, description.least_capability % 10,
                       device.name, device.capability.major, device.capability.minor);
}

Result<std::vector<Program>> find_programs(const fs::path& folder) {
    std::vector<Program> programs;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (!is_executable(entry.path())) continue;
        Result<Description> description = describe(entry.path());
        if (!description) return description.errors();
        programs.push_back({entry.path(), std::move(*description)});
    }
    if (error) {
        return failure("cannot look into " + folder.string() + ": " + error.message(),
                       "the lab's programs are built where a CUDA compiler is: see docs/lab.md");
    }
    std::ranges::sort(programs, {}, [](const Program& program) {
        return std::tie(program.description.chapter, program.description.name);
    });
    return programs;
}

}  // namespace wideload::lab
