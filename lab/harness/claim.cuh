// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

/// What an experiment expects of its results, as data. The tool evaluates a claim on the points
/// that were run and says the sentence of the outcome, so a sentence turns round when the result
/// does.
///
/// A metric is the name of a counter ("global_ld_sectors"), a fact or parameter of the point, a
/// time
/// ("us", "gbps", "copy_percent"), "<kind>_degree" (the coalescing degree in percent), or a
/// quotient of two, "global_ld_sectors/global_ld_requests". A claim whose metric a run did not
/// measure says nothing of that run.
///
/// Sentences may hold: {found} what was compared, {ratio} the same as a factor, {left} and {right}
/// the two sides of it, {value} what it was compared with, {where} the parameters of the point
/// farthest off, {at} where a crossover was found, {best} the series that won. "{found|sector|
/// sectors}" puts the noun behind the figure that goes with it.
namespace lab {

/// Parameters that a point must have.
using Where = std::vector<std::pair<std::string, double>>;

struct Claim {
    std::string kind;
    std::string metric, series;
    Where where;
    std::string other_metric, other_series;  ///< empty: the claim is about one side
    Where other_where;
    std::string relation;  ///< equal, at_least, at_most; rising, falling, constant; highest, lowest
    double value = 0;
    double tolerance = 0;  ///< relative
    std::string parameter;
    std::string text;  ///< of a claim about a note
    std::string sentence_holds, sentence_fails;

    Claim& at(Where parameters) { return where = std::move(parameters), *this; }
    /// Only points that have this parameter.
    Claim& along(std::string name) { return parameter = std::move(name), *this; }
    /// Divides by this metric, at the points of equal parameters; those that `by_where` fixes need
    /// not be equal. A single point of the other side is the partner of all.
    Claim& over(std::string by_metric, std::string by_series, Where by_where = {}) {
        other_metric = std::move(by_metric);
        other_series = std::move(by_series);
        other_where = std::move(by_where);
        return *this;
    }
    Claim& equals(double number, double relative_tolerance = 0) {
        return relate("equal", number, relative_tolerance);
    }
    Claim& at_least(double number) { return relate("at_least", number, 0); }
    Claim& at_most(double number) { return relate("at_most", number, 0); }
    Claim& has(std::string opcode) { return text = std::move(opcode), *this; }
    Claim& holds(std::string sentence) { return sentence_holds = std::move(sentence), *this; }
    Claim& fails(std::string sentence) { return sentence_fails = std::move(sentence), *this; }

private:
    Claim& relate(const char* word, double number, double relative_tolerance) {
        relation = word;
        value = number;
        tolerance = relative_tolerance;
        return *this;
    }
};

/// The metric of every point of a series: compare("us", "scalar").at({{"n", 64}}).at_most(3).
/// With over() it is a ratio.
inline Claim compare(std::string metric, std::string series) {
    Claim claim;
    claim.kind = "compare";
    claim.metric = std::move(metric);
    claim.series = std::move(series);
    return claim;
}

/// The metric along a parameter never falls ("rising"), never rises ("falling"), or stays within
/// the tolerance of its first value ("constant").
inline Claim monotone(std::string metric, std::string series, std::string parameter,
                      std::string relation, double tolerance = 0) {
    Claim claim = compare(std::move(metric), std::move(series));
    claim.kind = "monotone";
    claim.parameter = std::move(parameter);
    claim.relation = std::move(relation);
    claim.tolerance = tolerance;
    return claim;
}

/// Along a parameter `other` is the lower one from some point on, the first or a later one.
inline Claim crossover(std::string metric, std::string series, std::string other,
                       std::string parameter) {
    Claim claim = compare(metric, std::move(series));
    claim.kind = "crossover";
    claim.other_metric = std::move(metric);
    claim.other_series = std::move(other);
    claim.parameter = std::move(parameter);
    return claim;
}

/// The series has the "highest" or "lowest" metric of all, at every point that all of them have.
inline Claim best(std::string metric, std::string series, std::string relation) {
    Claim claim = compare(std::move(metric), std::move(series));
    claim.kind = "best";
    claim.relation = std::move(relation);
    return claim;
}

/// A note of every point of a series that lists opcodes, "LDG.E.64, LDG.E", has one of them:
/// names("load_instructions", "vector2").has("LDG.E.64").
inline Claim names(std::string note, std::string series) {
    Claim claim = compare(std::move(note), std::move(series));
    claim.kind = "note";
    return claim;
}

}  // namespace lab
