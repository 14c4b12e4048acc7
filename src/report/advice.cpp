// SPDX-License-Identifier: Apache-2.0
#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "arch/compute_capability.h"
#include "report/cause.h"
#include "report/words.h"

namespace wideload::report {
namespace {

using profile::Pattern;
using profile::PatternShare;
using profile::SiteKind;

/// Structures are rarely larger; lanes further apart walk a row or a column.
constexpr std::uint32_t kLargestStructureBytes = 64;

bool is_store(SiteKind kind) { return kind == SiteKind::global_st || kind == SiteKind::local_st; }

const char* verb(const profile::Site& site) { return is_store(site.kind) ? "write" : "read"; }

std::string strided_advice(const profile::Site& site, std::int32_t stride) {
    const auto distance = static_cast<std::uint32_t>(std::abs(stride));
    if (distance > site.bytes_per_lane() && distance <= kLargestStructureBytes) {
        return fmt::format(
            "lanes are {} bytes apart, as in an array of structures: keep each member in an array "
            "of its own, or {} whole "
            "structures through shared memory",
            distance, verb(site));
    }
    return fmt::format(
        "lanes are {} apart: let neighbouring threads {} neighbouring elements, or stage "
        "through shared memory",
        distance_words(distance), verb(site));
}

std::string idle_lane_advice(const profile::Site& site) {
    const std::string lanes =
        site.active_lanes ? ratio(*site.active_lanes, site.requests.value_or(1)) + " of 32 lanes"
                          : "few lanes of a warp";
    return fmt::format(
        "{} {} here, and what lies between them moves too: let whole warps take part, or first "
        "compact the elements that do",
        lanes, verb(site));
}

/// Whether two lanes and more share a sector: without order each would mostly have its own.
bool lie_in_runs(const profile::Site& site) {
    const std::uint64_t lane_bytes = site.bytes_per_lane(), sectors = site.sectors.value_or(0);
    const std::uint64_t distinct = site.ideal_sectors.value_or(0) * arch::kSectorBytes;
    const std::uint64_t asked = site.active_lanes.value_or(0) * lane_bytes;
    return std::min(distinct, asked) >= 2 * lane_bytes * sectors;
}

std::string irregular_advice(const profile::Site& site) {
    if (lie_in_runs(site)) {
        return fmt::format(
            "lanes {} in runs that begin or end within sectors: pad rows to multiples of 32 bytes, "
            "or let more neighbouring lanes share a row",
            verb(site));
    }
    return fmt::format(
        "lanes {} without order: sort or group the indices, or {} shared memory first", verb(site),
        is_store(site.kind) ? "collect the elements in"
                            : "load the range with neighbouring lanes into");
}

std::string memory_advice(const profile::Site& site) {
    const PatternShare* cause = costliest_pattern(site);
    if (cause == nullptr) return idle_lane_advice(site);
    switch (cause->pattern) {
        case Pattern::strided:
            return strided_advice(site, cause->bytes);
        case Pattern::misaligned:
            return fmt::format(
                "warps start {} past a sector: pad rows, or shift the first element, to a multiple "
                "of 32 bytes",
                counted(static_cast<std::uint64_t>(cause->bytes), "byte"));
        default:
            return irregular_advice(site);
    }
}

std::string atomic_advice(const FoldedSite& site) {
    return fmt::format(
        "lanes of a warp update the same words, {} times in turn: reduce within the warp or the "
        "block first, then one "
        "atomic",
        ratio(site.moved(), std::max<std::uint64_t>(site.ideal(), 1)));
}

std::string shared_advice(const FoldedSite& site) {
    const std::string times = ratio(site.moved(), std::max<std::uint64_t>(site.ideal(), 1));
    const auto cause =
        std::ranges::find(site.total.patterns, Pattern::strided, &PatternShare::pattern);
    if (cause != site.total.patterns.end()) {
        return fmt::format(
            "lanes {} bytes apart meet in one bank, {} wavefronts where 1 would do: pad each row "
            "by one "
            "element, or swizzle the index",
            std::abs(cause->bytes), times);
    }
    return fmt::format(
        "lanes meet in one bank, {} wavefronts where 1 would do: pad the rows, or swizzle the "
        "index",
        times);
}

}  // namespace

bool is_costly(const FoldedSite& site) {
    if (site.total.kind == SiteKind::branch)
        return site.excess() * 10 >= site.total.executions && site.excess() != 0;
    return site.excess() != 0 && site.excess() * 10 >= site.ideal();
}

std::string advice(const FoldedSite& site) {
    if (!is_costly(site)) return {};
    switch (site.total.kind) {
        case SiteKind::branch:
            return "lanes of a warp part here: let the condition depend on the warp, or sort the "
                   "work by it";
        case SiteKind::global_red:
        case SiteKind::global_atom:
            return atomic_advice(site);
        case SiteKind::shared_ld:
        case SiteKind::shared_st:
        case SiteKind::shared_atom:
            return shared_advice(site);
        case SiteKind::local_ld:
        case SiteKind::local_st:
            return "an array indexed at run time, or spilled registers, lies in local memory: use "
                   "constant indices";
        case SiteKind::bulk_ld:
        case SiteKind::bulk_st:
        case SiteKind::bulk_red:
            return "copies begin or end within a sector: align both to a multiple of 32 bytes, or "
                   "copy more at a time";
        default:
            return memory_advice(site.total);
    }
}

}  // namespace wideload::report
