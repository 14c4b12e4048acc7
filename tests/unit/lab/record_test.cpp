// SPDX-License-Identifier: Apache-2.0
// Records come from anyone: what does not fit is an error with its place, never a crash.
#include "lab/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample.h"

namespace wideload::lab {
namespace {

using testing::HasSubstr;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

std::string errors_of(const std::string& text) {
    const auto read = parse_results(text, "r.json");
    return read ? "" : format(read.errors());
}

TEST(Record, ComesBackAsItWasWritten) {
    Outcome outcome = sample_outcome();
    Point& point = outcome.results.points[0];
    point.time = Time{2.5, 2, 3, 21};
    point.launches = 3;
    point.block = {24, 24, 1};
    point.counters["global_ld_sectors"] = ~std::uint64_t{0};
    point.requests.push_back({"global_ld", "ld.global.f32", 4, 0x80000001U, {}});
    const auto read = parse_record(record_json({outcome}), "r.json");
    ASSERT_TRUE(read) << format(read.errors());
    const Point& back = (*read)[0].results.points[0];
    EXPECT_EQ(back.time->median, 2.5);
    EXPECT_EQ(back.block[1], 24U);
    EXPECT_EQ(back.counters.at("global_ld_sectors"), ~std::uint64_t{0});
    EXPECT_EQ(back.requests[0].mask, 0x80000001U);
    EXPECT_EQ(record_json(*read), record_json({outcome}));
}

TEST(Record, NamesLineAndColumnOfWhatIsNotJson) {
    EXPECT_THAT(errors_of("{\n  \"schema\": oh}"), HasSubstr("r.json:2:"));
    EXPECT_THAT(errors_of(""), HasSubstr("not JSON"));
    EXPECT_THAT(errors_of("{\"a\": 1e999}"), HasSubstr("r.json"));
}

TEST(Record, RefusesAnotherSchema) {
    EXPECT_THAT(errors_of(replaced(sample_results(), "results/1", "results/2")),
                HasSubstr("this version reads"));
}

TEST(Record, NamesTheMemberThatDoesNotFit) {
    const std::string text = sample_results();
    EXPECT_THAT(errors_of(replaced(text, "[]", "[{}]")), HasSubstr("points/0: has no member"));
    EXPECT_THAT(errors_of(replaced(text, "[]", "{}")), HasSubstr("points: should be an array"));
    EXPECT_THAT(errors_of(replaced(text, "\"small\"", "7")),
                HasSubstr("sizes: should be a string"));
    EXPECT_THAT(errors_of(replaced(text, "[]", R"([{"series": "s", "us": {"median": 0}}])")),
                HasSubstr("points/0/us: a time should be above 0"));
    EXPECT_THAT(errors_of(replaced(text, "[]", R"([{"series": "s", "counters": {"c": -1}}])")),
                HasSubstr("points/0/counters/c"));
    EXPECT_THAT(errors_of(replaced(text, "[]", R"([{"series": "s", "requests": [{"kind": "x",
        "bytes_per_lane": 4, "mask": 1, "addresses": [1]}]}])")),
                HasSubstr("addresses: should be an array of 32"));
    EXPECT_THAT(errors_of(replaced(text, "[]", R"([{"series": "s", "requests": [{"kind": "x",
        "bytes_per_lane": 4000000000, "mask": 1, "addresses": []}]}])")),
                HasSubstr("so many bytes"));
}

TEST(Description, RefusesWordsThatItDoesNotKnow) {
    const auto read =
        parse_description(replaced(sample_description(), "\"compare\"", "\"believe\""), "d.json");
    ASSERT_FALSE(read);
    EXPECT_THAT(format(read.errors()), HasSubstr("claims/0/kind: there is no \"believe\""));
}

}  // namespace
}  // namespace wideload::lab
