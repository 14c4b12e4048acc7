// SPDX-License-Identifier: Apache-2.0
#include "report/code_report.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wideload::report {
namespace {

/// Lines between the first kernel's and what is said of it.
std::size_t heading_lines(const std::string& kernel) {
    sass::InspectedCode code;
    code.target = {90, '\0'};
    code.kernels.emplace_back().resources.name = kernel;
    Inspection inspection{"wideload", "file", {}};
    inspection.codes.push_back(std::move(code));
    const std::string text = code_report(inspection, {});
    const std::size_t begin = text.find(".\n\n") + 3, end = text.find("\n  ", begin);
    return static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                               text.begin() + static_cast<std::ptrdiff_t>(end),
                                               '\n')) +
           1;
}

// Names of lambdas, and of templates of templates, would push the figures off the screen.
TEST(CodeReport, HeadsAKernelWithTwoLinesAtMost) {
    EXPECT_EQ(heading_lines("short"), 1u);
    EXPECT_EQ(heading_lines(std::string(150, 'x')), 2u);
    EXPECT_EQ(heading_lines(std::string(2000, 'x')), 2u);
}

}  // namespace
}  // namespace wideload::report
