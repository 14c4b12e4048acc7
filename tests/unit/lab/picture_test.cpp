// SPDX-License-Identifier: Apache-2.0
// Pictures count what they draw: their captions are the figures of the request, whatever its lanes.
#include "lab/picture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "counters/rules.h"

namespace wideload::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

Request request(std::uint32_t bytes, std::uint64_t stride, std::uint64_t base = 256,
                std::uint32_t mask = ~0U) {
    Request made{"global_ld", "ld", bytes, mask, {}, 0};
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (mask >> lane & 1) made.addresses[lane] = base + lane * stride;
    }
    return made;
}

TEST(Lanes, CountSectorsAndUsedBytes) {
    EXPECT_THAT(lanes_picture(request(4, 4)), HasSubstr("4 sectors of 32 bytes, 128 of 128"));
    EXPECT_THAT(lanes_picture(request(4, 4, 260)), HasSubstr("5 sectors of 32 bytes, 128 of 160"));
    EXPECT_THAT(lanes_picture(request(4, 128)), HasSubstr("32 sectors of 32 bytes, 128 of 1024"));
    EXPECT_THAT(lanes_picture(request(4, 0)), HasSubstr("1 sector of 32 bytes, 4 of 32"));
    EXPECT_THAT(lanes_picture(request(16, 16)), HasSubstr("16 sectors of 32 bytes, 512 of 512"));
}

TEST(Lanes, InterleaveLocalMemoryByLane) {
    Request local = request(4, 0, 8);
    local.kind = "local_ld";
    EXPECT_THAT(lanes_picture(local), HasSubstr("4 sectors of 32 bytes, 128 of 128"));
    for (unsigned lane = 0; lane < 32; ++lane) local.addresses[lane] = lane * 4;
    EXPECT_THAT(lanes_picture(local), HasSubstr("32 sectors of 32 bytes, 128 of 1024"));
}

TEST(Lanes, OfAtomicsTakeTurnsAtAWord) {
    Request atomics = request(4, 0);
    atomics.kind = "global_red";
    atomics.sectors = 32;
    EXPECT_THAT(lanes_picture(atomics), HasSubstr("32 sectors of 32 bytes: 1 in memory"));
    atomics.sectors = 1;  // of integers, which a warp combines first
    EXPECT_THAT(lanes_picture(atomics), HasSubstr("1 sector of 32 bytes, 4 of 32"));
}

std::string words_of(std::size_t sectors) {
    return fmt::format("\"{} {} of 32 bytes", sectors, sectors == 1 ? "sector" : "sectors");
}

/// Whatever lanes ask for, what is drawn is what the rules of counting say.
TEST(Lanes, DrawTheSectorsThatAreCounted) {
    using counters::Rule;
    const std::vector<std::pair<std::string, Rule>> kinds = {{"global_ld", Rule::global},
                                                             {"global_red", Rule::atomic},
                                                             {"global_atom", Rule::atomic},
                                                             {"local_st", Rule::local}};
    std::minstd_rand random(1);
    for (int round = 0; round < 400; ++round) {
        for (const auto& [kind, rule] : kinds) {
            const std::uint32_t bytes = 1U << random() % (rule == Rule::atomic ? 4 : 5);
            const std::uint64_t stride = bytes * (random() % 5), spread = 1 + random() % 9;
            Request made = request(bytes, stride, 512, static_cast<std::uint32_t>(random()) | 1);
            made.kind = kind;
            if (round % 2 == 0) {
                for (auto& address : made.addresses) address = 512 + random() % spread * bytes;
            }
            const auto figures = counters::measure({made.addresses, made.mask, bytes}, rule);
            made.sectors = figures.sectors;
            EXPECT_THAT(lanes_picture(made), HasSubstr(words_of(figures.sectors)))
                << kind << " of " << bytes << " bytes, mask " << made.mask;
        }
    }
}

TEST(Lanes, DrawHostileRequests) {
    EXPECT_THAT(lanes_picture(request(4, 4, 256, 0)), HasSubstr("0 sectors"));
    EXPECT_THAT(lanes_picture(request(4, 0x0123456789abcdefULL, ~std::uint64_t{0} - 3)),
                HasSubstr("</svg>"));
    EXPECT_THAT(lanes_picture(request(64, 0)), HasSubstr("</svg>"));
}

TEST(Banks, SayWhatAPlusIs) {
    EXPECT_THAT(banks_picture(request(4, 0)), HasSubstr("; a + stands for more of them"));
    EXPECT_THAT(banks_picture(request(4, 4)), Not(HasSubstr("+")));
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
                HasSubstr("5 blocks on 3 multiprocessors, a column each, in the order of their "
                          "numbers; at most 2 on one"));
    EXPECT_THAT(blocks_picture({}, 0), HasSubstr("0 blocks"));
}

TEST(Blocks, NameMultiprocessorsAndWaves) {
    const std::string drawn = blocks_picture(std::vector<double>{0, 1, 7, 0, 1}, 3);
    for (const char* name :
         {">SM<", ">0<", ">1<", ">7<", ">wave 1: blocks 0 to 2<", ">wave 2: blocks 3 to 4<"}) {
        EXPECT_THAT(drawn, HasSubstr(name));
    }
    EXPECT_THAT(blocks_picture(std::vector<double>{0, 1, 7, 0}, 3), HasSubstr(">wave 2: block 3<"));
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

TEST(Threads, HaveAxesAndTheWarpsNumbers) {
    const std::string flat = threads_picture({96, 1, 1});
    for (const char* name : {">W0<", ">W1<", ">W2<", ">31<", ">x=64<", ">z = 0<"}) {
        EXPECT_THAT(flat, HasSubstr(name));
    }
    EXPECT_THAT(flat, Not(HasSubstr(">W3<")));
    EXPECT_THAT(threads_picture({5, 3, 7}), HasSubstr(">z = 6<"));
}

TEST(Threads, CountWarps) {
    EXPECT_THAT(threads_picture({24, 24, 1}), HasSubstr("18 warps"));
    EXPECT_THAT(threads_picture({10, 1, 1}), HasSubstr("1 warp, the last with 10 of 32 lanes"));
}

}  // namespace
}  // namespace wideload::lab
