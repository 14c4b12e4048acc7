// SPDX-License-Identifier: Apache-2.0
#include "cli/show_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli/colour.h"
#include "report/terminal.h"
#include "support/result.h"

namespace wideload::cli {
namespace {

report::TerminalOptions options_of(const ReportOptions& look, bool colour) {
    std::error_code ignored;
    report::TerminalOptions options;
    options.colour = colour;
    options.all_sites = look.all_sites;
    options.source_folder = std::filesystem::current_path(ignored);
    return options;
}

std::string text_of(const profile::Profile& profile, const ReportOptions& look, bool colour) {
    return report::terminal_report(profile, options_of(look, colour));
}

/// @returns errno of the first failure, or 0
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

Diagnostics cannot_write(const std::string& where, int error) {
    return {failure("cannot write the report to " + where + ": " +
                    std::generic_category().message(error))};
}

}  // namespace

report::TerminalOptions terminal_options(const ReportOptions& look, int descriptor) {
    return options_of(look, wants_colour(look.colour, descriptor));
}

Diagnostics show_report(const profile::Profile& profile, const ReportOptions& look,
                        int descriptor) {
    const int error =
        write_all(descriptor, text_of(profile, look, wants_colour(look.colour, descriptor)));
    if (error == 0) return {};
    return cannot_write(descriptor == STDERR_FILENO ? "stderr" : "stdout", error);
}

Diagnostics write_report(const profile::Profile& profile, const ReportOptions& look,
                         const std::string& file) {
    if (file == "-") return show_report(profile, look, STDOUT_FILENO);
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return cannot_write(file, errno);
    int error = write_all(descriptor, text_of(profile, look, look.colour == Colour::always));
    if (::close(descriptor) != 0 && error == 0) error = errno;
    if (error == 0) return {};
    return cannot_write(file, error);
}

}  // namespace wideload::cli
