// SPDX-License-Identifier: Apache-2.0
// The counting functions of every vector extension must leave a row exactly as rules.h says, for
// any addresses and mask.
#include "counters/count.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <sstream>

#include "counters/rules.h"

namespace wideload::counters::test {
namespace {

using Random = std::mt19937_64;

struct NamedRule {
    Rule rule;
    CountFunction CountFunctions::* function;
    const char* name;
};
const NamedRule kRules[] = {
    {Rule::global, &CountFunctions::global, "global"},
    {Rule::atomic, &CountFunctions::atomic, "atomic"},
    {Rule::uniform_atomic, &CountFunctions::uniform_atomic, "uniform atomic"},
    {Rule::shared_load, &CountFunctions::shared_load, "shared load"},
    {Rule::shared_store, &CountFunctions::shared_store, "shared store"},
    {Rule::shared_atomic, &CountFunctions::shared_atomic, "shared atomic"},
    {Rule::local, &CountFunctions::local, "local"},
};

std::uint64_t below(Random& random, std::uint64_t bound) { return random() % bound; }

/// Masks as programs make them: full, a run, one lane, every other, any.
std::uint32_t some_mask(Random& random) {
    switch (below(random, 6)) {
        case 0:
            return 0xaaaaaaaau >> below(random, 2);
        case 1:
            return 1u << below(random, 32);
        case 2:
            return static_cast<std::uint32_t>(random());
        case 3: {
            const auto lanes = below(random, 32) + 1;
            return (0xffffffffu >> (32 - lanes)) << below(random, 33 - lanes);
        }
        default:
            return 0xffffffffu;
    }
}

/// Addresses in units of bytes_per_lane from some base, by a formula of the lane and of its place
/// among the active.
std::array<std::uint64_t, kLanes> some_addresses(Random& random, std::uint32_t mask,
                                                 unsigned bytes) {
    const std::uint64_t base = (std::uint64_t{1} << 40) + below(random, 256) * bytes;
    const auto shape = below(random, 10);
    const std::int64_t stride = static_cast<std::int64_t>(below(random, 80)) - 40;
    const std::uint64_t wide_stride = below(random, std::uint64_t{1} << 33) & ~std::uint64_t{31};
    const std::uint64_t range = std::uint64_t{1} << below(random, 36);
    const std::uint64_t flip = below(random, 32);
    std::array<std::uint64_t, kLanes> addresses{};
    std::uint64_t rank = 0;
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
        std::uint64_t units = 0;
        switch (shape) {
            case 0:
                units = lane * static_cast<std::uint64_t>(stride);
                break;
            case 1:
                units = rank * static_cast<std::uint64_t>(stride);
                break;
            case 2:
                units = below(random, range);
                break;
            case 3:
                units = lane ^ flip;
                break;
            case 4:
                units = lane >> below(random, 3);
                break;
            case 5:
                units = lane * wide_stride;
                break;
            case 6:
                units = lane / 16 * range + lane % 16;
                break;
            case 8:
                units = (lane & ~2ull) * static_cast<std::uint64_t>(stride);
                break;
            case 7:
                units = rank;
                break;
            default:
                units = lane + (below(random, 16) == 0 ? range : 0);
                break;
        }
        addresses[lane] = base + units * bytes;
        rank += mask >> lane & 1;
        if ((mask >> lane & 1) == 0) {
            addresses[lane] = random();  // must not be looked at
        }
    }
    return addresses;
}

std::string describe(const Request& request, std::uint64_t seed) {
    std::ostringstream text;
    text << "seed " << seed << ", mask " << std::hex << request.mask << ", " << std::dec
         << request.bytes_per_lane << " bytes:";
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (request.mask >> lane & 1) {
            text << ' ' << lane << ':' << request.addresses[lane];
        }
    }
    return text.str();
}

