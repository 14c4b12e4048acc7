// SPDX-License-Identifier: Apache-2.0
#include "report/site_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/compute_capability.h"
#include "profile/place.h"
#include "report/advice.h"
#include "report/machine_words.h"
#include "report/words.h"

namespace wideload::report {
namespace {

constexpr std::string_view kSiteIndent = "    ";
/// Source lines without excess that are still listed one by one.
constexpr std::size_t kUncostlyLines = 6;

// Widths of the columns of a site; the pattern takes the rest.
constexpr std::size_t kAccess = 19, kPerRequest = 16, kIdeal = 7, kDegree = 9, kExcess = 11;

struct Heading {
    std::string_view title, per_request, excess;
};

Heading heading_of(SiteClass site_class) {
    switch (site_class) {
        case SiteClass::memory:
            return {"global and local", "sectors/request", "excess"};
        case SiteClass::shared:
            return {"shared", "wavefronts/req.", "conflicts"};
        case SiteClass::constant:
            return {"constant", "sectors/request", ""};
        case SiteClass::branch:
            return {"branches", "executions", "divergent"};
    }
    return {};
}

std::string heading_line(SiteClass site_class) {
    const Heading heading = heading_of(site_class);
    std::string line =
        pad_right(fmt::format("{}{}", kIndent, heading.title), kSiteIndent.size() + kAccess) +
        pad_left(heading.per_request, kPerRequest);
    if (site_class == SiteClass::branch) {
        return line + pad_left(heading.excess, kIdeal + kDegree);
    }
    if (site_class == SiteClass::constant) return line + "  pattern";
    return line + pad_left("ideal", kIdeal) + pad_left("degree", kDegree) +
           pad_left(heading.excess, kExcess) + "  pattern";
}

std::string colour_degree(const Style& style, std::string_view text, std::uint64_t part,
                          std::uint64_t whole) {
    if (part * 2 < whole) return style.bad(text);
    if (part * 10 < whole * 9) return style.fair(text);
    return style.good(text);
}

std::string branch_line(const FoldedSite& site, const Style& style) {
    const std::uint64_t executions = site.total.executions;
    const std::uint64_t divergent = site.excess();
    const std::string share =
        pad_left(executions == 0 ? "-" : percent(divergent, executions), kIdeal + kDegree);
    return fmt::format("{}{}{}{}", kSiteIndent, pad_right("branch", kAccess),
                       pad_left(grouped(executions), kPerRequest),
                       is_costly(site) ? style.fair(share) : share);
}

/// Distinct bytes asked for over bytes moved, the coalescing degree; of shared memory, fewest over
/// real passes.
std::pair<std::uint64_t, std::uint64_t> degree(const FoldedSite& site) {
    if (class_of(site.total.kind) == SiteClass::shared) return {site.ideal(), site.moved()};
    return {site.total.distinct_bytes.value_or(site.ideal() * arch::kSectorBytes),
            site.moved() * arch::kSectorBytes};
}

std::string excess_words(const FoldedSite& site) {
    if (site.excess() == 0) return "-";
    return class_of(site.total.kind) == SiteClass::shared
               ? grouped(site.excess())
               : byte_words(site.excess() * arch::kSectorBytes);
}

/// The most frequent pattern with its share.
std::string pattern_of(const FoldedSite& site) {
    if (site.total.patterns.empty()) return "-";
    return pattern_words(site.total.patterns.front(), site.total.requests.value_or(0));
}

std::string access_line(const FoldedSite& site, const Layout& layout) {
    const Style& style = layout.style;
    const std::string access =
        fmt::format("{}{}", kSiteIndent, pad_right(access_words(site.total), kAccess));
    const std::uint64_t requests = site.total.requests.value_or(0);
    if (requests == 0) return access + style.dim("  never executed");
    if (class_of(site.total.kind) == SiteClass::constant) {
        return access + pad_left(ratio(site.moved(), requests), kPerRequest) + "  " +
               pattern_of(site);
    }
    const auto [part, whole] = degree(site);
    std::string line = access + pad_left(ratio(site.moved(), requests), kPerRequest) +
                       pad_left(ratio(site.ideal(), requests), kIdeal);
    line += whole == 0 ? pad_left("-", kDegree)
                       : colour_degree(style, pad_left(percent(part, whole), kDegree), part, whole);
    const std::string excess = pad_left(excess_words(site), kExcess);
    line += is_costly(site) ? style.bold(excess) : excess;
    static constexpr std::size_t kBefore =
        kSiteIndent.size() + kAccess + kPerRequest + kIdeal + kDegree + kExcess + 2;
    return line + "  " + shortened(pattern_of(site), layout.columns - kBefore);
}

/// What stands beside a PTX line that nothing is known of but its parameter.
std::string stand_in(const FoldedSite& site, std::string_view kernel) {
    std::string text = site.total.opcode;
    if (site.ptx_lines.size() > 1) text += fmt::format(" ({} copies)", site.ptx_lines.size());
    if (!site.total.parameter.empty()) {
        text += "  through " + parameter_words(site.total.parameter, kernel);
    }
    return text;
}

/// `file:line  text`, and where it was inlined.
std::string place_line(const FoldedKernel& kernel, const FoldedLine& line, const Layout& layout,
                       SourceText& sources) {
    const FoldedSite& site = line.sites.front();
    const profile::Frame* place = site.place();
    return place_lines(place_words(site, sources),
                       place == nullptr ? stand_in(site, kernel.name) : sources.line(place->where),
                       *site.total.frames, layout, sources);
}

/// Whether what a site costs over its ideal is anything to the kernel: a hundredth of what it
/// moves, or lanes that idle.
bool matters(const FoldedKernel& kernel, const FoldedSite& site) {
    switch (site.total.kind) {
        case profile::SiteKind::branch:
            return kernel.idles_lanes();
        case profile::SiteKind::global_ld:
        case profile::SiteKind::global_st:
            return site.excess() * arch::kSectorBytes * 100 >= kernel.moved_bytes();
        default:
            return true;
    }
}

std::string advice_lines(const FoldedKernel& kernel, const FoldedSite& site, const Layout& layout) {
    const std::string text = matters(kernel, site) ? advice(site) : "";
    const bool is_gone =
        kernel.machine != nullptr && carriage(site, *kernel.machine) == Carriage::by_none;
    if (text.empty() || is_gone) return {};
    return fix_lines(text, layout);
}

/// What a real GPU runs for it, where that is not one instruction of that width for each of PTX.
std::string machine_line(const FoldedKernel& kernel, const FoldedSite& site, const Layout& layout) {
    if (kernel.machine == nullptr) return {};
    const Carriage found = carriage(site, *kernel.machine);
    if (found == Carriage::unknown) return {};
    if (found == Carriage::as_in_ptx && !layout.all_sites) return {};
    return layout.style.dim(shortened(fmt::format("      {}: {}", kernel.machine->arch,
                                                  carriage_words(site, *kernel.machine)),
                                      layout.columns)) +
           '\n';
}

bool has_divergence(const FoldedLine& line) {
    return std::ranges::any_of(line.sites,
                               [](const FoldedSite& site) { return site.excess() != 0; });
}

}  // namespace

std::string place_lines(const std::string& words, const std::string& text,
                        std::span<const profile::Frame> frames, const Layout& layout,
                        const SourceText& sources) {
    const std::string where = shortened_front(words, layout.columns / 2);
    const std::size_t used = kIndent.size() + display_width(where) + 2;
    std::string lines = std::string(kIndent) + layout.style.bold(where);
    if (!text.empty()) lines += "  " + shortened(text, layout.columns - used);
    lines += '\n';
    const profile::Frame* place = profile::own_frame(frames);
    if (place != nullptr && place != &frames.back()) {
        const profile::Frame& caller = frames.back();
        lines += layout.style.dim(shortened(
                     fmt::format("{}inlined at {}:{}", kSiteIndent,
                                 sources.shown_path(caller.where.file), caller.where.line),
                     layout.columns)) +
                 '\n';
    }
    return lines;
}

std::string fix_lines(std::string_view text, const Layout& layout) {
    static constexpr std::string_view kMark = "      fix: ";
    std::string lines = wrapped(text, std::string(kMark.size(), ' '), layout.columns);
    lines.replace(0, kMark.size(), kMark);
    // Each line apart: a colour that spans lines confuses pagers.
    std::string coloured;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = lines.find('\n', at);
        coloured += layout.style.advice(std::string_view(lines).substr(at, end - at)) + '\n';
        at = end + 1;
    }
    return coloured;
}

