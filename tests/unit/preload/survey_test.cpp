// SPDX-License-Identifier: Apache-2.0
// What public programs call is there: no function of the runtime that two of them use may be
// missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

namespace wideload::preload {
namespace {

#define CALL(name) {#name, true},
#define CALL_AS(name, implementation) {#name, true},
#define CALL_PER_THREAD(name, implementation) {#name, true},
#define CALL_BY_VERSION(name) {#name, true},
#define CALL_BY_VERSION_PER_THREAD(name, implementation) {#name, true},
#define MISSING(name) {#name, false},
const std::map<std::string_view, bool> kIsThere{
#include "preload/runtime_api.def"
};

/// Those that say which library and function it was, since they hold machine code only.
constexpr std::array<std::string_view, 3> kVendors{"cublas", "cusparse", "curand"};

bool is_of_vendor(std::string_view function) {
    return std::ranges::any_of(
        kVendors, [&](std::string_view vendor) { return function.starts_with(vendor); });
}

TEST(Survey, NoRuntimeFunctionOfTwoProgramsIsMissing) {
    std::ifstream file(WIDELOAD_SURVEYED_CALLS);
    ASSERT_TRUE(file.good()) << WIDELOAD_SURVEYED_CALLS;
    std::string line;
    int checked = 0;
    while (std::getline(file, line)) {
        if (line.starts_with('#')) continue;
        const std::string function = line.substr(line.find(' ') + 1);
        if (is_of_vendor(function)) continue;
        const auto known = kIsThere.find(function);
        EXPECT_TRUE(known != kIsThere.end() && known->second) << line;
        ++checked;
    }
    EXPECT_GT(checked, 60);
}

}  // namespace
}  // namespace wideload::preload
