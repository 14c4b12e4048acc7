// SPDX-License-Identifier: Apache-2.0
#include "gpu/address_space.h"

#include <gtest/gtest.h>

namespace wideload::gpu {
namespace {

// A use after free is only seen while the freed address stays unused.
TEST(AddressSpace, PrefersFreshAddressesToFreedOnes) {
    AddressSpace space(0, 1000);
    const auto first = space.take(100, 1);
    space.give_back(*first, 100);
    EXPECT_EQ(space.take(100, 1), 100u);
}

TEST(AddressSpace, UsesFreedAddressesWhenFreshOnesRunOut) {
    AddressSpace space(0, 300);
    const auto a = space.take(100, 1), b = space.take(100, 1);
    ASSERT_TRUE(space.take(100, 1));
    EXPECT_FALSE(space.take(1, 1));
    space.give_back(*b, 100);
    space.give_back(*a, 100);
    EXPECT_FALSE(space.take(201, 1)) << "only 200 were freed";
    EXPECT_EQ(space.take(200, 1), 0u) << "neighbours are one range again";
}

TEST(AddressSpace, AlignsAndKeepsWhatAlignmentSkips) {
    AddressSpace space(8, 128);
    EXPECT_EQ(space.take(64, 64), 64u);
    EXPECT_EQ(space.take(56, 8), 8u) << "the range before the first one is not lost";
    EXPECT_FALSE(space.take(1, 1));
}

}  // namespace
}  // namespace wideload::gpu
