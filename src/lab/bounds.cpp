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

Work work_of(const Point& point) {
    Work work{};
    if (point.launches == 0) {
        of(work, Roof::f32) = point.flops;
        of(work, Roof::dram) = static_cast<double>(point.bytes);
        return work;
    }
    for (const Roof roof : model::kRoofs) {
        of(work, roof) = model::work(roof, point.counters).value_or(0);
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
    point.facts["ridge"] = *peak / *model::peak(Roof::dram, device);
}

const double* fact(const Point& point, std::string_view name) {
    const auto found = point.facts.find(name);
    return found == point.facts.end() ? nullptr : &found->second;
}

}  // namespace

void add_bounds(Results& results, const arch::Device& device) {
    for (Point& point : results.points) add_bound(point, device);
}

std::vector<Spot> spots_of(const std::vector<Outcome>& outcomes) {
    std::vector<Spot> spots;
    for (const Outcome& outcome : outcomes) {
        for (const Series& series : outcome.description.series) {
            const Point* most = nullptr;
            for (const Point& point : outcome.results.points) {
                const double* bound = fact(point, "bound_us");
                if (point.series != series.key || bound == nullptr) continue;
                if (fact(point, "intensity") == nullptr) continue;
                if (most == nullptr || *bound >= *fact(*most, "bound_us")) most = &point;
            }
            if (most == nullptr) continue;
            const auto binding = most->notes.find("binding");
            spots.push_back({outcome.description.name, series.title, *fact(*most, "intensity"),
                             *fact(*most, "bound_us"),
                             binding == most->notes.end() ? std::string{} : binding->second});
        }
    }
    return spots;
}

}  // namespace wideload::lab
