// SPDX-License-Identifier: Apache-2.0
#include "sass/inspect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <regex>

#include "arch/device.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/messages.h"
#include "cli/show_report.h"
#include "cli/text_output.h"
#include "cli/version.h"
#include "profile/demangle.h"
#include "report/code_json.h"
#include "report/code_report.h"

namespace wideload::cli {
namespace {

/// The architecture asked for, else that of the GPU asked for, else of the default one.
Result<sass::Target> target_of(const InspectCommand& command) {
    if (!command.arch.empty()) return sass::parse_target(command.arch);
    const arch::Device* device =
        command.gpu.empty() ? &arch::default_device() : arch::find_device(command.gpu);
    return sass::Target{device->capability.number(), '\0'};
}

/// A kernel is meant by its name as a reader writes it or as the linker does.
Result<std::function<bool(std::string_view)>> kernel_filter(const std::string& pattern) {
    if (pattern.empty()) return std::function<bool(std::string_view)>{};
    try {
        auto expression = std::make_shared<std::regex>(pattern);
        return std::function<bool(std::string_view)>([expression](std::string_view mangled) {
            return std::regex_search(profile::demangle(mangled), *expression) ||
                   std::regex_search(mangled.begin(), mangled.end(), *expression);
        });
    } catch (const std::regex_error& error) {
        return failure(fmt::format("'{}' is no regular expression: {}", pattern, error.what()));
    }
}

Result<sass::InspectOptions> options_of(const InspectCommand& command) {
    if (!command.arch.empty() && !command.gpu.empty()) {
        return failure("--arch and --gpu both name what machine code is for: give one of them");
    }
    const auto target = target_of(command);
    if (!target) return target.errors();
    auto wanted = kernel_filter(command.kernel);
    if (!wanted) return wanted.errors();
    sass::InspectOptions options;
    options.target = *target;
    options.target_is_asked = !command.arch.empty() || !command.gpu.empty();
    options.nvcc_flags = command.nvcc_flags;
    options.wanted = std::move(*wanted);
    options.nvdisasm = command.nvdisasm;
    return options;
}

Diagnostics deliver(const InspectCommand& command, const report::Inspection& inspection) {
    if (!command.json.empty()) return write_text(report::code_json(inspection), command.json);
    return write_text(
        report::code_report(inspection, terminal_options(command.look, STDOUT_FILENO)), "-");
}

}  // namespace

int execute(const InspectCommand& command) {
    const auto options = options_of(command);
    if (!options) return tool_failed(options.errors());
    auto codes = sass::inspect(command.file, *options);
    if (!codes) return tool_failed(codes.errors());
    const Diagnostics problems = deliver(
        command, report::Inspection{std::string(kVersion), command.file, std::move(*codes)});
    return problems.empty() ? 0 : tool_failed(problems);
}

}  // namespace wideload::cli
