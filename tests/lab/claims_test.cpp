// SPDX-License-Identifier: Apache-2.0
// A sentence of the lab must follow its result: every claim of an experiment is turned round, and
// the other sentence must come out. A picture must show what was counted. The argument is a record
// as `wideload lab NAME --json` keeps it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "lab/claim.h"
#include "lab/picture.h"
#include "lab/table.h"
#include "profile/document.h"
#include "turned.h"

namespace wideload::lab {
namespace {

using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string record_file;

std::vector<Outcome> record() {
    const auto text = profile::read_text(record_file);
    if (!text.ok()) {
        ADD_FAILURE() << format(text.errors());
        return {};
    }
    const auto read = parse_record(*text, record_file);
    if (!read.ok()) {
        ADD_FAILURE() << format(read.errors());
        return {};
    }
    EXPECT_FALSE(read->empty());
    return *read;
}

std::string sentence_where(const Claim& claim, const Outcome& outcome, bool holds) {
    const auto evaluation = evaluate(claim, outcome_where(claim, outcome, holds));
    if (!evaluation) {
        ADD_FAILURE() << "the claim says nothing of results that it is about";
        return {};
    }
    EXPECT_EQ(evaluation->holds, holds);
    return sentence(claim, *evaluation);
}

void expect_turned(const Claim& claim, const Outcome& outcome) {
    SCOPED_TRACE(claim.holds);
    const std::string as_expected = sentence_where(claim, outcome, true);
    const std::string turned = sentence_where(claim, outcome, false);
    EXPECT_NE(as_expected, turned);
    EXPECT_EQ(as_expected.find('{'), std::string::npos) << "no such word: " << as_expected;
    EXPECT_EQ(turned.find('{'), std::string::npos) << "no such word: " << turned;
    EXPECT_NE(claim.holds.find('{'), std::string::npos) << "nothing in it is computed";
    EXPECT_NE(claim.fails.find('{'), std::string::npos) << "nothing in it is computed";
}

TEST(Claims, TurnRound) {
    for (const Outcome& outcome : record()) {
        EXPECT_FALSE(outcome.description.claims.empty()) << outcome.description.name;
        for (const Claim& claim : outcome.description.claims) expect_turned(claim, outcome);
    }
}

/// The summary's cell of remarks on a series.
std::string remarks_in(const Outcome& outcome, const std::string& series) {
    const Table summary = summary_of(outcome);
    if (summary.heads.empty() || summary.heads.back() != "remarks") return {};
    for (const auto& row : summary.rows) {
        if (row.front() == outcome.description.series_title(series)) return row.back();
    }
    return {};
}

// A remark in the table that compares the series follows the results, as sentences do.
TEST(Remarks, TurnRoundInTheTable) {
    for (const Outcome& outcome : record()) {
        for (const Claim& remark : outcome.description.remarks) {
            expect_turned(remark, outcome);
            for (const bool holds : {true, false}) {
                const Outcome set = outcome_where(remark, outcome, holds);
                const auto evaluation = evaluate(remark, set);
                ASSERT_TRUE(evaluation);
                EXPECT_THAT(remarks_in(set, remark.left.series),
                            HasSubstr(sentence(remark, *evaluation)));
            }
        }
    }
}

/// Results may leave out the sentence before, so each has its own subject; and what a figure counts
/// is in its number.
void expect_good_words(const std::string& sentence) {
    EXPECT_THAT(sentence, Not(ContainsRegex("^(It|Its|They|Their|In all that|And|So|Of them) ")));
    const std::regex one_of_many(R"((^|[ (])1 ([a-z]+s)\b)");
    std::smatch found;
    if (std::regex_search(sentence, found, one_of_many)) {
        // A factor is said in the plural; the others are no nouns.
        EXPECT_THAT(found[2].str(), AnyOf("times", "is", "was", "has", "as")) << sentence;
    }
}

TEST(Sentences, StandAloneAndInNumber) {
    for (const Outcome& outcome : record()) {
        for (const Claim& claim : outcome.description.claims) {
            for (const bool holds : {true, false}) {
                expect_good_words(sentence_where(claim, outcome, holds));
            }
        }
        for (const Verdict& verdict : verdicts(outcome)) expect_good_words(verdict.sentence);
    }
}

/// "12 sectors of 32 bytes": the first figure of a drawing's description.
std::uint32_t sectors_in(const std::string& drawing) {
    const std::regex words(R"(aria-label="([0-9]+) sectors? )");
    std::smatch found;
    if (!std::regex_search(drawing, found, words)) return 0;
    return static_cast<std::uint32_t>(std::stoul(found[1]));
}

TEST(Pictures, ShowTheSectorsThatWereCounted) {
    for (const Outcome& outcome : record()) {
        for (const Picture& picture : outcome.description.pictures) {
            SCOPED_TRACE(picture.title);
            const auto drawn = draw(picture, outcome.results);
            ASSERT_TRUE(drawn);
            if (picture.kind != PictureKind::lanes) continue;
            const Request* request = drawn_request(picture, outcome.results);
            ASSERT_NE(request, nullptr);
            EXPECT_GT(request->sectors, 0U);
            EXPECT_EQ(sectors_in(*drawn), request->sectors);
        }
    }
}

}  // namespace
}  // namespace wideload::lab

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc != 2) return 2;
    wideload::lab::record_file = argv[1];
    return RUN_ALL_TESTS();
}
