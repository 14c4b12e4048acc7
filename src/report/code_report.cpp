// SPDX-License-Identifier: Apache-2.0
#include "report/code_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "profile/demangle.h"
#include "report/code_lines.h"
#include "report/code_words.h"
#include "report/words.h"

namespace wideload::report {
namespace {

std::string targets_words(const Inspection& inspection) {
    std::set<std::string> targets;
    for (const sass::InspectedCode& code : inspection.codes) {
        targets.insert(code.target.name() + (code.compiled ? ", compiled now" : ""));
    }
    if (targets.size() != 1) return "machine code";
    return "machine code for " + *targets.begin();
}

std::string title_line(const Inspection& inspection, const Layout& layout) {
    const std::string right = targets_words(inspection);
    const std::string left = shortened(fmt::format("{}  {}", inspection.producer, inspection.file),
                                       layout.columns - display_width(right) - 2);
    const std::size_t gap = layout.columns - display_width(left) - display_width(right);
    return layout.style.bold(left) + std::string(gap, ' ') + right + '\n';
}

std::size_t kernel_count(const Inspection& inspection) {
    std::size_t count = 0;
    for (const sass::InspectedCode& code : inspection.codes) count += code.kernels.size();
    return count;
}

bool lacks_source_lines(const Inspection& inspection) {
    for (const sass::InspectedCode& code : inspection.codes) {
        for (const sass::KernelCode& kernel : code.kernels) {
            for (const sass::Access& access : kernel.accesses) {
                if (!access.frames.empty()) return false;
            }
        }
    }
    return true;
}

std::string kernel_title(const sass::KernelCode& kernel, const Layout& layout) {
    // Names of lambdas and of templates of templates would fill the screen; JSON has them whole.
    std::string lines =
        wrapped(profile::demangle_briefly(kernel.resources.name), "", layout.columns);
    lines.pop_back();
    std::string bold;
    for (std::size_t at = 0; at <= lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        bold += layout.style.bold(std::string_view(lines).substr(at, end - at)) + '\n';
        at = end + 1;
    }
    return bold;
}

}  // namespace

std::string code_report(const Inspection& inspection, const TerminalOptions& options) {
    const Layout layout{Style(options.colour), std::max<std::size_t>(options.columns, 80), true};
    SourceText sources(options.source_folder);
    std::string text = title_line(inspection, layout);
    text += counted(kernel_count(inspection), "kernel") + ".\n";
    for (const sass::InspectedCode& code : inspection.codes) {
        if (inspection.codes.size() > 1) {
            text += '\n' +
                    layout.style.dim(shortened_front(
                        fmt::format("{} ({})", code.name, code.target.name()), layout.columns)) +
                    '\n';
        }
        for (const sass::KernelCode& kernel : code.kernels) {
            text += '\n' + kernel_title(kernel, layout);
            text += wrapped(resource_words(kernel), kIndent, layout.columns);
            text += wrapped(mix_words(kernel), kIndent, layout.columns);
            text += code_lines(kernel, layout, sources);
        }
    }
    if (lacks_source_lines(inspection)) {
        text += '\n' + wrapped(
                           "No source lines: it was built without -lineinfo. Add it to nvcc's "
                           "flags; it changes no code.",
                           "", layout.columns);
    }
    return text;
}

}  // namespace wideload::report
