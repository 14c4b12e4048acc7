// SPDX-License-Identifier: Apache-2.0
#include "lab/dram_traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/compute_capability.h"
#include "lab/bounds.h"
#include "lab/figures.h"

namespace wideload::lab {
namespace {

/// "strided:stride=8", as lab/harness/selection.cuh reads it.
std::string spelling(const Point& point) {
    std::string text = point.series;
    const char* separator = ":";
    for (const auto& [name, value] : point.parameters) {
        text += fmt::format("{}{}={}", separator, name, value);
        separator = ",";
    }
    return text;
}

}  // namespace

std::vector<std::string> dram_arguments(const Outcome& timed) {
    std::vector<std::string> arguments;
    for (const Point* point : largest_points(timed)) {
        arguments.insert(arguments.end(), {"--point", spelling(*point)});
    }
    if (!arguments.empty()) arguments.emplace_back("--full");
    return arguments;
}

void take_dram_bytes(Results& timed, const Results& counted) {
    for (const Point& point : counted.points) {
        const auto read = point.counters.find("dram_read_sectors");
        const auto written = point.counters.find("dram_write_sectors");
        if (read == point.counters.end() || written == point.counters.end()) continue;
        const auto same = std::ranges::find_if(timed.points, [&](const Point& other) {
            return other.series == point.series && other.parameters == point.parameters;
        });
        if (same == timed.points.end()) continue;
        const double read_bytes = static_cast<double>(read->second) * arch::kSectorBytes;
        const double write_bytes = static_cast<double>(written->second) * arch::kSectorBytes;
        same->facts["dram_read_bytes"] = read_bytes;
        same->facts["dram_write_bytes"] = write_bytes;
        same->facts["dram_bytes"] = read_bytes + write_bytes;
    }
}

std::vector<Traffic> traffic_of(const std::vector<Outcome>& outcomes) {
    std::vector<Traffic> all;
    for (const Outcome& outcome : outcomes) {
        for (const Point& point : outcome.results.points) {
            const auto moved = point.facts.find("dram_bytes");
            if (moved == point.facts.end() || point.bytes == 0) continue;
            all.push_back({outcome.description.name,
                           std::string(outcome.description.series_title(point.series)),
                           words(point.parameters, outcome.description),
                           static_cast<double>(point.bytes), moved->second});
        }
    }
    return all;
}

}  // namespace wideload::lab
