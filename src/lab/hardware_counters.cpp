// SPDX-License-Identifier: Apache-2.0
#include "lab/hardware_counters.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "lab/lines.h"
#include "profile/demangle.h"

namespace wideload::lab {
namespace {

struct Metric {
    std::string_view counter, metric;
};

constexpr std::array kMetrics = {
#define METRIC(counter, metric) Metric{#counter, #metric},
#include "lab/hardware_metrics.def"
#undef METRIC
};

/// No counter, but what ncu says of the launch itself; a block's, in bytes.
constexpr std::string_view kDynamicShared = "launch__shared_mem_per_block_dynamic";

/// The cells of a line in which each may be quoted; quotes in quoted ones are doubled.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += c;
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

/// "1,048,576" or "1048576.00"
std::optional<std::uint64_t> count_of(std::string text) {
    std::erase(text, ',');
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    constexpr double kMost = 9.2e18;
    if (!(number >= 0) || number > kMost) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(number));
}

/// "(64, 1, 1)"
std::optional<std::array<std::uint32_t, 3>> extent_of(std::string_view text) {
    std::array<std::uint32_t, 3> extent{};
    for (std::uint32_t& side : extent) {
        text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
        if (error != std::errc{}) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return extent;
}

/// The columns of a table by name.
class LogHeads {
public:
    explicit LogHeads(const std::vector<std::string>& names) {
        for (std::size_t i = 0; i < names.size(); ++i) places_.emplace(names[i], i);
    }
    /// The cell of a row under a head; empty where there is none.
    [[nodiscard]] std::string cell(const std::vector<std::string>& row,
                                   std::string_view head) const {
        const auto place = places_.find(head);
        return place == places_.end() || place->second >= row.size() ? std::string{}
                                                                     : row[place->second];
    }

private:
    std::map<std::string, std::size_t, std::less<>> places_;
};

/// Nothing where the row is no launch, as that of the units.
std::optional<profile::Launch> launch_of(const LogHeads& heads,
                                         const std::vector<std::string>& row) {
    const auto grid = extent_of(heads.cell(row, "Grid Size"));
    if (heads.cell(row, "ID").empty() || !grid) return std::nullopt;
    profile::Launch launch;
    launch.mangled = heads.cell(row, "Kernel Name");
    launch.kernel = profile::demangle(launch.mangled);
    launch.grid = *grid;
    launch.block = extent_of(heads.cell(row, "Block Size")).value_or(launch.block);
    launch.dynamic_shared_bytes = count_of(heads.cell(row, kDynamicShared)).value_or(0);
    for (const Metric& metric : kMetrics) {
        if (const auto count = count_of(heads.cell(row, metric.metric))) {
            launch.counters.own()[std::string(metric.counter)] = *count;
        }
    }
    return launch;
}

/// The metrics as ncu's argument has them.
std::string metrics_of(Asked asked) {
    std::string metrics(asked == Asked::every_counter ? kDynamicShared : "");
    for (const Metric& metric : kMetrics) {
        if (asked == Asked::dram && !metric.counter.starts_with("dram_")) continue;
        metrics += (metrics.empty() ? "" : ",") + std::string(metric.metric);
    }
    return metrics;
}

}  // namespace

std::vector<std::string> ncu_arguments(const std::string& log, Asked asked) {
    // Only the program itself: an experiment's children are there to fail. And only points, between
    // whose marks it lets profilers count.
    return {"--csv",
            "--page",
            "raw",
            "--print-units",
            "base",
            "--print-kernel-base",
            "mangled",
            "--target-processes",
            "application-only",
            "--profile-from-start",
            "off",
            "--clock-control",
            "none",
            "--log-file",
            log,
            "--metrics",
            metrics_of(asked)};
}

Result<profile::Profile> parse_ncu_log(std::string_view text, const std::string& source) {
    profile::Profile profile;
    std::optional<LogHeads> heads;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (!heads) {
            if (line.starts_with("\"ID\"")) heads.emplace(cells_of(line));
            continue;
        }
        if (!line.starts_with('"')) continue;  // ncu's own words
        if (auto launch = launch_of(*heads, cells_of(line))) {
            profile.launches.push_back(std::move(*launch));
        }
    }
    if (profile.launches.empty()) return failure_in(source, "has no launch that ncu counted");
    return profile;
}

std::string ncu_error(std::string_view log) {
    constexpr std::string_view kMark = "==ERROR== ";
    const std::size_t at = log.find(kMark);
    if (at == std::string_view::npos) return {};
    log.remove_prefix(at + kMark.size());
    return std::string(take_line(log));
}

bool is_not_permitted(std::string_view error) {
    return error.find("ERR_NVGPUCTRPERM") != std::string_view::npos;
}

}  // namespace wideload::lab
