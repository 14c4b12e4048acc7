// SPDX-License-Identifier: Apache-2.0
// What each kind of claim says of results that are known: the sample's left costs 10, 20, 40, 80
// and its right 31, 32, 34, 38 over n = 1, 2, 4, 8.
#include "lab/claim.h"

#include <gtest/gtest.h>

#include <utility>

#include "sample.h"

namespace wideload::lab {
namespace {

Claim cost_of(ClaimKind kind, std::string series) {
    Claim claim;
    claim.kind = kind;
    claim.left = {"cost", std::move(series), {}};
    claim.parameter = "n";
    return claim;
}

Claim with(Claim claim, Relation relation, double value = 0, double tolerance = 0) {
    claim.relation = relation;
    claim.value = value;
    claim.tolerance = tolerance;
    return claim;
}

bool holds(const Claim& claim) { return evaluate(claim, sample_outcome())->holds; }

TEST(Compare, HoldsAtEveryPoint) {
    const Claim claim = cost_of(ClaimKind::compare, "left");
    EXPECT_TRUE(holds(with(claim, Relation::at_most, 80)));
    EXPECT_FALSE(holds(with(claim, Relation::at_most, 79)));
    EXPECT_TRUE(holds(with(claim, Relation::at_least, 10)));
    EXPECT_FALSE(holds(with(claim, Relation::at_least, 11)));
    EXPECT_FALSE(holds(with(claim, Relation::equal, 40)));
    EXPECT_TRUE(holds(with(claim, Relation::equal, 50, 0.8)));
}

TEST(Compare, DividesAtEqualParameters) {
    Claim claim = with(cost_of(ClaimKind::compare, "left"), Relation::at_most, 3);
    claim.right = {"cost", "right", {}};
    const auto evaluation = evaluate(claim, sample_outcome());
    ASSERT_TRUE(evaluation);
    EXPECT_TRUE(evaluation->holds);
    EXPECT_EQ(evaluation->words.at("ratio"), "0.323 to 2.11");  // 10 / 31 to 80 / 38
    EXPECT_EQ(evaluation->words.at("where"), "size 8 B");
}

TEST(Compare, OnePointOnTheRightIsEveryonesPartner) {
    Claim claim = with(cost_of(ClaimKind::compare, "left"), Relation::at_most, 8);
    claim.left.where["n"] = 8;
    claim.right = {"cost", "left", {{"n", 1}}};
    EXPECT_EQ(evaluate(claim, sample_outcome())->words.at("ratio"), "8");
}

TEST(Compare, WhatTheLeftSideFixesThePartnerHasToo) {
    Claim claim = with(cost_of(ClaimKind::compare, "left"), Relation::equal, 80.0 / 38);
    claim.left.where["n"] = 8;
    claim.right = {"cost", "right", {}};
    const auto evaluation = evaluate(claim, sample_outcome());
    EXPECT_TRUE(evaluation->holds);
    EXPECT_EQ(evaluation->words.at("right"), "38");
}

TEST(Monotone, LooksAtEveryStep) {
    const Claim claim = cost_of(ClaimKind::monotone, "left");
    EXPECT_TRUE(holds(with(claim, Relation::rising)));
    EXPECT_FALSE(holds(with(claim, Relation::falling)));
    EXPECT_FALSE(holds(with(claim, Relation::constant)));
    EXPECT_TRUE(holds(with(cost_of(ClaimKind::monotone, "right"), Relation::constant, 0, 0.25)));
    EXPECT_EQ(evaluate(with(claim, Relation::falling), sample_outcome())->words.at("where"),
              "size 2 B");
}

TEST(Crossover, NeedsOneSizeFromWhichTheOtherIsAhead) {
    Claim claim = cost_of(ClaimKind::crossover, "left");
    claim.right = {"cost", "right", {}};
    const auto evaluation = evaluate(claim, sample_outcome());
    EXPECT_TRUE(evaluation->holds);  // 10 < 31, 20 < 32, then 40 > 34
    EXPECT_EQ(evaluation->words.at("at"), "4");
    std::swap(claim.left, claim.right);
    EXPECT_FALSE(holds(claim));  // ahead at first, then no more
    Outcome outcome = sample_outcome();
    for (Point& point : outcome.results.points) {
        if (point.series == "left") point.facts["cost"] = 1;
    }
    EXPECT_TRUE(evaluate(claim, outcome)->holds);  // from the first size on
    EXPECT_EQ(evaluate(claim, outcome)->words.at("at"), "1");
}

TEST(Best, MustWinEverywhere) {
    Claim claim = cost_of(ClaimKind::best, "left");
    claim.parameter.clear();
    EXPECT_FALSE(holds(with(claim, Relation::lowest)));
    claim.left.where["n"] = 1;
    EXPECT_TRUE(holds(with(claim, Relation::lowest)));
    EXPECT_FALSE(holds(with(claim, Relation::highest)));
    EXPECT_EQ(evaluate(with(claim, Relation::highest), sample_outcome())->words.at("best"),
              "the right one");
}

TEST(Note, NamesAnOpcodeOfThatWidthAtEveryPoint) {
    Outcome outcome = sample_outcome();
    Claim claim;
    claim.kind = ClaimKind::note;
    claim.left = {"loads", "left", {}};
    claim.text = "LDG.E";
    EXPECT_FALSE(evaluate(claim, outcome));
    const auto holds_of = [&](const char* note) {
        outcome.results.points[0].notes["loads"] = note;
        return evaluate(claim, outcome)->holds;
    };
    EXPECT_TRUE(holds_of("LDG.E.64, LDG.E"));
    EXPECT_TRUE(holds_of("LDG.E.SYS"));
    EXPECT_FALSE(holds_of("LDG.E.64, LDG.E.128.SYS"));
    EXPECT_FALSE(holds_of("LDG.EX"));
    EXPECT_EQ(evaluate(claim, outcome)->words.at("found"), "LDG.EX");
    EXPECT_EQ(evaluate(claim, outcome)->words.at("where"), "size 1 B");
}

TEST(Claim, SaysNothingOfWhatWasNotMeasured) {
    Claim claim = cost_of(ClaimKind::compare, "left");
    claim.left.metric = "gbps";
    EXPECT_FALSE(evaluate(claim, sample_outcome()));
    claim.left = {"cost", "nobody", {}};
    EXPECT_FALSE(evaluate(claim, sample_outcome()));
}

TEST(Sentence, PutsNounsIntoTheNumberOfTheirFigure) {
    Claim claim;
    claim.holds =
        "{found|sector moves|sectors move}, {right|sector|sectors}, {nothing|a|b}, {found|a}";
    EXPECT_EQ(sentence(claim, {true, {{"found", "1"}, {"right", "4 to 1"}}}),
              "1 sector moves, 4 to 1 sectors, {nothing|a|b}, {found|a}");
}

TEST(Sentence, KeepsUnknownWordsSoThatTheyAreSeen) {
    Claim claim;
    claim.holds = "{found} of {nothing} and {open";
    EXPECT_EQ(sentence(claim, {true, {{"found", "7"}}}), "7 of {nothing} and {open");
}

}  // namespace
}  // namespace wideload::lab
