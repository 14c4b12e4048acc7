// SPDX-License-Identifier: Apache-2.0
#include "lab/claim_kinds.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/figures.h"
#include "lab/metric.h"

namespace wideload::lab {
namespace {

/// A point of the left side with the one of the right that it is compared with.
struct Pair {
    const Point* point = nullptr;
    double left = 0;
    double right = 1;
    [[nodiscard]] double quotient() const { return left / right; }
};

/// The parameters in which partners are equal: all but those that the right side fixes.
Parameters free_parameters(const Point& point, const Claim& claim) {
    Parameters free = point.parameters;
    std::erase_if(free, [&](const auto& entry) { return claim.right.where.contains(entry.first); });
    return free;
}

bool partners(const Point& left, const Point& right, const Claim& claim) {
    return free_parameters(left, claim) == free_parameters(right, claim);
}

/// The points of a side that have the claim's parameter, where it names one.
std::vector<Measured> points_of(const Results& results, const Side& side, const Claim& claim) {
    std::vector<Measured> points = select(results, side);
    if (claim.parameter.empty()) return points;
    std::erase_if(points, [&](const Measured& measured) {
        return !measured.point->parameters.contains(claim.parameter);
    });
    return points;
}

/// A right side of one point is everyone's partner.
std::vector<Pair> pairs(const Claim& claim, const Results& results) {
    std::vector<Pair> found;
    const bool alone = claim.right.metric.empty();
    const std::vector<Measured> rights =
        alone ? std::vector<Measured>{} : points_of(results, claim.right, claim);
    for (const Measured& left : points_of(results, claim.left, claim)) {
        if (alone) {
            found.push_back({left.point, left.value, 1});
            continue;
        }
        for (const Measured& right : rights) {
            if (right.value == 0) continue;
            if (rights.size() == 1 || partners(*left.point, *right.point, claim)) {
                found.push_back({left.point, left.value, right.value});
            }
        }
    }
    return found;
}

/// How far a value is off a relation, relative; 0 or less: it holds.
double excess(Relation relation, double found, double wanted, double tolerance) {
    const double scale = std::max(std::abs(wanted), 1e-300);
    switch (relation) {
        case Relation::at_least:
            return (wanted - found) / scale;
        case Relation::at_most:
            return (found - wanted) / scale;
        default:
            return std::abs(found - wanted) / scale - tolerance;
    }
}

template <class Value>
std::string range_of(const std::vector<Pair>& pairs, Value value) {
    std::vector<double> values;
    for (const Pair& pair : pairs) values.push_back(value(pair));
    return range(values);
}

/// In the order of the claim's parameter.
std::vector<Measured> along(const Results& results, const Side& side, const Claim& claim) {
    std::vector<Measured> points = points_of(results, side, claim);
    std::ranges::stable_sort(points, {}, [&](const Measured& measured) {
        return measured.point->parameters.find(claim.parameter)->second;
    });
    return points;
}

/// Whether a step from one value to the next keeps what a monotone claim says.
bool keeps(const Claim& claim, double first, double before, double now) {
    const double slack = claim.tolerance * std::abs(before);
    switch (claim.relation) {
        case Relation::rising:
            return now >= before - slack;
        case Relation::falling:
            return now <= before + slack;
        default:
            return std::abs(now - first) <= claim.tolerance * std::abs(first);
    }
}

/// Whether one of the opcodes of "LDG.E.64.SYS, LDG.E" is this one, whatever modifiers follow that
/// say nothing of its width.
bool names(std::string_view opcodes, std::string_view wanted) {
    constexpr std::string_view kBetween = ", ";
    while (!opcodes.empty()) {
        const std::size_t end = std::min(opcodes.find(kBetween), opcodes.size());
        const std::string_view opcode = opcodes.substr(0, end);
        opcodes.remove_prefix(std::min(end + kBetween.size(), opcodes.size()));
        if (!opcode.starts_with(wanted)) continue;
        const std::string_view rest = opcode.substr(wanted.size());
        const bool is_whole = rest.empty() || rest.starts_with('.');
        if (is_whole && rest.find_first_of("0123456789") == std::string_view::npos) return true;
    }
    return false;
}

}  // namespace

std::optional<Evaluation> evaluate_compare(const Claim& claim, const Description& description,
                                           const Results& results) {
    const std::vector<Pair> compared = pairs(claim, results);
    if (compared.empty()) return std::nullopt;
    const auto off = [&](const Pair& pair) {
        return excess(claim.relation, pair.quotient(), claim.value, claim.tolerance);
    };
    const Pair& farthest = *std::ranges::max_element(compared, {}, off);
    Evaluation evaluation;
    evaluation.holds = off(farthest) <= 0;
    const std::string found = range_of(compared, [](const Pair& pair) { return pair.quotient(); });
    evaluation.words = {{"found", found},
                        {"ratio", found},
                        {"left", range_of(compared, [](const Pair& pair) { return pair.left; })},
                        {"right", range_of(compared, [](const Pair& pair) { return pair.right; })},
                        {"value", figure(claim.value)},
                        {"where", words(farthest.point->parameters, description)}};
    return evaluation;
}

std::optional<Evaluation> evaluate_monotone(const Claim& claim, const Description& description,
                                            const Results& results) {
    const std::vector<Measured> points = along(results, claim.left, claim);
    if (points.size() < 2) return std::nullopt;
    Evaluation evaluation;
    evaluation.holds = true;
    const Point* broken = points.back().point;
    for (std::size_t i = 1; i < points.size() && evaluation.holds; ++i) {
        if (!keeps(claim, points.front().value, points[i - 1].value, points[i].value)) {
            evaluation.holds = false;
            broken = points[i].point;
        }
    }
    const double first = points.front().value, last = points.back().value;
    evaluation.words = {{"left", figure(first)},
                        {"right", figure(last)},
                        {"ratio", figure(last / first)},
                        {"found", figure(first) + " to " + figure(last)},
                        {"where", words(broken->parameters, description)}};
    return evaluation;
}

std::optional<Evaluation> evaluate_crossover(const Claim& claim, const Description& description,
                                             const Results& results) {
    const std::vector<Measured> lefts = along(results, claim.left, claim);
    const std::vector<Measured> rights = along(results, claim.right, claim);
    std::vector<Pair> both;
    for (const Measured& left : lefts) {
        for (const Measured& right : rights) {
            if (partners(*left.point, *right.point, claim)) {
                both.push_back({left.point, left.value, right.value});
            }
        }
    }
    if (both.size() < 2) return std::nullopt;
    const auto other_wins = [](const Pair& pair) { return pair.right < pair.left; };
    const auto first_win = std::ranges::find_if(both, other_wins);
    Evaluation evaluation;
    evaluation.holds = first_win != both.end() && std::all_of(first_win, both.end(), other_wins);
    const Pair& last = both.back();
    const auto at = first_win == both.end() ? last.point->parameters.find(claim.parameter)
                                            : first_win->point->parameters.find(claim.parameter);
    evaluation.words = {{"at", figure(at->second)},
                        {"left", figure(last.left)},
                        {"right", figure(last.right)},
                        {"ratio", figure(last.quotient())},
                        {"where", words(last.point->parameters, description)}};
    return evaluation;
}

std::optional<Evaluation> evaluate_best(const Claim& claim, const Description& description,
                                        const Results& results) {
    const bool highest = claim.relation == Relation::highest;
    Side everyone = claim.left;
    everyone.series.clear();
    const std::vector<Measured> all = select(results, everyone);
    std::optional<Evaluation> evaluation;
    std::vector<double> margins;
    for (const Measured& own : select(results, claim.left)) {
        const Measured* rival = nullptr;  // the best of the others at the same parameters
        for (const Measured& other : all) {
            if (other.point->series == own.point->series) continue;
            if (other.point->parameters != own.point->parameters) continue;
            if (rival == nullptr ||
                (highest ? other.value > rival->value : other.value < rival->value)) {
                rival = &other;
            }
        }
        if (rival == nullptr) continue;
        if (!evaluation) evaluation = Evaluation{true, {}};
        margins.push_back(highest ? own.value / rival->value : rival->value / own.value);
        const bool wins = highest ? own.value >= rival->value : own.value <= rival->value;
        if (!evaluation->holds) continue;
        evaluation->holds = wins;
        const Point& winner = wins ? *own.point : *rival->point;
        evaluation->words["best"] = description.series_title(winner.series);
        evaluation->words["where"] = words(own.point->parameters, description);
        evaluation->words["left"] = figure(own.value);
        evaluation->words["right"] = figure(rival->value);
    }
    if (evaluation) evaluation->words["ratio"] = evaluation->words["found"] = range(margins);
    return evaluation;
}

std::optional<Evaluation> evaluate_note(const Claim& claim, const Description& description,
                                        const Results& results) {
    std::optional<Evaluation> evaluation;
    std::set<std::string> found;
    for (const Point& point : results.points) {
        const auto note = point.notes.find(claim.left.metric);
        if (point.series != claim.left.series || !fits(point, claim.left.where)) continue;
        if (note == point.notes.end()) continue;
        const bool named = names(note->second, claim.text);
        if (!evaluation) evaluation = Evaluation{true, {}};
        if (!named && evaluation->holds) {
            evaluation->words["where"] = words(point.parameters, description);
        }
        evaluation->holds = evaluation->holds && named;
        found.insert(note->second);
    }
    if (!evaluation) return evaluation;
    evaluation->words.try_emplace("where", "all");
    evaluation->words["value"] = claim.text;
    for (const std::string& text : found) {
        std::string& all = evaluation->words["found"];
        all += (all.empty() ? "" : " or ") + text;
    }
    return evaluation;
}

}  // namespace wideload::lab
