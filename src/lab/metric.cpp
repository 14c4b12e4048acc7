// SPDX-License-Identifier: Apache-2.0
#include "lab/metric.h"

#include <array>
#include <cmath>
#include <string>

#include "arch/compute_capability.h"

namespace wideload::lab {
namespace {

template <class Map>
std::optional<double> find(const Map& map, std::string_view name) {
    const auto found = map.find(name);
    if (found == map.end()) return std::nullopt;
    return static_cast<double>(found->second);
}

/// A counter, or the same figure as the program states it.
std::optional<double> known(const Point& point, std::string_view name) {
    const auto fact = find(point.facts, name);
    return fact ? fact : find(point.counters, name);
}

/// Hardware does not count what lanes ask for, but it follows from the launch.
std::optional<double> distinct_bytes(const Point& point, std::string_view counter) {
    if (const auto counted = known(point, counter)) return counted;
    const Expected* expected = find_expected(point, counter);
    if (expected == nullptr || expected->at_least) return std::nullopt;
    return static_cast<double>(expected->value);
}

/// Bits a lane of requests by whole warps.
std::optional<double> width_bits(const Point& point, std::string_view kind) {
    const auto distinct = distinct_bytes(point, std::string(kind) + "_distinct_bytes");
    const auto requests = known(point, std::string(kind) + "_requests");
    if (!distinct || !requests || *requests == 0) return std::nullopt;
    return 8 * *distinct / (*requests * arch::kWarpSize);
}

std::optional<double> degree_percent(const Point& point, std::string_view kind) {
    const auto distinct = distinct_bytes(point, std::string(kind) + "_distinct_bytes");
    const auto sectors = known(point, std::string(kind) + "_sectors");
    if (!distinct || !sectors || *sectors == 0) return std::nullopt;
    return 100 * *distinct / (*sectors * arch::kSectorBytes);
}

/// As NVIDIA's profiler estimates it of accesses that miss every cache: of the bytes that DRAM
/// moves, those that nobody asked for, as far as it was busy. A virtual GPU's is taken to be always
/// busy, which makes it a bound.
std::optional<double> gain_percent(const Results& results, const Point& point,
                                   std::string_view kind) {
    const auto degree = degree_percent(point, kind);
    const auto busy = find(point.facts, "dram_percent");
    if (!degree || (!busy && !results.machine.is_virtual)) return std::nullopt;
    return (100 - *degree) * busy.value_or(100) / 100;
}

/// What the profiler's tables of L1 and DRAM have beside the counters themselves.
std::optional<double> of_memory(const Point& point, std::string_view name) {
    const auto percent = [](double part, double whole) {
        return whole == 0 ? std::nullopt : std::optional(100 * part / whole);
    };
    const auto hits = known(point, "l1_ld_hit_sectors"), loads = known(point, "global_ld_sectors");
    if (hits && loads && name == "l1_ld_hit_percent") return percent(*hits, *loads);
    if (hits && loads && name == "l1_ld_miss_sectors") return *loads - *hits;
    const auto stores = known(point, "global_st_sectors");
    if (hits && loads && stores && name == "beyond_l1_sectors") return *loads - *hits + *stores;
    if (name != "dram_read_percent" && name != "dram_write_percent") return std::nullopt;
    const auto read = known(point, "dram_read_sectors");
    const auto written = known(point, "dram_write_sectors");
    const auto busy = known(point, "dram_percent");
    if (!read || !written || !busy || *read + *written == 0) return std::nullopt;
    const double part = name == "dram_read_percent" ? *read : *written;
    return *busy * part / (*read + *written);
}

/// What the launch itself started; nothing of several, whose extents need not be alike.
std::optional<double> launched(const Point& point, std::string_view name) {
    if (point.launches != 1) return std::nullopt;
    const auto product = [](const std::array<std::uint32_t, 3>& extent) {
        return static_cast<double>(extent[0]) * extent[1] * extent[2];
    };
    const double blocks = product(point.grid), threads = product(point.block);
    if (name == "launched_blocks") return blocks;
    if (name == "launched_threads") return blocks * threads;
    if (name == "launched_warps") return blocks * std::ceil(threads / arch::kWarpSize);
    return std::nullopt;
}

/// GB/s, GFLOP/s: thousands a microsecond.
std::optional<double> rate(const Point& point, double amount) {
    if (!point.time || amount <= 0) return std::nullopt;
    return amount / point.time->median / 1000;
}

std::optional<double> timed(const Results& results, const Point& point, std::string_view name) {
    if (name == "us" && point.time) return point.time->median;
    if (name == "gbps") return rate(point, static_cast<double>(point.bytes));
    if (name == "gflops") return rate(point, point.flops);
    if (name == "copy_percent" && results.best_copy_gbps.value_or(0) > 0) {
        const auto gbps = rate(point, static_cast<double>(point.bytes));
        if (gbps) return 100 * *gbps / *results.best_copy_gbps;
    }
    return std::nullopt;
}

std::optional<double> simple(const Results& results, const Point& point, std::string_view name) {
    constexpr std::string_view kDegree = "_degree", kGain = "_gain", kBytes = "_bytes",
                               kWidth = "_width_bits";
    if (const auto found = known(point, name)) return found;
    if (const auto parameter = find(point.parameters, name)) return parameter;
    if (name == "bytes") return static_cast<double>(point.bytes);
    if (name.ends_with("_distinct_bytes")) return distinct_bytes(point, name);
    if (name.ends_with(kDegree)) {
        return degree_percent(point, name.substr(0, name.size() - kDegree.size()));
    }
    if (name.ends_with(kWidth)) {
        return width_bits(point, name.substr(0, name.size() - kWidth.size()));
    }
    if (name.ends_with(kGain)) {
        return gain_percent(results, point, name.substr(0, name.size() - kGain.size()));
    }
    if (name.ends_with(kBytes)) {
        const std::string kind(name.substr(0, name.size() - kBytes.size()));
        if (const auto sectors = known(point, kind + "_sectors"))
            return *sectors * arch::kSectorBytes;
    }
    if (const auto found = of_memory(point, name)) return found;
    if (const auto found = launched(point, name)) return found;
    return timed(results, point, name);
}

}  // namespace

std::optional<double> metric(const Results& results, const Point& point, std::string_view name) {
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return simple(results, point, name);
    if (const auto fact = find(point.facts, name)) return fact;
    const auto numerator = simple(results, point, name.substr(0, slash));
    const auto denominator = simple(results, point, name.substr(slash + 1));
    if (!numerator || !denominator || *denominator == 0) return std::nullopt;
    return *numerator / *denominator;
}

bool fits(const Point& point, const Parameters& where) {
    for (const auto& [name, value] : where) {
        const auto found = point.parameters.find(name);
        if (found == point.parameters.end() || found->second != value) return false;
    }
    return true;
}

std::vector<Measured> select(const Results& results, const Side& side) {
    std::vector<Measured> found;
    for (const Point& point : results.points) {
        if (!side.series.empty() && point.series != side.series) continue;
        if (!fits(point, side.where)) continue;
        const auto value = metric(results, point, side.metric);
        if (value && std::isfinite(*value)) found.push_back({&point, *value});
    }
    return found;
}

}  // namespace wideload::lab
