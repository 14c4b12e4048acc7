// SPDX-License-Identifier: Apache-2.0
#include "lab/bounds.h"

#include <algorithm>
#include <array>
#include <optional>

#include "model/roofline.h"

namespace wideload::lab {
namespace {

using model::Roof;

/// What a point did, by roof.
using Work = std::array<double, model::kRoofs.size()>;

double& of(Work& work, Roof roof) { return work[static_cast<std::size_t>(roof)]; }
double of(const Work& work, Roof roof) { return work[static_cast<std::size_t>(roof)]; }

/// What was counted; of the rest what the formulas of the launch say.
profile::Counters known_counters(const Point& point) {
    profile::Counters known = point.counters;
    for (const Expected& expected : point.expected) {
        known.try_emplace(expected.counter, expected.value);
    }
    return known;
}

Work work_of(const Point& point) {
    const profile::Counters known = known_counters(point);
    Work work{};
    bool has_arithmetic = false;
    for (const Roof roof : model::kRoofs) {
        of(work, roof) = model::work(roof, known).value_or(0);
        if (!model::is_memory(roof) && of(work, roof) > 0) has_arithmetic = true;
    }
    // What the program says of itself, where nothing else is known.
    if (!has_arithmetic) of(work, Roof::f32) = point.flops;
    if (of(work, Roof::dram) == 0 && point.launches == 0) {
        of(work, Roof::dram) = static_cast<double>(point.bytes);
    }
    return work;
}

/// The kind of arithmetic that there is most of: floating point, else integers.
Roof arithmetic_of(const Work& work) {
    Roof most = Roof::f32;
    for (const Roof roof : {Roof::f16, Roof::f64}) {
        if (of(work, roof) > of(work, most)) most = roof;
    }
    return of(work, most) > 0 ? most : Roof::i32;
}

void add_bound(Point& point, const arch::Device& device) {
    const Work work = work_of(point);
    std::optional<Roof> binding;
    double bound_s = 0;
    for (const Roof roof : model::kRoofs) {
        const std::optional<double> rate = model::peak(roof, device);
        if (!rate || of(work, roof) == 0 || of(work, roof) / *rate < bound_s) continue;
        bound_s = of(work, roof) / *rate;
        binding = roof;
    }
    if (!binding) return;
    point.facts["bound_us"] = bound_s * 1e6;
    point.facts["memory_bound"] = model::is_memory(*binding) ? 1 : 0;
    point.notes["binding"] = model::name(*binding);
    if (point.time) point.facts["bound_percent"] = 100 * bound_s * 1e6 / point.time->median;
    const Roof arithmetic = arithmetic_of(work);
    const std::optional<double> peak = model::peak(arithmetic, device);
    if (of(work, Roof::dram) == 0 || of(work, arithmetic) == 0 || !peak) return;
    point.facts["intensity"] = of(work, arithmetic) / of(work, Roof::dram);
    point.facts["operations"] = of(work, arithmetic);
    point.facts["ridge"] = *peak / *model::peak(Roof::dram, device);
}

/// How busy DRAM was while the profiler counted: a sector is 32 bytes, a byte a ns is a GB/s.
void add_dram(Point& point, const arch::Device& device) {
    constexpr double kSectorBytes = 32;
    const auto read = point.counters.find("dram_read_sectors");
    const auto written = point.counters.find("dram_write_sectors");
    const auto ns = point.counters.find("profiled_ns");
    for (const auto& counter : {read, written, ns}) {
        if (counter == point.counters.end()) return;
    }
    if (ns->second == 0) return;
    const auto gbps = [&](std::uint64_t sectors) {
        return static_cast<double>(sectors) * kSectorBytes / static_cast<double>(ns->second);
    };
    point.facts["dram_read_gbps"] = gbps(read->second);
    point.facts["dram_write_gbps"] = gbps(written->second);
    point.facts["dram_percent"] =
        100 * gbps(read->second + written->second) * 1e9 / device.dram_peak_bytes_per_second();
}

const double* fact(const Point& point, std::string_view name) {
    const auto found = point.facts.find(name);
    return found == point.facts.end() ? nullptr : &found->second;
}

/// The point of a series that takes longest at its bound; null where none has a place.
const Point* most_work(const Results& results, std::string_view series) {
    const Point* most = nullptr;
    for (const Point& point : results.points) {
        const double* bound = fact(point, "bound_us");
        if (point.series != series || bound == nullptr) continue;
        if (fact(point, "operations") == nullptr) continue;
        if (most == nullptr || *bound >= *fact(*most, "bound_us")) most = &point;
    }
    return most;
}

Spot spot_of(const Point& point, const Outcome& outcome) {
    const auto binding = point.notes.find("binding");
    Spot spot{outcome.description.name,
              std::string(outcome.description.series_title(point.series)),
              *fact(point, "intensity"),
              *fact(point, "bound_us"),
              *fact(point, "operations"),
              std::nullopt,
              binding == point.notes.end() ? std::string{} : binding->second};
    if (point.time) spot.us = point.time->median;
    return spot;
}

bool is_only_counted(const Results& results) {
    return !results.machine.is_virtual &&
           std::ranges::none_of(results.points,
                                [](const Point& point) { return point.time.has_value(); });
}

}  // namespace

void add_bounds(Results& results, const arch::Device& device) {
    for (Point& point : results.points) {
        add_bound(point, device);
        add_dram(point, device);
    }
}

void add_bounds(Results& results) {
    if (const arch::Device* device = arch::device_named(results.machine.gpu)) {
        add_bounds(results, *device);
    }
}

std::vector<Spot> spots_of(const std::vector<Outcome>& outcomes) {
    std::vector<Spot> spots;
    for (const Outcome& outcome : outcomes) {
        if (is_only_counted(outcome.results)) continue;
        for (const Series& series : outcome.description.series) {
            if (const Point* point = most_work(outcome.results, series.key)) {
                spots.push_back(spot_of(*point, outcome));
            }
        }
    }
    return spots;
}

}  // namespace wideload::lab
