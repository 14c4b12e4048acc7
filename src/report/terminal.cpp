// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/roofline.h"
#include "report/fold.h"
#include "report/kernel_section.h"
#include "report/words.h"

namespace wideload::report {
namespace {

std::string program_words(const profile::Profile& profile) {
    if (profile.processes.empty()) return {};
    const profile::Process& first = profile.processes.front();
    std::string text;
    for (const std::string& argument : first.arguments)
        text += (text.empty() ? "" : " ") + argument;
    if (text.empty()) text = first.program;
    if (profile.processes.size() > 1) {
        text += fmt::format(" (and {})", counted(profile.processes.size() - 1, "more process"));
    }
    return text;
}

std::string device_words(const profile::Profile& profile) {
    std::string text;
    for (const profile::Device& device : profile.devices) {
        text += fmt::format("{}virtual {} ({}.{})", text.empty() ? "" : ", ", device.name,
                            device.compute_major, device.compute_minor);
    }
    return text;
}

std::string title_line(const profile::Profile& profile, const Layout& layout) {
    const std::string right = device_words(profile);
    const std::size_t room =
        layout.columns - std::min(layout.columns - 20, display_width(right) + 2);
    const std::string left =
        shortened(fmt::format("{}  {}", profile.producer, program_words(profile)), room);
    const std::size_t used = display_width(left) + display_width(right);
    const std::size_t gap = used < layout.columns ? layout.columns - used : 2;
    return layout.style.bold(left) + std::string(gap, ' ') + right + '\n';
}

std::string summary(const std::vector<FoldedKernel>& kernels) {
    std::uint64_t launches = 0, moved = 0, excess = 0;
    for (const FoldedKernel& kernel : kernels) {
        launches += kernel.launches;
        moved += kernel.moved_bytes();
        excess += kernel.excess_bytes();
    }
    std::string text =
        fmt::format("{}, {}", counted(kernels.size(), "kernel"), counted(launches, "launch"));
    if (moved != 0) {
        text += excess == 0 ? fmt::format("; {} moved, none of it in excess", byte_words(moved))
                            : fmt::format("; {} moved, {} of it ({}) in excess", byte_words(moved),
                                          byte_words(excess), percent(excess, moved));
    }
    return text + '.';
}

bool lacks_source_lines(const profile::Profile& profile) {
    bool has_site = false;
    for (const profile::Launch& launch : profile.launches) {
        for (const profile::Site& site : *launch.sites) {
            if (!site.frames->empty()) return false;
            has_site = true;
        }
    }
    return has_site;
}

/// Why a profile may lack what a reader expects; empty of a process that ended well.
std::string end_words(const profile::Process& process) {
    const std::string& name =
        process.arguments.empty() ? process.program : process.arguments.front();
    if (process.signal) {
        return fmt::format("{} was ended by signal {} ({}).", name, *process.signal,
                           ::strsignal(*process.signal));
    }
    if (process.exit_code.value_or(0) != 0) {
        return fmt::format("{} exited with code {}.", name, *process.exit_code);
    }
    return {};
}

/// As `format` has it, its sentences in lines of the report's width; the source line and its caret
/// stay whole.
std::string diagnostic_lines(const Diagnostic& diagnostic, std::size_t columns) {
    Diagnostic said = diagnostic;
    const std::string hint = std::exchange(said.hint, {});
    const std::string text = format(said);
    const std::size_t sentence = text.find('\n');
    std::string lines = wrapped(text.substr(0, sentence), "", columns) + text.substr(sentence + 1);
    if (!hint.empty()) lines += wrapped("hint: " + hint, "    ", columns);
    return lines;
}

std::string notes(const profile::Profile& profile, const Layout& layout) {
    std::string text;
    const auto note = [&](std::string_view sentence) {
        text += wrapped(sentence, "", layout.columns);
    };
    if (lacks_source_lines(profile)) {
        note(
            "No source lines: the program was built without -lineinfo. Add it to nvcc's flags (it "
            "costs no speed) to see "
            "file:line instead of PTX lines.");
    }
    if (profile.merged) {
        note(
            "There were more launches than are kept one by one: later ones were added to an "
            "earlier one of their kernel.");
    }
    for (const profile::Process& process : profile.processes) {
        if (const std::string words = end_words(process); !words.empty()) note(words);
    }
    for (const profile::UnsupportedCall& call : profile.unsupported_calls) {
        note(fmt::format("{} was called {} and is not offered by the virtual GPU{}", call.function,
                         counted(call.calls, "time"),
                         call.reason.empty() ? "." : ": " + call.reason));
    }
    for (const Diagnostic& diagnostic : profile.diagnostics)
        text += diagnostic_lines(diagnostic, layout.columns);
    return text;
}

}  // namespace

std::string terminal_report(const profile::Profile& profile, const TerminalOptions& options) {
    const Layout layout{Style(options.colour), std::max<std::size_t>(options.columns, 80),
                        options.all_sites};
    SourceText sources(options.source_folder);
    const std::vector<FoldedKernel> kernels = fold(profile);
    std::string text = title_line(profile, layout);
    text += wrapped(summary(kernels), "", layout.columns);
    const std::vector<model::Roofline> bounds = model::rooflines(profile, nullptr);
    for (const FoldedKernel& kernel : kernels) {
        const auto bound = std::ranges::find(bounds, kernel.name, &model::Roofline::kernel);
        text += '\n' +
                kernel_section(kernel, bound == bounds.end() ? nullptr : &*bound, layout, sources);
    }
    const std::string last = notes(profile, layout);
    if (!last.empty()) text += '\n' + last;
    return text;
}

}  // namespace wideload::report
