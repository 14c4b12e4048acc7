// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/occupancy.h"

/// Occupancy as a function of one resource while the others stay as they are: a staircase, whose
/// edges are the cliffs at which one register or byte more costs a block.
namespace wideload::model {

enum class Axis : std::uint8_t {
    threads,    ///< a block, 1 to the kernel's launch bounds
    registers,  ///< a thread, 1 to 255
    shared,     ///< bytes a block, static and dynamic together, 0 to the GPU's opt-in limit
};
inline constexpr std::array kAxes = {Axis::threads, Axis::registers, Axis::shared};

/// A run of values with one occupancy.
struct Step {
    std::uint64_t first = 0, last = 0;  ///< both included
    arch::Occupancy occupancy;          ///< at `first`
    arch::Occupancy at_last;            ///< the same warps; `blocks` and limiters may differ
};

/// The whole staircase, by ascending value and without gaps. Neighbouring steps differ in their
/// warps.
[[nodiscard]] std::vector<Step> occupancy_steps(const arch::Device& device,
                                                const arch::BlockResources& resources, Axis axis);

/// What the resources have on an axis.
[[nodiscard]] std::uint64_t value_on(Axis axis, const arch::BlockResources& resources);

/// The nearest values on both sides of where a kernel stands at which its occupancy is another.
struct Cliffs {
    struct Edge {
        std::uint64_t value = 0;
        arch::Occupancy occupancy;
    };
    std::optional<Edge>
        below;  ///< the greatest smaller value; none: occupancy stays down to the end
    std::optional<Edge> above;  ///< the least greater value
};
[[nodiscard]] Cliffs cliffs_around(std::uint64_t value, const std::vector<Step>& steps);

/// All there is to know of one kernel, or of given figures, on one GPU.
struct OccupancyStudy {
    std::string kernel;  ///< demangled; empty of figures that belong to none
    const arch::Device* device = nullptr;
    arch::BlockResources resources;
    arch::Occupancy occupancy;
    std::array<std::vector<Step>, kAxes.size()> steps;  ///< by Axis
    std::array<Cliffs, kAxes.size()> cliffs;            ///< by Axis
};
[[nodiscard]] OccupancyStudy study_occupancy(std::string kernel, const arch::Device& device,
                                             const arch::BlockResources& resources);

}  // namespace wideload::model