void expect_counted(const SiteRow& row, const Figures& figures, const Request& request,
                    std::uint64_t order) {
    EXPECT_EQ(row.requests, 1u);
    EXPECT_EQ(row.active_lanes, figures.active_lanes);
    EXPECT_EQ(row.sectors, figures.sectors);
    EXPECT_EQ(row.ideal_sectors, figures.ideal_sectors);
    EXPECT_EQ(row.distinct_bytes, figures.distinct_bytes);
    EXPECT_EQ(row.wavefronts, figures.wavefronts);
    EXPECT_EQ(row.ideal_wavefronts, figures.ideal_wavefronts);
    const auto level = std::min(figures.sectors + figures.wavefronts, kMaxSectors);
    EXPECT_EQ(row.histogram[level], 1u);
    const PatternTally& patterns = row.patterns;
    switch (figures.pattern.kind) {
        case PatternKind::contiguous:
            EXPECT_EQ(patterns.contiguous, 1u);
            break;
        case PatternKind::broadcast:
            EXPECT_EQ(patterns.broadcast, 1u);
            break;
        case PatternKind::irregular:
            EXPECT_EQ(patterns.irregular, 1u);
            break;
        case PatternKind::misaligned:
            EXPECT_EQ(patterns.misaligned[static_cast<std::size_t>(figures.pattern.value)], 1u);
            break;
        case PatternKind::strided:
            EXPECT_EQ(patterns.strides[0].bytes, figures.pattern.value);
            EXPECT_EQ(patterns.strides[0].requests, 1u);
            break;
        case PatternKind::none:
            ADD_FAILURE() << "no pattern";
            break;
    }
    for (const RequestSample* sample : {&row.first, &row.worst}) {
        EXPECT_EQ(sample->order, order);
        EXPECT_EQ(sample->mask, request.mask);
        EXPECT_EQ(sample->sectors, figures.sectors + figures.wavefronts);
        EXPECT_EQ(sample->addresses, request.addresses);
    }
}

class Count : public ::testing::TestWithParam<CountIsa> {
protected:
    void SetUp() override {
        if (!available(GetParam())) {
            GTEST_SKIP() << "this machine lacks the extension";
        }
    }
};

TEST_P(Count, AgreesWithTheRules) {
    const CountFunctions& functions = count_functions(GetParam());
    for (std::uint64_t seed = 1; seed <= 20'000 && !HasFailure(); ++seed) {
        Random random(seed);
        const NamedRule& rule = kRules[below(random, std::size(kRules))];
        const bool shared = rule.rule == Rule::shared_load || rule.rule == Rule::shared_store ||
                            rule.rule == Rule::shared_atomic;
        Request request;
        request.bytes_per_lane = 1u << below(random, shared ? 5 : 6);
        request.mask = some_mask(random);
        if (request.mask == 0) {
            continue;
        }
        request.addresses = some_addresses(random, request.mask, request.bytes_per_lane);
        SiteRow row;
        (functions.*rule.function)(row, request.addresses.data(), request.mask,
                                   request.bytes_per_lane, seed);
        SCOPED_TRACE(std::string(rule.name) + ", " + describe(request, seed));
        expect_counted(row, measure(request, rule.rule), request, seed);
    }
}

TEST_P(Count, DoesNothingWithoutActiveLanes) {
    SiteRow row;
    const std::array<std::uint64_t, kLanes> addresses{};
    count_functions(GetParam()).global(row, addresses.data(), 0, 4, 1);
    EXPECT_EQ(row.requests, 0u);
    EXPECT_EQ(row.first.order, 0u);
}

// Counts are compared exactly, so the samples must not depend on which request came first in time.
TEST_P(Count, KeepsTheEarliestAndTheWorstRequest) {
    const auto strided = [](std::uint64_t base, std::uint64_t stride) {
        std::array<std::uint64_t, kLanes> addresses;
        for (unsigned lane = 0; lane < kLanes; ++lane) addresses[lane] = base + lane * stride;
        return addresses;
    };
    const CountFunction global = count_functions(GetParam()).global;
    SiteRow row;
    global(row, strided(0x1000, 4).data(), ~0u, 4, 70);
    global(row, strided(0x2000, 32).data(), ~0u, 4, 90);
    global(row, strided(0x3000, 64).data(), ~0u, 4, 80);  // as bad, but earlier
    global(row, strided(0x4000, 4).data(), ~0u, 4, 60);   // earliest of all
    global(row, strided(0x5000, 4).data(), ~0u, 4, 60);   // the same warp again, later
    EXPECT_EQ(row.first.addresses[0], 0x4000u);
    EXPECT_EQ(row.first.sectors, 4u);
    EXPECT_EQ(row.worst.addresses[0], 0x3000u);
    EXPECT_EQ(row.worst.sectors, 32u);
    EXPECT_EQ(row.histogram[4], 3u);
    EXPECT_EQ(row.histogram[32], 2u);
}

std::string isa_name(const ::testing::TestParamInfo<CountIsa>& isa) {
    const char* const names[] = {"portable", "avx2", "avx512"};
    return names[static_cast<std::size_t>(isa.param)];
}
INSTANTIATE_TEST_SUITE_P(EveryIsa, Count,
                         ::testing::Values(CountIsa::portable, CountIsa::avx2, CountIsa::avx512),
                         isa_name);

}  // namespace
}  // namespace wideload::counters::test
