// SPDX-License-Identifier: Apache-2.0
// A warp runs the lowest-numbered block that has waiting lanes, so the numbers decide where lanes
// meet.
#include <gmock/gmock.h>

#include <random>

#include "kernel_text.h"

namespace wideload::simt {
namespace {

/// The original numbers, in the new order.
std::vector<std::uint32_t> order_of(const std::vector<std::vector<BlockId>>& successors) {
    std::vector<std::uint32_t> order;
    for (const Block& block : order_blocks(graph(successors))) order.push_back(block.first);
    return order;
}

// Lanes of both arms meet behind an if, though its end stands before its arms in the text.
TEST(BlockOrder, EndOfAnIfComesAfterBothArms) {
    EXPECT_THAT(order_of({{2, 3}, {}, {1}, {1}}), testing::ElementsAre(0, 2, 3, 1));
}

// What follows a loop must wait until the last lane has left it: a compiler may place that before
// the loop's body.
TEST(BlockOrder, LoopIsContiguousAndItsExitFollows) {
    // 0 -> 1 (header) -> 2 (exit) or 3 -> 4 -> 1
    EXPECT_THAT(order_of({{1}, {2, 3}, {}, {4}, {1}}), testing::ElementsAre(0, 1, 3, 4, 2));
}

// Lanes that break out of the inner loop wait for the others before the outer loop's rest runs.
TEST(BlockOrder, InnerLoopIsContiguousWithinTheOuter) {
    // 0 -> 1 (outer) -> 2 (inner) -> 3 -> 2; 3 -> 4 (rest of outer) -> 1; 4 -> 5
    EXPECT_THAT(order_of({{1}, {2}, {3, 4}, {2, 4}, {1, 5}, {}}),
                testing::ElementsAre(0, 1, 2, 3, 4, 5));
    // The same with the rest of the outer loop placed before the inner one.
    EXPECT_THAT(order_of({{1}, {3}, {1, 5}, {4, 2}, {3, 2}, {}}),
                testing::ElementsAre(0, 1, 3, 4, 2, 5));
}

// A loop may begin with the kernel's first block, which runs first all the same.
TEST(BlockOrder, EntryStaysFirstWhereALoopLeadsBackToIt) {
    EXPECT_THAT(order_of({{1}, {0, 2}, {}}), testing::ElementsAre(0, 1, 2));
}

// Jumps into the middle of a loop make graphs that no nesting of loops describes; they have an
// order too.
TEST(BlockOrder, IrreducibleGraphHasItsExitLast) {
    // 0 -> 1 or 2; 1 -> 2; 2 -> 1 or 3
    const auto order = order_of({{1, 2}, {2}, {1, 3}, {}});
    EXPECT_EQ(order.front(), 0u);
    EXPECT_EQ(order.back(), 3u);
}

/// Whether `to` can be reached from `from`.
bool reaches(const std::vector<Block>& blocks, BlockId from, BlockId to) {
    std::vector<char> seen(blocks.size(), 0);
    std::vector<BlockId> work{from};
    while (!work.empty()) {
        const BlockId block = work.back();
        work.pop_back();
        for (const BlockId next : blocks[block].successors) {
            if (next == to) return true;
            if (!seen[next]) {
                seen[next] = 1;
                work.push_back(next);
            }
        }
    }
    return false;
}

// Whatever the graph: a block that cannot come back to another runs after it, so no lane is passed
// by those behind it; and each set of blocks that reach each other is contiguous.
TEST(BlockOrder, AnyGraphIsTopologicalUpToItsLoops) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 300; ++trial) {
        const BlockId count = 2 + random() % 9;
        std::vector<std::vector<BlockId>> successors(count);
        for (BlockId b = 0; b + 1 < count; ++b) {
            successors[b].push_back(b + 1);  // every block can be reached
            if (random() % 2 == 0) successors[b].push_back(random() % count);
        }
        const std::vector<Block> blocks = order_blocks(graph(successors));
        ASSERT_EQ(blocks.size(), count);
        ASSERT_EQ(blocks[0].first, 0u);
        for (BlockId a = 0; a < count; ++a) {
            for (BlockId b = a + 1; b < count; ++b) {
                const bool there = reaches(blocks, a, b), back = reaches(blocks, b, a);
                EXPECT_TRUE(there || !back)
                    << "trial " << trial << ": block " << b << " runs after " << a;
                if (!there || !back) continue;
                for (BlockId between = a + 1; between < b; ++between) {
                    EXPECT_TRUE(reaches(blocks, a, between) && reaches(blocks, between, a))
                        << "trial " << trial << ": " << between << " splits the loop of " << a
                        << " and " << b;
                }
            }
        }
    }
}

}  // namespace
}  // namespace wideload::simt
