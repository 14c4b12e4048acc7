// SPDX-License-Identifier: Apache-2.0
// A sentence of the lab must follow its result: every claim of an experiment is turned round, and
// the other sentence must come out. The argument is a record as `wideload lab NAME --json` keeps
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lab/claim.h"
#include "profile/document.h"
#include "turned.h"

namespace wideload::lab {
namespace {

std::string record_file;

std::string sentence_where(const Claim& claim, const Outcome& outcome, bool holds) {
    const auto evaluation = evaluate(claim, outcome_where(claim, outcome, holds));
    if (!evaluation) {
        ADD_FAILURE() << "the claim says nothing of results that it is about";
        return {};
    }
    EXPECT_EQ(evaluation->holds, holds);
    return sentence(claim, *evaluation);
}

TEST(Claims, TurnRound) {
    const auto text = profile::read_text(record_file);
    ASSERT_TRUE(text.ok()) << format(text.errors());
    const auto record = parse_record(*text, record_file);
    ASSERT_TRUE(record.ok()) << format(record.errors());
    for (const Outcome& outcome : *record) {
        EXPECT_FALSE(outcome.description.claims.empty()) << outcome.description.name;
        for (const Claim& claim : outcome.description.claims) {
            SCOPED_TRACE(claim.holds);
            const std::string as_expected = sentence_where(claim, outcome, true);
            const std::string turned = sentence_where(claim, outcome, false);
            EXPECT_NE(as_expected, turned);
            EXPECT_EQ(as_expected.find('{'), std::string::npos) << "no such word: " << as_expected;
            EXPECT_EQ(turned.find('{'), std::string::npos) << "no such word: " << turned;
            EXPECT_NE(claim.holds.find('{'), std::string::npos) << "nothing in it is computed";
            EXPECT_NE(claim.fails.find('{'), std::string::npos) << "nothing in it is computed";
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
