// SPDX-License-Identifier: Apache-2.0
#include "report/kernel_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "arch/compute_capability.h"
#include "profile/counter_names.h"
#include "report/machine_words.h"
#include "report/mismatch_lines.h"
#include "report/roofline_text.h"
#include "report/verdict.h"
#include "report/words.h"

namespace wideload::report {
namespace {

constexpr std::size_t kTitle = 18, kNumber = 16;

/// "4,096", "512×512": trailing ones are left out.
std::string extent_words(const std::array<std::uint32_t, 3>& extent) {
    std::string text = grouped(extent[0]);
    if (extent[1] != 1 || extent[2] != 1) text += "×" + grouped(extent[1]);
    if (extent[2] != 1) text += "×" + grouped(extent[2]);
    return text;
}

std::uint64_t volume(const std::array<std::uint32_t, 3>& extent) {
    return std::uint64_t{1} * extent[0] * extent[1] * extent[2];
}

/// "32×8 threads"; of launches that differ the range of their sizes, "32 to 256 threads".
std::string extents_words(const std::set<std::array<std::uint32_t, 3>>& extents,
                          std::string_view noun) {
    const auto [least, most] = std::ranges::minmax(extents, {}, volume);
    if (extents.size() > 1) {
        return fmt::format("{} to {}", grouped(volume(least)), counted(volume(most), noun));
    }
    return fmt::format("{} {}{}", extent_words(least), noun, volume(least) == 1 ? "" : "s");
}

std::string geometry_words(const FoldedKernel& kernel) {
    std::set<std::array<std::uint32_t, 3>> grids, blocks;
    for (const profile::Launch* launch : kernel.entries) {
        grids.insert(launch->grid);
        blocks.insert(launch->block);
    }
    return extents_words(grids, "block") + " of " + extents_words(blocks, "thread");
}

std::string launch_words(const FoldedKernel& kernel) {
    std::set<std::uint32_t> processes;
    for (const profile::Launch* launch : kernel.entries) processes.insert(launch->process);
    std::string text = counted(kernel.launches, "launch");
    if (processes.size() > 1) text += fmt::format(" in {} processes", processes.size());
    return text + ", " + geometry_words(kernel);
}

/// Name to the left, launches to the right; of a long name each on lines of its own.
std::string title_lines(const FoldedKernel& kernel, const Layout& layout) {
    const std::string launches = launch_words(kernel);
    const std::size_t used = display_width(kernel.name) + display_width(launches);
    if (used + 2 <= layout.columns) {
        return fmt::format("{}{}{}\n", layout.style.bold(kernel.name),
                           std::string(layout.columns - used, ' '), launches);
    }
    static constexpr std::size_t kLongestName = 300;
    std::string lines;
    const std::string name = wrapped(shortened(kernel.name, kLongestName), "", layout.columns);
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = name.find('\n', at);
        lines += layout.style.bold(std::string_view(name).substr(at, end - at)) + '\n';
        at = end + 1;
    }
    return lines + pad_left(launches, layout.columns) + '\n';
}

struct TotalsRow {
    std::string_view title;   ///< as a reader sees it
    std::string_view access;  ///< as the counters are named
};

constexpr std::array kMemoryRows = {
    TotalsRow{"global loads", "global_ld"},       TotalsRow{"global stores", "global_st"},
    TotalsRow{"global reductions", "global_red"}, TotalsRow{"global atomics", "global_atom"},
    TotalsRow{"local loads", "local_ld"},         TotalsRow{"local stores", "local_st"},
    TotalsRow{"bulk loads", "bulk_ld"},           TotalsRow{"bulk stores", "bulk_st"},
    TotalsRow{"bulk reductions", "bulk_red"},
};
constexpr std::array kSharedRows = {
    TotalsRow{"shared loads", "shared_ld"},
    TotalsRow{"shared stores", "shared_st"},
    TotalsRow{"shared atomics", "shared_atom"},
};

std::string totals_line(std::string_view title, std::uint64_t requests,
                        std::string_view requests_noun, std::uint64_t moved,
                        std::string_view moved_noun, std::string_view rest) {
    return fmt::format("{}{}{} {}{} {}  {}\n", kIndent, pad_right(title, kTitle),
                       pad_left(grouped(requests), kNumber), requests_noun,
                       pad_left(grouped(moved), kNumber), moved_noun, rest);
}

/// "32.0 a request, degree 12.5 %"; without the degree where it was not measured.
std::string per_request_words(std::uint64_t requests, std::uint64_t moved, std::uint64_t used,
                              std::uint64_t capacity) {
    std::string text = fmt::format("{} a request", ratio(moved, requests));
    if (used != 0 && capacity != 0) text += ", degree " + percent(used, capacity);
    return text;
}

std::string memory_totals(const FoldedKernel& kernel) {
    std::string lines;
    for (const TotalsRow& row : kMemoryRows) {
        const auto figure = [&](std::string_view name) {
            return kernel.counter(fmt::format("{}_{}", row.access, name));
        };
        const std::uint64_t requests = figure("requests"), sectors = figure("sectors");
        if (requests == 0) continue;
        lines += totals_line(row.title, requests, "requests", sectors, "sectors",
                             per_request_words(requests, sectors, figure("distinct_bytes"),
                                               sectors * arch::kSectorBytes));
    }
    return lines;
}

std::string shared_totals(const FoldedKernel& kernel) {
    std::string lines;
    for (const TotalsRow& row : kSharedRows) {
        const auto figure = [&](std::string_view name) {
            return kernel.counter(fmt::format("{}_{}", row.access, name));
        };
        const std::uint64_t requests = figure("inst"), wavefronts = figure("wavefronts");
        if (requests == 0) continue;
        lines += totals_line(
            row.title, requests, "requests", wavefronts, "wavefronts",
            per_request_words(requests, wavefronts, figure("ideal_wavefronts"), wavefronts));
    }
    return lines;
}

std::string execution_totals(const FoldedKernel& kernel) {
    std::string lines;
    const std::uint64_t by_warps = kernel.counter(profile::kInstructions);
    const std::uint64_t by_threads = kernel.counter(profile::kThreadInstructions);
    if (by_warps != 0) {
        lines += totals_line("PTX instructions", by_warps, "by warps", by_threads, "by threads",
                             fmt::format("{} of 32 lanes", ratio(by_threads, by_warps)));
    }
    return lines;
}

std::string roofline_line(const model::Roofline* bound, const Layout& layout) {
    if (bound == nullptr || !bound->binding) return {};
    return wrapped(fmt::format("{} {}", pad_right("roofline", kTitle), roofline_words(*bound)),
                   kIndent, layout.columns);
}

/// Its title where the other totals have theirs, the rest wrapped beside it.
std::string machine_lines(const FoldedKernel& kernel, const Layout& layout) {
    if (kernel.machine == nullptr) return {};
    const std::string title = fmt::format("{}{} ", kIndent, pad_right("machine code", kTitle));
    std::string lines =
        wrapped(machine_words(*kernel.machine), std::string(title.size(), ' '), layout.columns);
    lines.replace(0, title.size(), title);
    return lines;
}

/// The diagnostic, its sentence and its hint wrapped; the source line and its caret stay as they
/// are.
std::string fault_lines(const FoldedKernel& kernel, const Layout& layout) {
    std::string lines;
    for (const profile::Launch* launch : kernel.entries) {
        if (!launch->fault) continue;
        const std::string_view what = launch->counters->empty()
                                          ? "Could not begin."
                                          : "Ended early; figures are what was counted until then.";
        lines += layout.style.bad(fmt::format("{}{}", kIndent, what)) + '\n';
        const std::string text = format(launch->fault->diagnostic);
        const std::size_t sentence = text.find('\n');
        lines += wrapped(std::string_view(text).substr(0, sentence), kIndent, layout.columns);
        for (std::size_t at = sentence + 1; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            const std::string line = std::string(kIndent) + text.substr(at, end - at);
            const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
            lines += std::string_view(line).substr(indent).starts_with("hint: ")
                         ? wrapped(line.substr(indent), line.substr(0, indent), layout.columns)
                         : shortened(line, layout.columns) + '\n';
            at = end + 1;
        }
    }
    return lines;
}

}  // namespace

std::string kernel_section(const FoldedKernel& kernel, const model::Roofline* bound,
                           const Layout& layout, SourceText& sources) {
    std::string text = title_lines(kernel, layout);
    text += wrapped(verdict(kernel, sources), kIndent, layout.columns);
    text += fault_lines(kernel, layout);
    text += mismatch_lines(kernel, layout, sources);
    text += memory_totals(kernel) + shared_totals(kernel) + execution_totals(kernel);
    text += machine_lines(kernel, layout) + roofline_line(bound, layout);
    for (const SiteClass site_class :
         {SiteClass::memory, SiteClass::shared, SiteClass::constant, SiteClass::branch}) {
        const std::string lines = site_lines(kernel, site_class, layout, sources);
        if (!lines.empty()) text += '\n' + lines;
    }
    return text;
}

}  // namespace wideload::report
