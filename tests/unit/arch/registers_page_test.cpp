// SPDX-License-Identifier: Apache-2.0
// docs/registers.md takes its figures of GPUs from the tables of this module. Another test works
// out its calculations; this one holds what goes into them to the tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "arch/device.h"
#include "arch/occupancy.h"

namespace wideload::arch {
namespace {

/// A figure of the tables, and where the page has it: the first group of a pattern, at each place.
struct Figure {
    std::string value;
    std::vector<std::string> places;
};

std::string page() {
    std::ifstream file(WIDELOAD_REGISTERS_PAGE);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::ranges::replace(text, '\n', ' ');
    return text;
}

std::string grouped(std::uint32_t number) {
    return number < 1000 ? std::to_string(number)
                         : fmt::format("{},{:03}", number / 1000, number % 1000);
}

std::vector<Figure> figures_of(const Device& device, const MultiprocessorLimits& limits) {
    return {
        {grouped(limits.registers),
         {"multiprocessor of an H200 has ([0-9,]+) registers", "`([0-9,]+) × 4 bytes /",
          "`([0-9,]+) registers / ", R"(one of ([0-9,]+) `log2\()"}},
        {grouped(device.multiprocessors),
         {"its ([0-9,]+) multiprocessors together", "`([0-9,]+) × 256 KiB"}},
        {grouped(limits.max_threads),
         {"up to ([0-9,]+) a multiprocessor", "With all ([0-9,]+) threads resident",
          "/ ([0-9,]+) threads ="}},
        {grouped(kMaxRegistersPerThread), {"as many as its kernel needs, up to ([0-9,]+) "}},
        {grouped(limits.register_allocation_unit / kWarpSize),
         {"handed out in steps of ([0-9,]+) a thread"}},
        {fmt::format("{:.2f}", device.sm_clock_khz / 1e6),
         {"On an H200 a cycle lasts `1 / ([0-9.]+) GHz"}},
    };
}

/// Places where the page has another figure, or none.
std::vector<std::string> misfits(const std::string& text, const std::vector<Figure>& figures) {
    std::vector<std::string> found;
    for (const Figure& figure : figures) {
        for (const std::string& place : figure.places) {
            const std::regex pattern(place);
            std::sregex_iterator match(text.begin(), text.end(), pattern);
            if (match == std::sregex_iterator()) found.push_back(place + " is nowhere");
            for (; match != std::sregex_iterator(); ++match) {
                if ((*match)[1] != figure.value) {
                    found.push_back(
                        fmt::format("{}, which should be {}", match->str(), figure.value));
                }
            }
        }
    }
    return found;
}

TEST(RegistersPage, HasTheTablesFigures) {
    const Device& device = *find_device("h200");
    EXPECT_EQ(misfits(page(), figures_of(device, device.limits())), std::vector<std::string>{});
}

TEST(RegistersPage, AnotherTableWouldBeNoticed) {
    Device device = *find_device("h200");
    MultiprocessorLimits limits = device.limits();
    ++device.multiprocessors;
    device.sm_clock_khz += 10'000;
    limits.registers += 1024;
    limits.max_threads += 32;
    limits.register_allocation_unit += kWarpSize;
    const std::vector<Figure> figures = figures_of(device, limits);
    const std::vector<Figure> right =
        figures_of(*find_device("h200"), find_device("h200")->limits());
    for (std::size_t i = 0; i < figures.size(); ++i) {
        if (figures[i].value == right[i].value) continue;  // the most of a thread is no table's
        EXPECT_GE(misfits(page(), {figures[i]}).size(), figures[i].places.size());
    }
}

}  // namespace
}  // namespace wideload::arch
