// SPDX-License-Identifier: Apache-2.0
#include "turned.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "lab/metric.h"

namespace wideload::lab {
namespace {

/// The points that a side is about, whatever was measured of them; two made-up ones where none was
/// run.
std::vector<Point*> points_of(const Side& side, const Claim& claim, Results& results) {
    const auto is_of_side = [&](const Point& point) {
        const bool on_the_way =
            claim.parameter.empty() || point.parameters.contains(claim.parameter);
        return on_the_way && (side.series.empty() || point.series == side.series) &&
               fits(point, side.where);
    };
    if (std::ranges::none_of(results.points, is_of_side)) {
        for (const double value : {1.0, 2.0}) {
            Point point;
            point.series = side.series;
            point.parameters = side.where;
            if (!claim.parameter.empty()) point.parameters[claim.parameter] = value;
            results.points.push_back(std::move(point));
        }
    }
    std::vector<Point*> found;
    for (Point& point : results.points) {
        if (is_of_side(point)) found.push_back(&point);
    }
    if (!claim.parameter.empty()) {
        std::ranges::stable_sort(
            found, {}, [&](const Point* point) { return point->parameters.at(claim.parameter); });
    }
    return found;
}

/// A quotient on the wished side of what the claim demands.
double quotient(const Claim& claim, bool holds) {
    const double far = std::abs(claim.value) * (1 + claim.tolerance) + 1;
    if (holds) return claim.value;
    return claim.relation == Relation::at_least ? claim.value - far : claim.value + far;
}

void set_compare(const Claim& claim, Results& results, bool holds) {
    constexpr double kRight = 2;
    const bool alone = claim.right.metric.empty();
    points_of(claim.left, claim, results);
    if (!alone) points_of(claim.right, claim, results);
    if (!alone) {
        for (Point* point : points_of(claim.right, claim, results)) {
            point->facts[claim.right.metric] = kRight;
        }
    }
    for (Point* point : points_of(claim.left, claim, results)) {
        point->facts[claim.left.metric] = quotient(claim, holds) * (alone ? 1 : kRight);
    }
}

void set_monotone(const Claim& claim, Results& results, bool holds) {
    constexpr double kBeyondAnyTolerance = 2;
    const bool rises = (claim.relation == Relation::rising) == holds;
    const double factor = claim.relation == Relation::constant && holds ? 1
                          : rises                                       ? kBeyondAnyTolerance
                                                                        : 1 / kBeyondAnyTolerance;
    double value = 1;
    for (Point* point : points_of(claim.left, claim, results)) {
        point->facts[claim.left.metric] = value;
        value *= factor;
    }
}

void set_crossover(const Claim& claim, Results& results, bool holds) {
    points_of(claim.left, claim, results);
    points_of(claim.right, claim, results);
    const std::vector<Point*> rights = points_of(claim.right, claim, results);
    const double middle = rights[rights.size() / 2]->parameters.at(claim.parameter);
    for (Point* point : rights) {
        const bool late = point->parameters.at(claim.parameter) >= middle;
        point->facts[claim.right.metric] = late && holds ? 0.5 : 2;
    }
    for (Point* point : points_of(claim.left, claim, results)) {
        point->facts[claim.left.metric] = 1;
    }
}

void set_best(const Claim& claim, Results& results, bool holds) {
    points_of(claim.left, claim, results);
    const bool own_is_higher = (claim.relation == Relation::highest) == holds;
    std::vector<Point> rivals;
    for (Point& point : results.points) {
        const bool own = point.series == claim.left.series;
        point.facts[claim.left.metric] = own == own_is_higher ? 2 : 1;
        if (!own) continue;
        Point rival = point;  // every point has one, whoever ran
        rival.series = "a rival";
        rival.facts[claim.left.metric] = own_is_higher ? 1 : 2;
        rivals.push_back(std::move(rival));
    }
    std::ranges::move(rivals, std::back_inserter(results.points));
}

void set_note(const Claim& claim, Results& results, bool holds) {
    for (Point* point : points_of(claim.left, claim, results)) {
        point->notes[claim.left.metric] = holds ? claim.text : "another opcode";
    }
}

}  // namespace

Outcome outcome_where(const Claim& claim, const Outcome& outcome, bool holds) {
    Outcome set = outcome;
    switch (claim.kind) {
        case ClaimKind::compare:
            set_compare(claim, set.results, holds);
            break;
        case ClaimKind::monotone:
            set_monotone(claim, set.results, holds);
            break;
        case ClaimKind::crossover:
            set_crossover(claim, set.results, holds);
            break;
        case ClaimKind::best:
            set_best(claim, set.results, holds);
            break;
        case ClaimKind::note:
            set_note(claim, set.results, holds);
            break;
    }
    return set;
}

}  // namespace wideload::lab
