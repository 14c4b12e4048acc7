// SPDX-License-Identifier: Apache-2.0
#include "lab/join.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "lab/figures.h"
#include "profile/names.h"

namespace wideload::lab {
namespace {

// lab/harness/session.cuh launches these around a point, with the point's number in the grid.
constexpr std::string_view kPointBegins = "lab::point_begins()";
constexpr std::string_view kPointEnds = "lab::point_ends()";

std::vector<Request> kept_requests(const profile::Launch& launch) {
    std::vector<Request> requests;
    for (const profile::Site& site : launch.sites) {
        if (!site.first) continue;
        requests.push_back({std::string(profile::name(site.kind)), site.opcode,
                            site.bytes_per_lane(), site.first->mask, site.first->addresses});
    }
    return requests;
}

/// Figures of single sites are counters of their own: "global_ld:0_sectors" is of the first global
/// load in the kernel's order.
void add_sites(Point& point, const profile::Launch& launch) {
    constexpr unsigned kMostOfAKind = 8;
    std::map<profile::SiteKind, unsigned> ordinals;
    for (const profile::Site& site : launch.sites) {
        if (site.kind == profile::SiteKind::branch) continue;
        const unsigned ordinal = ordinals[site.kind]++;
        if (ordinal >= kMostOfAKind) continue;
        const std::string prefix = fmt::format("{}:{}_", profile::name(site.kind), ordinal);
        const auto add = [&](const char* figure, const std::optional<std::uint64_t>& value) {
            if (value) point.counters[prefix + figure] = *value;
        };
        add("requests", site.requests);
        add("active_lanes", site.active_lanes);
        add("sectors", site.sectors);
        add("distinct_bytes", site.distinct_bytes);
        add("wavefronts", site.wavefronts);
    }
}

void add_launch(Point& point, const profile::Launch& launch) {
    if (point.launches == 0) {
        point.kernel = launch.mangled;
        point.dynamic_shared_bytes = launch.dynamic_shared_bytes;
        point.grid = launch.grid;
        point.block = launch.block;
        point.requests = kept_requests(launch);
        add_sites(point, launch);
    }
    point.launches += launch.count;
    for (const auto& [name, value] : launch.counters) {
        point.counters[name] += value * launch.count;
    }
}

}  // namespace

Diagnostics join(Results& results, const profile::Profile& profile) {
    Diagnostics problems;
    Point* current = nullptr;
    for (const profile::Launch& launch : profile.launches) {
        if (launch.kernel == kPointEnds) {
            current = nullptr;
        } else if (launch.kernel == kPointBegins) {
            const std::size_t number = launch.grid[0] - std::size_t{1};
            current = number < results.points.size() ? &results.points[number] : nullptr;
            if (current == nullptr) {
                problems.push_back(failure(
                    fmt::format("the launches of point {} were counted, but the results of {} "
                                "have {} points",
                                number, results.experiment, results.points.size())));
            }
        } else if (current != nullptr) {
            add_launch(*current, launch);
        }
    }
    return problems;
}

std::vector<Difference> differences(const Results& results) {
    std::vector<Difference> found;
    for (std::size_t number = 0; number < results.points.size(); ++number) {
        const Point& point = results.points[number];
        if (!point.correct) found.push_back({number, {}, 0, std::nullopt});
        if (point.launches == 0) continue;
        for (const Expected& expected : point.expected) {
            const auto counter = point.counters.find(expected.counter);
            Difference difference{number, expected.counter, expected.value, std::nullopt};
            if (counter != point.counters.end()) difference.found = counter->second;
            if (difference.found != expected.value) found.push_back(std::move(difference));
        }
    }
    return found;
}

std::size_t checked_counts(const Results& results) {
    std::size_t checked = 0;
    for (const Point& point : results.points) {
        if (point.launches != 0) checked += point.expected.size();
    }
    return checked;
}

std::string words(const Difference& difference, const Results& results) {
    const Point& point = results.points[difference.point];
    const std::string place = fmt::format("series {}, {}", point.series, words(point.parameters));
    if (difference.counter.empty()) return place + ": the result is wrong";
    std::string formula;
    for (const Expected& expected : point.expected) {
        if (expected.counter == difference.counter) formula = expected.formula;
    }
    return fmt::format("{}: {} is {}, expected {} ({})", place, difference.counter,
                       difference.found ? std::to_string(*difference.found) : "not counted",
                       difference.expected, formula);
}

}  // namespace wideload::lab