std::string place_words(const profile::Frame* place, std::uint32_t ptx_line,
                        const SourceText& sources) {
    if (place == nullptr) return fmt::format("PTX line {}", ptx_line);
    return fmt::format("{}:{}", sources.shown_path(place->where.file), place->where.line);
}

std::string place_words(const FoldedSite& site, const SourceText& sources) {
    return place_words(site.place(), *site.ptx_lines.begin(), sources);
}

std::string site_lines(const FoldedKernel& kernel, SiteClass site_class, const Layout& layout,
                       SourceText& sources) {
    std::string lines;
    std::size_t uncostly = 0, hidden = 0;
    for (const FoldedLine& line : kernel.of(site_class)) {
        // A branch that no warp parted at is no news.
        if (site_class == SiteClass::branch && !has_divergence(line) && !layout.all_sites) continue;
        if (line.excess() == 0 && ++uncostly > kUncostlyLines && !layout.all_sites) {
            ++hidden;
            continue;
        }
        lines += place_line(kernel, line, layout, sources);
        for (const FoldedSite& site : line.sites) {
            lines += (site_class == SiteClass::branch ? branch_line(site, layout.style)
                                                      : access_line(site, layout)) +
                     '\n' + machine_line(kernel, site, layout) + advice_lines(kernel, site, layout);
        }
    }
    if (lines.empty()) return {};
    if (hidden != 0) {
        lines += layout.style.dim(fmt::format("{}{} more without excess (--all shows them)",
                                              kIndent, counted(hidden, "line"))) +
                 '\n';
    }
    return layout.style.dim(heading_line(site_class)) + '\n' + lines;
}

}  // namespace wideload::report
