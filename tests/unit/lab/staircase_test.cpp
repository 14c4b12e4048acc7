// SPDX-License-Identifier: Apache-2.0
// A step plot of the lab must show every GPU of the table, and each where the calculator puts it.
#include "lab/staircase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

namespace wideload::lab {
namespace {

Staircase by_registers() {
    Staircase staircase;
    staircase.axis = model::Axis::registers;
    staircase.resources = {.threads = 512, .registers = 32};
    return staircase;
}

double percent_at(const Course& course, std::uint64_t value) {
    const auto step = std::ranges::find_if(
        course.steps, [&](const model::Step& one) { return value <= one.last; });
    return arch::occupancy_percent(*course.devices.front(), step->occupancy);
}

TEST(Staircase, HasEachGpuOnce) {
    std::vector<const arch::Device*> shown;
    for (const Course& course : courses_of(by_registers())) {
        shown.insert(shown.end(), course.devices.begin(), course.devices.end());
    }
    std::vector<const arch::Device*> all;
    for (const arch::Device& device : arch::devices()) all.push_back(&device);
    std::ranges::sort(shown);
    EXPECT_EQ(shown, all);
}

TEST(Staircase, PutsGpusThatShareACourseWhereTheCalculatorDoes) {
    for (const Course& course : courses_of(by_registers())) {
        for (const arch::Device* device : course.devices) {
            for (const std::uint32_t registers : {16u, 31u, 32u, 33u, 40u, 41u, 64u, 128u, 255u}) {
                const arch::Occupancy found =
                    arch::occupancy(*device, {.threads = 512, .registers = registers});
                EXPECT_EQ(percent_at(course, registers), arch::occupancy_percent(*device, found))
                    << device->name << " at " << registers << " registers";
            }
        }
    }
}

TEST(Staircase, GpusOfOtherLimitsDoNotShareACourse) {
    const std::vector<Course> courses = courses_of(by_registers());
    const auto course_of = [&](std::string_view key) {
        return std::ranges::find_if(courses, [&](const Course& course) {
            return std::ranges::find(course.devices, arch::find_device(key)) !=
                   course.devices.end();
        });
    };
    EXPECT_EQ(course_of("a100"), course_of("h200"));
    EXPECT_NE(course_of("a100"), course_of("rtx3090"));  // 2,048 threads against 1,536
}

TEST(Staircase, ReadsAsPercentAndLastValue) {
    const Course course = courses_of(by_registers()).front();
    EXPECT_EQ(course.devices.front(), &arch::devices().front());
    EXPECT_EQ(words(course), "100 to 64, 50 to 128, 0 to 255");  // T4: 1,024 threads
}

}  // namespace
}  // namespace wideload::lab
