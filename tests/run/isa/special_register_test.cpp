// SPDX-License-Identifier: Apache-2.0
// Special registers in every way that a block's threads can fall into warps. Each thread writes
// what it reads to its own row, so a wrong %tid also shows as rows missing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "machine.h"

namespace wideload::isa {
namespace {

const std::vector<std::string> kRegisters{"%tid.x",
                                          "%tid.y",
                                          "%tid.z",
                                          "%ntid.x",
                                          "%ntid.y",
                                          "%ntid.z",
                                          "%ctaid.x",
                                          "%ctaid.y",
                                          "%ctaid.z",
                                          "%nctaid.x",
                                          "%nctaid.y",
                                          "%nctaid.z",
                                          "%laneid",
                                          "%lanemask_eq",
                                          "%lanemask_le",
                                          "%lanemask_lt",
                                          "%lanemask_ge",
                                          "%lanemask_gt",
                                          "%nwarpid",
                                          "%smid",
                                          "%nsmid",
                                          "%dynamic_smem_size",
                                          "%total_smem_size",
                                          "%clusterid.x",
                                          "%clusterid.y",
                                          "%clusterid.z",
                                          "%nclusterid.x",
                                          "%nclusterid.y",
                                          "%nclusterid.z",
                                          "%cluster_ctaid.x",
                                          "%cluster_ctaid.y",
                                          "%cluster_ctaid.z",
                                          "%cluster_nctaid.x",
                                          "%cluster_nctaid.y",
                                          "%cluster_nctaid.z",
                                          "%cluster_ctarank",
                                          "%cluster_nctarank"};

/// Row of a thread: its index over the grid, from ntid and nctaid.
std::string kernel_text() {
    std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry registers(.param .u64 results)\n{\n"
        ".reg .b32 %x, %y, %thread, %block;\n.reg .b64 %row, %at;\n"
        ".shared .align 4 .b8 own[48];\n"
        "ld.param.u64 %at, [results];\ncvta.to.global.u64 %at, %at;\n";
    const auto linear = [&](const std::string& result, const std::string& index,
                            const std::string& extent) {
        text += fmt::format(
            "mov.u32 {0}, %{1}.z;\nmov.u32 %x, %{2}.y;\nmov.u32 %y, %{1}.y;\n"
            "mad.lo.u32 {0}, {0}, %x, %y;\nmov.u32 %x, %{2}.x;\nmov.u32 %y, %{1}.x;\n"
            "mad.lo.u32 {0}, {0}, %x, %y;\n",
            result, index, extent);
    };
    linear("%thread", "tid", "ntid");
    linear("%block", "ctaid", "nctaid");
    text +=
        "mov.u32 %x, %ntid.x;\nmov.u32 %y, %ntid.y;\nmul.lo.u32 %x, %x, %y;\n"
        "mov.u32 %y, %ntid.z;\nmul.lo.u32 %x, %x, %y;\nmad.lo.u32 %thread, %block, %x, %thread;\n";
    text += fmt::format("mul.wide.u32 %row, %thread, {};\nadd.u64 %at, %at, %row;\n",
                        4 * kRegisters.size());
    text += "mov.u32 %y, 7;\nst.shared.u32 [own], %y;\n";
    for (std::size_t r = 0; r < kRegisters.size(); ++r) {
        text += fmt::format("mov.u32 %x, {};\nst.global.u32 [%at+{}], %x;\n", kRegisters[r], 4 * r);
    }
    return text + "ret;\n}\n";
}

using Row = std::map<std::string, std::uint32_t>;

Row expected_row(Dimensions grid, Dimensions block, std::uint32_t index) {
    const std::uint32_t threads = block.x * block.y * block.z;
    const std::uint32_t thread = index % threads, number = index / threads, lane = thread % 32;
    Row row{{"%tid.x", thread % block.x},
            {"%tid.y", thread / block.x % block.y},
            {"%tid.z", thread / block.x / block.y},
            {"%ntid.x", block.x},
            {"%ntid.y", block.y},
            {"%ntid.z", block.z},
            {"%ctaid.x", number % grid.x},
            {"%ctaid.y", number / grid.x % grid.y},
            {"%ctaid.z", number / grid.x / grid.y},
            {"%nctaid.x", grid.x},
            {"%nctaid.y", grid.y},
            {"%nctaid.z", grid.z},
            {"%laneid", lane},
            {"%lanemask_eq", 1u << lane},
            {"%lanemask_lt", (1u << lane) - 1},
            {"%dynamic_smem_size", 0},
            {"%cluster_ctarank", 0},
            {"%cluster_nctarank", 1}};
    row["%lanemask_le"] = row["%lanemask_lt"] | row["%lanemask_eq"];
    row["%lanemask_gt"] = ~row["%lanemask_le"];
    row["%lanemask_ge"] = ~row["%lanemask_lt"];
    // Each block is a cluster of its own.
    for (const std::string dimension : {".x", ".y", ".z"}) {
        row["%clusterid" + dimension] = row["%ctaid" + dimension];
        row["%nclusterid" + dimension] = row["%nctaid" + dimension];
        row["%cluster_ctaid" + dimension] = 0;
        row["%cluster_nctaid" + dimension] = 1;
    }
    return row;
}

struct Shape {
    std::string name;
    Dimensions grid, block;
};

class Threads : public testing::TestWithParam<Shape> {};

TEST_P(Threads, ReadTheirPlace) {
    const auto& [name, grid, block] = GetParam();
    const std::uint32_t threads = block.x * block.y * block.z * grid.x * grid.y * grid.z;
    std::vector<std::uint32_t> rows(threads * kRegisters.size(), 0xdeadbeef);
    const std::uint64_t address = machine().upload(std::as_bytes(std::span(rows)));
    ASSERT_EQ(machine().run(kernel_text(), "registers", grid, block, std::span(&address, 1)), "");
    machine().download(address, std::as_writable_bytes(std::span(rows)));
    machine().free(address);
    for (std::uint32_t index = 0; index < threads; ++index) {
        const Row expected = expected_row(grid, block, index);
        Row actual;
        for (std::size_t r = 0; r < kRegisters.size(); ++r) {
            actual[kRegisters[r]] = rows[index * kRegisters.size() + r];
        }
        for (const auto& [reg, value] : expected) {
            ASSERT_EQ(actual[reg], value) << reg << " of thread " << index;
        }
        ASSERT_LT(actual["%smid"], actual["%nsmid"]);
        const std::uint32_t warps = (block.x * block.y * block.z + 31) / 32;
        ASSERT_GE(actual["%nwarpid"], warps);
        ASSERT_GE(actual["%total_smem_size"], 48u);
    }
}

INSTANTIATE_TEST_SUITE_P(SpecialRegisters, Threads,
                         testing::Values(Shape{"OneRow", {3, 1, 1}, {100, 1, 1}},
                                         Shape{"RowsOf64", {2, 3, 1}, {64, 2, 2}},
                                         Shape{"RowsOf32", {1, 2, 2}, {32, 5, 1}},
                                         Shape{"ColumnsOf16", {2, 2, 1}, {16, 16, 1}},
                                         Shape{"ColumnsOf8Deep", {1, 1, 3}, {8, 8, 4}},
                                         Shape{"ColumnsOf1", {2, 1, 1}, {1, 64, 1}},
                                         Shape{"ColumnsCutOff", {2, 1, 1}, {4, 10, 1}},
                                         Shape{"Ragged", {2, 1, 2}, {5, 7, 3}},
                                         Shape{"RowsOf48", {1, 1, 1}, {48, 3, 1}},
                                         Shape{"DeepColumns", {1, 1, 1}, {4, 2, 9}}),
                         [](const auto& shape) { return shape.param.name; });

/// Clocks run forward, and the global one tells today's time.
TEST(SpecialRegisters, Clocks) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry clocks(.param .u64 results)\n{\n"
        ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
        "ld.param.u64 %rd0, [results];\ncvta.to.global.u64 %rd0, %rd0;\n"
        "mov.u64 %rd1, %clock64;\nmov.u32 %r1, %clock;\nmov.u64 %rd2, %globaltimer;\n"
        "mov.u64 %rd3, %globaltimer;\nmov.u32 %r2, %clock;\nmov.u64 %rd4, %clock64;\n"
        "st.global.u64 [%rd0], %rd1;\nst.global.u64 [%rd0+8], %rd4;\n"
        "st.global.u64 [%rd0+16], %rd2;\nst.global.u64 [%rd0+24], %rd3;\n"
        "sub.u32 %r3, %r2, %r1;\ncvt.u64.u32 %rd5, %r3;\nst.global.u64 [%rd0+32], %rd5;\nret;\n}\n";
    std::vector<std::uint64_t> values(5, 0);
    const std::uint64_t address = machine().upload(std::as_bytes(std::span(values)));
    ASSERT_EQ(machine().run(text, "clocks", {}, {32}, std::span(&address, 1)), "");
    machine().download(address, std::as_writable_bytes(std::span(values)));
    machine().free(address);
    EXPECT_LE(values[0], values[1]);
    EXPECT_LE(values[2], values[3]);
    EXPECT_LE(values[4], values[1] - values[0]);
    constexpr std::uint64_t kYear2020 = 1'577'836'800'000'000'000;
    EXPECT_GT(values[2], kYear2020);
}

/// What each thread of one block reads of each register, one after the other.
using Readings = std::vector<std::vector<std::uint64_t>>;

std::string reading(const std::string& name) {
    const bool is_wide = name.ends_with("64") || name == "%gridid" || name == "%globaltimer" ||
                         name == "%current_graph_exec";
    if (is_wide) return fmt::format("mov.u64 %value, {};\n", name);
    if (name == "%is_explicit_cluster") {
        return fmt::format("mov.pred %holds, {};\nselp.u64 %value, 1, 0, %holds;\n", name);
    }
    return fmt::format("mov.u32 %narrow, {};\ncvt.u64.u32 %value, %narrow;\n", name);
}

/// The kernel has 48 bytes of shared memory.
Readings read(const std::vector<std::string>& registers, std::uint32_t threads = 32) {
    std::string text =
        ".version 8.1\n.target sm_90\n.address_size 64\n"
        ".visible .entry read(.param .u64 results)\n{\n"
        ".reg .b64 %at, %row, %value;\n.reg .b32 %thread, %narrow;\n.reg .pred %holds;\n"
        ".shared .align 4 .b8 own[48];\nst.shared.u32 [own], 7;\n"
        "ld.param.u64 %at, [results];\ncvta.to.global.u64 %at, %at;\nmov.u32 %thread, %tid.x;\n";
    text += fmt::format("mul.wide.u32 %row, %thread, {};\nadd.u64 %at, %at, %row;\n",
                        8 * registers.size());
    for (std::size_t r = 0; r < registers.size(); ++r) {
        text += reading(registers[r]) + fmt::format("st.global.u64 [%at+{}], %value;\n", 8 * r);
    }
    std::vector<std::uint64_t> values(threads * registers.size(), 0xdeadbeef);
    const std::uint64_t address = machine().upload(std::as_bytes(std::span(values)));
    EXPECT_EQ(machine().run(text + "ret;\n}\n", "read", {}, {threads}, std::span(&address, 1)), "");
    machine().download(address, std::as_writable_bytes(std::span(values)));
    machine().free(address);
    Readings readings(threads);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(thread * registers.size());
        readings[thread].assign(begin, begin + static_cast<std::ptrdiff_t>(registers.size()));
    }
    return readings;
}

/// Which warp is where changes from run to run, but no two of a block are in one place.
TEST(SpecialRegisters, WarpsHaveTheirOwnPlaces) {
    const Readings readings = read({"%warpid", "%nwarpid"}, 160);
    std::set<std::uint64_t> places;
    for (std::uint32_t thread = 0; thread < 160; ++thread) {
        EXPECT_LT(readings[thread][0], readings[thread][1]);
        EXPECT_EQ(readings[thread], readings[thread / 32 * 32]) << "thread " << thread;
        places.insert(readings[thread][0]);
    }
    EXPECT_EQ(places.size(), 5u);
}

TEST(SpecialRegisters, GridsAreNumbered) {
    const Readings first = read({"%gridid"}, 64), second = read({"%gridid"}, 64);
    EXPECT_EQ(first[0], first[63]);
    EXPECT_LT(first[0], second[0]);
}

/// Halves lie between two readings of the whole.
TEST(SpecialRegisters, HalvesOfClocks) {
    for (const auto& row : read({"%clock64", "%clock_hi", "%clock64", "%globaltimer",
                                 "%globaltimer_hi", "%globaltimer_lo", "%globaltimer"})) {
        EXPECT_GE(row[1], row[0] >> 32);
        EXPECT_LE(row[1], row[2] >> 32);
        EXPECT_GE(row[4], row[3] >> 32);
        EXPECT_LE(row[4], row[6] >> 32);
        EXPECT_LE(static_cast<std::uint32_t>(row[5] - row[3]), row[6] - row[3]);
    }
}

/// A block's shared memory is given in units of 128 bytes, from sm_80 on; %aggr_smem_size counts
/// what was asked for, and what the GPU's own software has of each block.
TEST(SpecialRegisters, SharedMemory) {
    const Readings readings =
        read({"%dynamic_smem_size", "%total_smem_size", "%aggr_smem_size",
              "%reserved_smem_offset_begin", "%reserved_smem_offset_end",
              "%reserved_smem_offset_cap", "%reserved_smem_offset_0", "%reserved_smem_offset_1"});
    const auto& row = readings[0];
    EXPECT_EQ(row[0], 0u);
    EXPECT_EQ(row[1], 128u);
    EXPECT_EQ(row[2], 48 + row[5]);
    EXPECT_LE(row[3], row[4]);
    for (const std::size_t offset : {3u, 4u, 6u, 7u}) EXPECT_LE(row[offset], row[5]);
}

TEST(SpecialRegisters, NeitherClustersNorGraphs) {
    const auto expected = std::vector<std::uint64_t>{0, 0};
    for (const auto& row : read({"%is_explicit_cluster", "%current_graph_exec"})) {
        EXPECT_EQ(row, expected);
    }
}

/// Performance monitors that no tool set up stand still, and %envreg0 .. 31 are the driver's, one
/// set for a launch.
TEST(SpecialRegisters, MonitorsAndEnvironment) {
    std::vector<std::string> registers;
    for (unsigned i = 0; i < 8; ++i) {
        registers.push_back(fmt::format("%pm{}", i));
        registers.push_back(fmt::format("%pm{}_64", i));
    }
    for (unsigned i = 0; i < 32; ++i) registers.push_back(fmt::format("%envreg{}", i));
    const Readings readings = read(registers, 64);
    for (const auto& row : readings) EXPECT_EQ(row, readings[0]);
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(readings[0][i], 0u) << registers[i];
}

}  // namespace
}  // namespace wideload::isa
