// SPDX-License-Identifier: Apache-2.0
// Pictures count what they draw: their captions are the figures of the request, whatever its lanes.
#include "lab/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace wideload::lab {
namespace {

using testing::HasSubstr;

Request request(std::uint32_t bytes, std::uint64_t stride, std::uint64_t base = 256,
                std::uint32_t mask = ~0U) {
    Request made{"global_ld", "ld", bytes, mask, {}};
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (mask >> lane & 1) made.addresses[lane] = base + lane * stride;
    }
    return made;
}

TEST(Lanes, CountSectorsAndUsedBytes) {
    EXPECT_THAT(lanes_picture(request(4, 4)), HasSubstr("4 sectors of 32 bytes, 128 of 128"));
    EXPECT_THAT(lanes_picture(request(4, 4, 260)), HasSubstr("5 sectors of 32 bytes, 128 of 160"));
    EXPECT_THAT(lanes_picture(request(4, 128)), HasSubstr("32 sectors of 32 bytes, 128 of 1024"));
    EXPECT_THAT(lanes_picture(request(4, 0)), HasSubstr("1 sectors of 32 bytes, 4 of 32"));
    EXPECT_THAT(lanes_picture(request(16, 16)), HasSubstr("16 sectors of 32 bytes, 512 of 512"));
}

TEST(Lanes, DrawHostileRequests) {
    EXPECT_THAT(lanes_picture(request(4, 4, 256, 0)), HasSubstr("0 sectors"));
    EXPECT_THAT(lanes_picture(request(4, 0x0123456789abcdefULL, ~std::uint64_t{0} - 3)),
                HasSubstr("</svg>"));
    EXPECT_THAT(lanes_picture(request(64, 0)), HasSubstr("</svg>"));
}

TEST(Banks, CountTheMostWordsInOne) {
    EXPECT_THAT(banks_picture(request(4, 4)),
                HasSubstr("32 of 32 banks asked, at most 1 different"));
    EXPECT_THAT(banks_picture(request(4, 128)), HasSubstr("1 of 32 banks asked, at most 32"));
    EXPECT_THAT(banks_picture(request(4, 132)), HasSubstr("32 of 32 banks asked, at most 1"));
    EXPECT_THAT(banks_picture(request(4, 8)), HasSubstr("16 of 32 banks asked, at most 2"));
}

TEST(Blocks, CountThoseOfEachMultiprocessor) {
    const std::vector<double> multiprocessors = {0, 1, 7, 0, 1};
    EXPECT_THAT(blocks_picture(multiprocessors, 3),
                HasSubstr("5 blocks on 3 multiprocessors, one column each; at most 2 on one"));
    EXPECT_THAT(blocks_picture({}, 0), HasSubstr("0 blocks"));
}

TEST(Tiles, AreThoseOfThePoint) {
    EXPECT_THAT(tiles_picture({256, 128, 8}),
                HasSubstr("128 × 128 of C: 32 steps of 128 × 8 of A and 8 × 128 of B"));
    EXPECT_THAT(tiles_picture({256, 32, 0}), HasSubstr("a block reads 32 × 32 by rows"));
    Results results;
    Point& point = results.points.emplace_back();
    point.series = "k";
    const Picture picture{PictureKind::tiles, "t", "k", {}, "", 0};
    EXPECT_FALSE(draw(picture, results));
    point.facts = {{"side", 256}, {"tile", 1e300}};
    EXPECT_FALSE(draw(picture, results));
    point.facts = {{"side", 256}, {"tile", 64}, {"tile_depth", 8}};
    EXPECT_THAT(*draw(picture, results), HasSubstr("64 × 64 of C"));
}

TEST(Threads, CountWarps) {
    EXPECT_THAT(threads_picture({24, 24, 1}), HasSubstr("18 warps"));
    EXPECT_THAT(threads_picture({10, 1, 1}), HasSubstr("1 warp, the last with 10 of 32 lanes"));
}

}  // namespace
}  // namespace wideload::lab
