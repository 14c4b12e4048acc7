// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "cubins.h"
#include "hardware_rows.h"

namespace wideload::sass::test {
namespace {

/// "_Z11copy_scalarPiS_i" as "copy_scalar".
std::string bare_name(const std::string& mangled) {
    std::size_t digits = 2, bytes = 0;
    while (digits < mangled.size() && mangled[digits] >= '0' && mangled[digits] <= '9') {
        bytes = bytes * 10 + static_cast<std::size_t>(mangled[digits++] - '0');
    }
    return mangled.substr(digits, bytes);
}

// The registers that the profiler says each launch had on an H200 are those that the cubin says.
// The driver gives no thread fewer than 16.
TEST(Reference, RegistersAreThoseOfTheHardware) {
    constexpr std::uint64_t kFewestRegisters = 16;
    std::map<std::string, std::set<std::uint64_t>> registers;
    for (const KernelCode& kernel : kernels_of(cuda_file("sass_reference.cubin"), options_for())) {
        registers[bare_name(kernel.resources.name)].insert(
            std::max<std::uint64_t>(kernel.resources.registers, kFewestRegisters));
    }
    const auto rows = counters::test::read_hardware_rows("reference_h200.csv");
    ASSERT_GT(rows.size(), 50u);
    std::uint64_t most = 0;
    for (const auto& row : rows) {
        EXPECT_EQ(registers[row.kernel], std::set{row.columns.at("regs")}) << row.kernel;
        most = std::max(most, row.columns.at("regs"));
    }
    EXPECT_GT(most, kFewestRegisters) << "some rows should tell more than the least";
}

}  // namespace
}  // namespace wideload::sass::test
