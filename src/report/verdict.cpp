// SPDX-License-Identifier: Apache-2.0
#include "report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "profile/counter_names.h"
#include "report/site_lines.h"
#include "report/words.h"

namespace wideload::report {
namespace {

/// Below a tenth of what moves, a cost is not worth the sentence.
bool is_worth_saying(std::uint64_t part, std::uint64_t whole) {
    return part != 0 && part * 10 >= whole;
}

/// "all of it at a.cu:31", "87.5 % of it at a.cu:31".
std::string blame(const std::vector<FoldedLine>& lines, const SourceText& sources,
                  std::string_view pronoun) {
    std::uint64_t sum = 0;
    for (const FoldedLine& line : lines) sum += line.excess();
    const std::uint64_t worst = lines.front().excess();
    return fmt::format("{} of {} at {}", worst == sum ? "all" : percent(worst, sum), pronoun,
                       place_words(lines.front().sites.front(), sources));
}

std::optional<std::string> memory_cost(const FoldedKernel& kernel, const SourceText& sources) {
    if (!is_worth_saying(kernel.excess_bytes(), kernel.moved_bytes())) return std::nullopt;
    return fmt::format("{} of the {} that it moves ({}) is excess, {}.",
                       byte_words(kernel.excess_bytes()), byte_words(kernel.moved_bytes()),
                       percent(kernel.excess_bytes(), kernel.moved_bytes()),
                       blame(kernel.of(SiteClass::memory), sources, "it"));
}

std::optional<std::string> shared_cost(const FoldedKernel& kernel, const SourceText& sources) {
    std::uint64_t wavefronts = 0, conflicts = 0;
    for (const FoldedLine& line : kernel.of(SiteClass::shared)) {
        conflicts += line.excess();
        for (const FoldedSite& site : line.sites) wavefronts += site.moved();
    }
    if (!is_worth_saying(conflicts, wavefronts)) return std::nullopt;
    return fmt::format(
        "Bank conflicts make shared memory take {} times the wavefronts it needs, {}.",
        ratio(wavefronts, wavefronts - conflicts),
        blame(kernel.of(SiteClass::shared), sources, "them"));
}

std::optional<std::string> divergence_cost(const FoldedKernel& kernel, const SourceText& sources) {
    const std::uint64_t executions = kernel.counter(profile::kBranchExecutions);
    const std::uint64_t divergent = kernel.counter(profile::kBranchDivergent);
    if (executions == 0 || !is_worth_saying(divergent, executions)) return std::nullopt;
    if (kernel.of(SiteClass::branch).empty() || !kernel.idles_lanes()) return std::nullopt;
    return fmt::format(
        "Its accesses are coalesced, but {} of its branches part the lanes of a warp, {}.",
        percent(divergent, executions), blame(kernel.of(SiteClass::branch), sources, "them"));
}

/// The widest access that all lanes' bytes could be asked for with.
constexpr std::uint32_t kWidestBytes = 16;

/// Whether narrow contiguous accesses make up most requests: they move nothing in vain, but take
/// more instructions.
std::optional<std::uint32_t> narrow_width(const FoldedKernel& kernel) {
    std::uint64_t all = 0, narrow = 0;
    std::uint32_t width = 0;
    for (const FoldedLine& line : kernel.of(SiteClass::memory)) {
        for (const FoldedSite& site : line.sites) {
            const std::uint64_t requests = site.total.requests.value_or(0);
            all += requests;
            const bool is_contiguous =
                !site.total.patterns.empty() &&
                site.total.patterns.front().pattern == profile::Pattern::contiguous;
            if (is_contiguous && site.total.bytes_per_lane() < kWidestBytes) {
                narrow += requests;
                width = std::max(width, site.total.bytes_per_lane());
            }
        }
    }
    if (width == 0 || narrow * 2 < all) return std::nullopt;
    return width;
}

/// "half", "a quarter of", as it stands before a noun.
std::string_view fraction_words(std::uint32_t denominator) {
    return denominator == 2   ? "half"
           : denominator == 4 ? "a quarter of"
           : denominator == 8 ? "an eighth of"
                              : "a sixteenth of";
}

std::string coalesced(const FoldedKernel& kernel) {
    const std::uint64_t excess = kernel.excess_bytes();
    std::string text = excess == 0 ? fmt::format("Coalesced: {} moved, none of it in excess",
                                                 byte_words(kernel.moved_bytes()))
                                   : fmt::format("Coalesced: {} moved, {} of it in excess",
                                                 byte_words(kernel.moved_bytes()),
                                                 percent(excess, kernel.moved_bytes()));
    if (const std::optional<std::uint32_t> width = narrow_width(kernel)) {
        text += fmt::format("; {} a lane, where 16 would take {} the requests",
                            counted(*width, "byte"), fraction_words(kWidestBytes / *width));
    }
    return text + '.';
}

}  // namespace

std::string verdict(const FoldedKernel& kernel, const SourceText& sources) {
    const bool is_counted = !kernel.counters.empty();
    const bool has_failed = std::ranges::any_of(
        kernel.entries, [](const profile::Launch* launch) { return launch->fault.has_value(); });
    // Of a kernel that could not even begin, the fault says all.
    if (!is_counted) return has_failed ? "" : "Not counted.";
    if (auto cost = memory_cost(kernel, sources)) return *cost;
    if (auto cost = shared_cost(kernel, sources)) return *cost;
    if (auto cost = divergence_cost(kernel, sources)) return *cost;
    if (kernel.moved_bytes() == 0) return "It touches no global or local memory.";
    return coalesced(kernel);
}

}  // namespace wideload::report
