// SPDX-License-Identifier: Apache-2.0
#include "lab/join.h"

#include <fmt/format.h>

#include <algorithm>
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
    for (const profile::Site& site : *launch.sites) {
        if (!site.first) continue;
        requests.push_back({std::string(profile::name(site.kind)), site.opcode,
                            site.bytes_per_lane(), site.first->mask, site.first->addresses,
                            site.first->sectors});
    }
    return requests;
}

/// Figures of single sites are counters of their own: "global_ld:0_sectors" is of the first global
/// load in the kernel's order.
void add_sites(Point& point, const profile::Launch& launch) {
    constexpr unsigned kMostOfAKind = 8;
    std::map<profile::SiteKind, unsigned> ordinals;
    for (const profile::Site& site : *launch.sites) {
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
    point.launches += launch.launches();
    for (const auto& [name, value] : *launch.counters) {
        point.counters[name] += value * launch.count;
    }
}

std::optional<std::uint64_t> counted(const Point& point, const std::string& counter) {
    const auto found = point.counters.find(counter);
    if (found == point.counters.end()) return std::nullopt;
    return found->second;
}

/// "shared_ld" of "shared_ld_conflicts": nothing of a counter that is none of passes.
std::optional<std::string> kind_of_passes(std::string_view counter) {
    if (!counter.starts_with("shared_")) return std::nullopt;
    for (const std::string_view ending : {"_wavefronts", "_conflicts"}) {
        if (counter.ends_with(ending)) {
            return std::string(counter.substr(0, counter.size() - ending.size()));
        }
    }
    return std::nullopt;
}

/// Whether ptxas made other instructions of those that the point states: they take other passes.
bool is_merged(const Point& point, const std::string& kind) {
    const Expected* stated = find_expected(point, kind + "_inst");
    const auto found = counted(point, kind + "_inst");
    return stated != nullptr && found && *found != stated->value;
}

/// How far a counter may be off its formula; nothing where the machine says nothing of it. The
/// virtual GPU counts exactly what PTX does. Hardware counts machine instructions, of which ptxas
/// decides, and adds arbitration of its own to the passes of shared memory; conflicts are those of
/// the passes that need not be, so they are off by a share of the passes, too.
std::optional<double> allowance(const Machine& machine, const Point& point,
                                const Expected& expected) {
    constexpr double kArbitration = 0.12;
    const std::string_view counter = expected.counter;
    if (machine.is_virtual) return 0;
    if (counter.starts_with("global_") || counter.starts_with("local_")) return 0;
    const std::optional<std::string> kind = kind_of_passes(counter);
    if (!kind || is_merged(point, *kind)) return std::nullopt;
    const std::uint64_t passes =
        counter.ends_with("_conflicts") ? counted(point, *kind + "_wavefronts").value_or(0) : 0;
    return kArbitration * static_cast<double>(std::max(passes, expected.value));
}

bool agrees(std::uint64_t found, const Expected& expected, double allowed) {
    if (found >= expected.value) {
        return expected.at_least || static_cast<double>(found - expected.value) <= allowed;
    }
    return static_cast<double>(expected.value - found) <= allowed;
}

/// Whether this machine's counts are held to an expected one.
bool is_compared(const Machine& machine, const Point& point, const Expected& expected) {
    if (point.launches == 0 || !allowance(machine, point, expected)) return false;
    return machine.is_virtual || point.counters.contains(expected.counter);
}

/// Empty where a series has several kernels, or none.
std::string only_kernel(std::string_view series, const Results& counted) {
    std::string kernel;
    for (const Point& point : counted.points) {
        if (point.series != series || point.kernel.empty()) continue;
        if (!kernel.empty() && kernel != point.kernel) return {};
        kernel = point.kernel;
    }
    return kernel;
}

std::string kernel_of(const Point& point, const Results& counted) {
    const auto same = std::ranges::find_if(counted.points, [&](const Point& other) {
        return other.series == point.series && other.parameters == point.parameters &&
               !other.kernel.empty();
    });
    return same != counted.points.end() ? same->kernel : only_kernel(point.series, counted);
}

}  // namespace

void name_kernels(Results& timed, const Results& counted) {
    for (Point& point : timed.points) {
        if (point.kernel.empty()) point.kernel = kernel_of(point, counted);
    }
}

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
        for (const Expected& expected : point.expected) {
            if (!is_compared(results.machine, point, expected)) continue;
            const Difference difference{number, expected.counter, expected.value,
                                        counted(point, expected.counter)};
            const double allowed = *allowance(results.machine, point, expected);
            if (!difference.found || !agrees(*difference.found, expected, allowed)) {
                found.push_back(difference);
            }
        }
    }
    return found;
}

std::size_t checked_counts(const Results& results) {
    std::size_t checked = 0;
    for (const Point& point : results.points) {
        for (const Expected& expected : point.expected) {
            if (is_compared(results.machine, point, expected)) ++checked;
        }
    }
    return checked;
}

std::string words(const Difference& difference, const Outcome& outcome) {
    const Point& point = outcome.results.points[difference.point];
    const std::string place = fmt::format("{}, {}", outcome.description.series_title(point.series),
                                          words(point.parameters, outcome.description));
    if (difference.counter.empty()) return place + ": the result is wrong";
    const Expected* expected = find_expected(point, difference.counter);
    const std::string formula = expected == nullptr ? std::string{} : expected->formula;
    const bool at_least = expected != nullptr && expected->at_least;
    return fmt::format("{}: {} is {}, expected {}{} ({})", place, difference.counter,
                       difference.found ? std::to_string(*difference.found) : "not counted",
                       at_least ? "at least " : "", difference.expected, formula);
}

}  // namespace wideload::lab
