// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/description.h"

namespace wideload::lab {

/// GPUs of the table on which occupancy takes the same course.
struct Course {
    std::vector<const arch::Device*> devices;
    std::vector<model::Step> steps;
};

/// Every GPU of the table is in exactly one course; courses come in the order of their first GPU.
[[nodiscard]] std::vector<Course> courses_of(const Staircase& staircase);

/// "100 to 32, 75 to 40": each step's occupancy in percent and its last value.
[[nodiscard]] std::string words(const Course& course);

/// "h100, h200": the keys of its GPUs.
[[nodiscard]] std::string names_of(const Course& course);

[[nodiscard]] std::string axis_title(model::Axis axis);

}  // namespace wideload::lab
