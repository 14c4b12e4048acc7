// SPDX-License-Identifier: Apache-2.0
#include "lab/staircase.h"

#include <algorithm>
#include <cmath>

#include "lab/figures.h"
#include "report/step_plot.h"

namespace wideload::lab {
namespace {

/// Steps are alike where a plot of both in percent would be one line.
bool alike(const arch::Device& device, const model::Step& step, const arch::Device& other_device,
           const model::Step& other) {
    return step.first == other.first && step.last == other.last &&
           arch::occupancy_percent(device, step.occupancy) ==
               arch::occupancy_percent(other_device, other.occupancy);
}

bool belongs(const arch::Device& device, const std::vector<model::Step>& steps,
             const Course& course) {
    return std::ranges::equal(steps, course.steps, [&](const auto& step, const auto& other) {
        return alike(device, step, *course.devices.front(), other);
    });
}

}  // namespace

std::vector<Course> courses_of(const Staircase& staircase) {
    std::vector<Course> courses;
    for (const arch::Device& device : arch::devices()) {
        auto steps = model::occupancy_steps(device, staircase.resources, staircase.axis);
        const auto course = std::ranges::find_if(
            courses, [&](const Course& one) { return belongs(device, steps, one); });
        if (course == courses.end()) {
            courses.push_back({{&device}, std::move(steps)});
        } else {
            course->devices.push_back(&device);
        }
    }
    return courses;
}

std::string words(const Course& course) {
    std::string text;
    for (const model::Step& step : course.steps) {
        const double percent = arch::occupancy_percent(*course.devices.front(), step.occupancy);
        text += (text.empty() ? "" : ", ") + figure(std::round(percent * 10) / 10) + " to " +
                figure(static_cast<double>(step.last));
    }
    return text;
}

std::string axis_title(model::Axis axis) {
    return (axis == model::Axis::shared ? "bytes of " : "") + std::string(report::axis_words(axis));
}

std::string names_of(const Course& course) {
    std::string names;
    for (const arch::Device* device : course.devices) {
        names += (names.empty() ? "" : ", ") + std::string(device->key);
    }
    return names;
}

}  // namespace wideload::lab
