// SPDX-License-Identifier: Apache-2.0
#include "lab/bounds.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "model/roofline.h"

namespace wideload::lab {
namespace {

using model::Roof;

/// What a point did, by roof.
using Work = std::array<double, model::kRoofs.size()>;

double& of(Work& work, Roof roof) { return work[static_cast<std::size_t>(roof)]; }
double of(const Work& work, Roof roof) { return work[static_cast<std::size_t>(roof)]; }

/// What was counted; of the rest what the formulas of the launch say, at least.
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

/// The roof that takes some work longest, and how long.
struct Bound {
    Roof binding;
    double seconds;
};

std::optional<Bound> bound_of(const Work& work, const arch::Device& device) {
    std::optional<Bound> bound;
    for (const Roof roof : model::kRoofs) {
        const std::optional<double> rate = model::peak(roof, device);
        if (!rate || of(work, roof) == 0) continue;
        const double seconds = of(work, roof) / *rate;
        if (!bound || seconds >= bound->seconds) bound = {roof, seconds};
    }
    return bound;
}

void add_bound(Point& point, const Work& work, const arch::Device& device) {
    const std::optional<Bound> bound = bound_of(work, device);
    if (!bound) return;
    point.facts["bound_us"] = bound->seconds * 1e6;
    point.facts["memory_bound"] = model::is_memory(bound->binding) ? 1 : 0;
    point.notes["binding"] = model::name(bound->binding);
    if (point.time) point.facts["bound_percent"] = 100 * bound->seconds * 1e6 / point.time->median;
    const Roof arithmetic = arithmetic_of(work);
    const std::optional<double> peak = model::peak(arithmetic, device);
    if (of(work, Roof::dram) == 0 || of(work, arithmetic) == 0 || !peak) return;
    point.facts["intensity"] = of(work, arithmetic) / of(work, Roof::dram);
    point.facts["operations"] = of(work, arithmetic);
    point.facts["ridge"] = *peak / *model::peak(Roof::dram, device);
}

const double* fact(const Point& point, std::string_view name) {
    const auto found = point.facts.find(name);
    return found == point.facts.end() ? nullptr : &found->second;
}

/// The place that the bytes make which DRAM moved, in place of the fewest.
void add_traffic(Point& point, Work work, const arch::Device& device) {
    const double* moved = fact(point, "dram_bytes");
    if (moved == nullptr || !(*moved > 0)) return;
    if (point.bytes > 0) {
        point.facts["dram_times_stated"] = *moved / static_cast<double>(point.bytes);
    }
    of(work, Roof::dram) = *moved;
    if (const std::optional<Bound> bound = bound_of(work, device)) {
        point.facts["dram_bound_us"] = bound->seconds * 1e6;
        point.notes["dram_binding"] = model::name(bound->binding);
    }
    if (const double* operations = fact(point, "operations")) {
        point.facts["dram_intensity"] = *operations / *moved;
    }
}

/// How busy DRAM was while the profiler counted: a sector is 32 bytes, a byte a ns is a GB/s.
void add_dram(Point& point, const arch::Device& device) {
    const auto read = point.counters.find("dram_read_sectors");
    const auto written = point.counters.find("dram_write_sectors");
    const auto ns = point.counters.find("profiled_ns");
    for (const auto& counter : {read, written, ns}) {
        if (counter == point.counters.end()) return;
    }
    if (ns->second == 0) return;
    const auto gbps = [&](std::uint64_t sectors) {
        return static_cast<double>(sectors) * arch::kSectorBytes / static_cast<double>(ns->second);
    };
    point.facts["dram_read_gbps"] = gbps(read->second);
    point.facts["dram_write_gbps"] = gbps(written->second);
    point.facts["dram_percent"] =
        100 * gbps(read->second + written->second) * 1e9 / device.dram_peak_bytes_per_second();
}

bool computes(const Point& point) { return fact(point, "operations") != nullptr; }

/// Null where no point of the series has a bound.
const Point* largest_point(const Results& results, std::string_view series) {
    const Point* largest = nullptr;
    const auto rank = [](const Point& point) {
        return std::pair(computes(point), *fact(point, "bound_us"));
    };
    for (const Point& point : results.points) {
        if (point.series != series || fact(point, "bound_us") == nullptr) continue;
        if (largest == nullptr || rank(point) >= rank(*largest)) largest = &point;
    }
    return largest;
}

std::string note(const Point& point, std::string_view name) {
    const auto found = point.notes.find(name);
    return found == point.notes.end() ? std::string{} : found->second;
}

Spot spot_of(const Point& point, const Outcome& outcome) {
    Spot spot;
    spot.experiment = outcome.description.name;
    spot.series = outcome.description.series_title(point.series);
    spot.operations = *fact(point, "operations");
    spot.is_by_dram = fact(point, "dram_intensity") != nullptr;
    spot.intensity = *fact(point, spot.is_by_dram ? "dram_intensity" : "intensity");
    spot.bound_us = *fact(point, spot.is_by_dram ? "dram_bound_us" : "bound_us");
    spot.binding = note(point, spot.is_by_dram ? "dram_binding" : "binding");
    if (point.time) spot.us = point.time->median;
    if (const double* times = fact(point, "dram_times_stated")) spot.dram_times_stated = *times;
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
        const Work work = work_of(point);
        add_bound(point, work, device);
        add_traffic(point, work, device);
        add_dram(point, device);
    }
}

void add_bounds(Results& results) {
    if (const arch::Device* device = arch::device_named(results.machine.gpu)) {
        add_bounds(results, *device);
    }
}

std::vector<const Point*> largest_points(const Outcome& outcome) {
    std::vector<const Point*> points;
    for (const Series& series : outcome.description.series) {
        if (const Point* point = largest_point(outcome.results, series.key)) {
            points.push_back(point);
        }
    }
    return points;
}

std::vector<Spot> spots_of(const std::vector<Outcome>& outcomes) {
    std::vector<Spot> spots;
    for (const Outcome& outcome : outcomes) {
        if (is_only_counted(outcome.results)) continue;
        for (const Point* point : largest_points(outcome)) {
            if (computes(*point)) spots.push_back(spot_of(*point, outcome));
        }
    }
    return spots;
}

}  // namespace wideload::lab
