// SPDX-License-Identifier: Apache-2.0
#include "simt/pending.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "kernel_text.h"

namespace wideload::simt {
namespace {

std::vector<BlockId> members(const Bitset& set) {
    std::vector<BlockId> result;
    set.for_each([&](std::size_t i) { result.push_back(static_cast<BlockId>(i)); });
    return result;
}

std::vector<std::vector<BlockId>> pending(const std::vector<std::vector<BlockId>>& successors,
                                          const std::vector<char>& divergent) {
    std::vector<std::vector<BlockId>> result;
    for (const Bitset& set : pending_blocks(graph(successors), divergent, {}))
        result.push_back(members(set));
    return result;
}

using testing::ElementsAre;
using testing::IsEmpty;

// Where every lane goes the same way nobody waits, and a branch stays a branch.
TEST(Pending, UniformControlLeavesNobodyWaiting) {
    EXPECT_THAT(pending({{1, 2}, {3}, {3}, {}}, {0, 0, 0, 0}), testing::Each(IsEmpty()));
}

// While the first arm runs the other's lanes wait at its start, and while that runs the first's
// wait behind both.
TEST(Pending, LanesWaitAtTheOtherArmAndBehindIt) {
    EXPECT_THAT(pending({{1, 2}, {3}, {3}, {}}, {1, 0, 0, 0}),
                ElementsAre(IsEmpty(), ElementsAre(2), ElementsAre(3), IsEmpty()));
}

// Lanes that are done with a loop wait behind it while the others turn.
TEST(Pending, LanesThatLeftALoopWaitBehindIt) {
    // 0 -> 1 (header) -> 2 -> 1 or 3
    EXPECT_THAT(pending({{1}, {2}, {1, 3}, {}}, {0, 0, 1, 0}),
                ElementsAre(IsEmpty(), ElementsAre(3), ElementsAre(3), IsEmpty()));
}

// What was derived must hold for every run: lanes that walk at random, the lowest block first, wait
// nowhere else.
TEST(Pending, CoversEveryRunOfRandomGraphs) {
    std::mt19937 random(2);
    for (int trial = 0; trial < 200; ++trial) {
        const BlockId count = 2 + random() % 8;
        std::vector<std::vector<BlockId>> successors(count);
        std::vector<char> divergent(count, 0);
        for (BlockId b = 0; b + 1 < count; ++b) {
            successors[b].push_back(b + 1);
            if (random() % 3 != 0) successors[b].push_back(random() % count);
            divergent[b] = successors[b].size() > 1 && random() % 2 == 0;
        }
        const std::vector<Block> blocks = graph(successors);
        const std::vector<Bitset> derived = pending_blocks(blocks, divergent, {});
        for (int run = 0; run < 30; ++run) {
            std::vector<BlockId> lanes(4, 0);
            for (int step = 0; step < 60 && !lanes.empty(); ++step) {
                const BlockId now = *std::min_element(lanes.begin(), lanes.end());
                std::vector<BlockId> rest;
                std::size_t running = 0;
                for (const BlockId at : lanes) {
                    if (at == now) {
                        ++running;
                        continue;
                    }
                    rest.push_back(at);
                    ASSERT_TRUE(derived[now].contains(at))
                        << "trial " << trial << ": lanes wait at " << at << " while " << now
                        << " runs";
                }
                const auto& to = successors[now];
                const BlockId together = to.empty() ? 0 : to[random() % to.size()];
                for (std::size_t lane = 0; lane < running && !to.empty(); ++lane) {
                    rest.push_back(divergent[now] ? to[random() % to.size()] : together);
                }
                lanes = rest;
            }
        }
    }
}

}  // namespace
}  // namespace wideload::simt
