// SPDX-License-Identifier: Apache-2.0
#include "model/occupancy_steps.h"

#include <algorithm>
#include <utility>

namespace wideload::model {
namespace {

using arch::BlockResources;

BlockResources with_value(BlockResources resources, Axis axis, std::uint64_t value) {
    switch (axis) {
        case Axis::threads:
            resources.threads = static_cast<std::uint32_t>(value);
            break;
        case Axis::registers:
            resources.registers = static_cast<std::uint32_t>(value);
            break;
        case Axis::shared:
            resources.static_shared_bytes = 0;
            resources.dynamic_shared_bytes = value;
            break;
    }
    return resources;
}

/// Where an axis ends, and the distance at which its occupancy can change at all.
struct Extent {
    std::uint64_t first, last, unit;
};

Extent extent_of(Axis axis, const arch::Device& device, const BlockResources& resources) {
    const arch::MultiprocessorLimits& limits = device.limits();
    switch (axis) {
        case Axis::threads:
            return {1, resources.max_threads, arch::kWarpSize};
        case Axis::registers:
            return {1, arch::kMaxRegistersPerThread, 1};
        case Axis::shared:
            return {0, limits.shared_bytes_per_block_optin, limits.shared_allocation_unit};
    }
    return {};
}

}  // namespace

std::uint64_t value_on(Axis axis, const BlockResources& resources) {
    switch (axis) {
        case Axis::threads:
            return resources.threads;
        case Axis::registers:
            return resources.registers;
        case Axis::shared:
            return resources.shared_bytes();
    }
    return 0;
}

std::vector<Step> occupancy_steps(const arch::Device& device, const BlockResources& resources,
                                  Axis axis) {
    const Extent extent = extent_of(axis, device, resources);
    std::vector<Step> steps;
    // Sizes are rounded up to the unit: all values behind one multiple, up to the next, are alike.
    for (std::uint64_t first = extent.first; first <= extent.last;) {
        const std::uint64_t last =
            std::min((first + extent.unit - 1) / extent.unit * extent.unit, extent.last);
        const arch::Occupancy found = arch::occupancy(device, with_value(resources, axis, first));
        if (!steps.empty() && steps.back().occupancy.warps == found.warps) {
            steps.back().last = last;
            steps.back().at_last = found;
        } else {
            steps.push_back({first, last, found, found});
        }
        first = last + 1;
    }
    return steps;
}

Cliffs cliffs_around(std::uint64_t value, const std::vector<Step>& steps) {
    Cliffs cliffs;
    for (const Step& step : steps) {
        if (step.last < value) {
            cliffs.below = {step.last, step.at_last};
        } else if (step.first > value) {
            cliffs.above = {step.first, step.occupancy};
            break;
        }
    }
    return cliffs;
}

OccupancyStudy study_occupancy(std::string kernel, const arch::Device& device,
                               const arch::BlockResources& resources) {
    OccupancyStudy study{.kernel = std::move(kernel),
                         .device = &device,
                         .resources = resources,
                         .occupancy = arch::occupancy(device, resources),
                         .steps = {},
                         .cliffs = {}};
    for (const Axis axis : kAxes) {
        const auto i = static_cast<std::size_t>(axis);
        study.steps[i] = occupancy_steps(device, resources, axis);
        study.cliffs[i] = cliffs_around(value_on(axis, resources), study.steps[i]);
    }
    return study;
}

}  // namespace wideload::model
