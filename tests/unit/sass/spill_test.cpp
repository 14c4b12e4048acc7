// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "cubins.h"

namespace wideload::sass::test {
namespace {

/// What `ptxas -v` says of a kernel.
struct PtxasFigures {
    std::uint64_t frame_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0, registers = 0;
};

PtxasFigures figures_of(const std::string& file, const std::string& kernel) {
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::regex pattern(
        "Function properties for " + kernel +
        "\\s+(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads[^U]*"
        "Used (\\d+) registers");
    std::smatch found;
    EXPECT_TRUE(std::regex_search(text, found, pattern)) << text;
    if (found.empty()) return {};
    return {std::stoull(found[1]), std::stoull(found[2]), std::stoull(found[3]),
            std::stoull(found[4])};
}

class EveryArchitectureSpills : public testing::TestWithParam<std::uint32_t> {
protected:
    std::string said() const {
        return cuda_file("sass_spills_sm_" + std::to_string(GetParam()) + ".txt");
    }
    std::vector<KernelCode> kernels() const {
        return kernels_of(cuda_file("sass_spills_sm_" + std::to_string(GetParam()) + ".cubin"),
                          options_for(GetParam()));
    }
};

// The cubin marks its spills, so that they can be told from the array beside them: the bytes must
// be those that ptxas gives.
TEST_P(EveryArchitectureSpills, AreThoseThatPtxasSays) {
    const KernelCode kernel = kernel_named(kernels(), "crowded");
    const PtxasFigures expected = figures_of(said(), kernel.resources.name);
    ASSERT_TRUE(kernel.spills.has_value());
    EXPECT_GT(expected.spill_store_bytes, 0u) << "the program should spill";
    EXPECT_EQ(kernel.spills->store_bytes, expected.spill_store_bytes);
    EXPECT_EQ(kernel.spills->load_bytes, expected.spill_load_bytes);
    EXPECT_EQ(kernel.resources.frame_bytes, expected.frame_bytes);
    EXPECT_EQ(kernel.resources.registers, expected.registers);
}

// Per line, spills and the accesses of arrays are kept apart, and together they are all there is.
TEST_P(EveryArchitectureSpills, AreListedByLineApartFromArrays) {
    const KernelCode kernel = kernel_named(kernels(), "crowded");
    std::uint64_t spill_stores = 0, spill_loads = 0, others = 0;
    for (const Access& access : kernel.accesses) {
        if (access.space != Category::local) {
            EXPECT_FALSE(access.spill);
            continue;
        }
        EXPECT_FALSE(access.frames.empty());
        if (!access.spill) others += access.count;
        if (access.spill && access.action == Action::store) spill_stores += access.count;
        if (access.spill && access.action == Action::load) spill_loads += access.count;
    }
    EXPECT_EQ(spill_stores, kernel.spills->stores);
    EXPECT_EQ(spill_loads, kernel.spills->loads);
    EXPECT_GT(others, 0u) << "the array is indexed at run time";
    EXPECT_EQ(spill_stores + spill_loads + others, kernel.of(Category::local));
}

TEST_P(EveryArchitectureSpills, AreNoneWhereNoneAreNeeded) {
    const KernelCode kernel = kernel_named(kernels(), "roomy");
    EXPECT_EQ(kernel.spills, SpillTotals{});
    EXPECT_EQ(figures_of(said(), kernel.resources.name).spill_store_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Cubins, EveryArchitectureSpills,
                         testing::Values(75u, 80u, 86u, 89u, 90u, 100u, 120u),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace wideload::sass::test
