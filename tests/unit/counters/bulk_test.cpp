// SPDX-License-Identifier: Apache-2.0
// Bulk copies are priced by the sectors of each lane's range, against a set of the bytes' sectors.
#include "counters/bulk.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

namespace wideload::counters::test {
namespace {

TEST(BulkCopies, MoveTheSectorsOfEachRange) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::array<std::uint64_t, kLanes> begins{};
        std::array<std::uint32_t, kLanes> bytes{};
        std::uint64_t sectors = 0, ideal = 0, moved = 0, copies = 0;
        const std::uint32_t mask = round == 0 ? ~0u : random();
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            begins[lane] = 0x7000'0000'0000 + random() % 4096 * 16;
            bytes[lane] = random() % 20 * 16;
            if ((mask >> lane & 1) == 0) continue;
            std::set<std::uint64_t> touched;
            for (std::uint32_t i = 0; i < bytes[lane]; ++i) {
                touched.insert((begins[lane] + i) / kSectorBytes);
            }
            sectors += touched.size();
            ideal += (bytes[lane] + kSectorBytes - 1) / kSectorBytes;
            moved += bytes[lane];
            ++copies;
        }
        SiteRow row;
        count_bulk(row, begins.data(), bytes.data(), mask);
        EXPECT_EQ(row.requests, mask == 0 ? 0u : 1u);
        EXPECT_EQ(row.active_lanes, copies);
        EXPECT_EQ(row.sectors, sectors);
        EXPECT_EQ(row.ideal_sectors, ideal);
        EXPECT_EQ(row.distinct_bytes, moved);
    }
}

}  // namespace
}  // namespace wideload::counters::test
