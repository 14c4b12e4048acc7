// SPDX-License-Identifier: Apache-2.0
#include "counters/touched_sectors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>

namespace wideload::counters {
namespace {

// However often and in whatever order sectors are touched, each counts once: held against sets,
// over enough memory that chunks are left and met again.
TEST(TouchedSectors, CountEachSectorOnce) {
    std::mt19937_64 random(3);
    TouchedSectors touched;
    std::set<std::uint64_t> read, written;
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t address = (1ull << 46) + random() % (1 << 20) * (i % 3 == 0 ? 64 : 1);
        const bool reads = random() % 2 == 0;
        touched.touch(address, reads, !reads);
        (reads ? read : written).insert(address / 32);
    }
    EXPECT_EQ(touched.totals().read, read.size());
    EXPECT_EQ(touched.totals().written, written.size());
}

// Two workers that touch the same sectors must not count them twice.
TEST(TouchedSectors, OfSeveralWorkersAreTheirUnion) {
    TouchedSectors first, second, all;
    for (std::uint64_t sector = 0; sector < 100; ++sector) first.touch(sector * 32, true, false);
    for (std::uint64_t sector = 50; sector < 200; ++sector) second.touch(sector * 32, true, true);
    all.add(first);
    all.add(second);
    EXPECT_EQ(all.totals().read, 200u);
    EXPECT_EQ(all.totals().written, 150u);
}

TEST(TouchedSectors, AreForgottenWhenCleared) {
    TouchedSectors touched;
    touched.touch(64, true, true);
    touched.clear();
    EXPECT_EQ(touched.totals().read, 0u);
    touched.touch(64, true, false);
    EXPECT_EQ(touched.totals().read, 1u);
    EXPECT_EQ(touched.totals().written, 0u);
}

}  // namespace
}  // namespace wideload::counters
