// SPDX-License-Identifier: Apache-2.0
#include "lab/claim.h"

#include <algorithm>

#include "lab/claim_kinds.h"

namespace wideload::lab {
namespace {

/// Of "found" its word, of "found|sector|sectors" the word and the noun that goes with it.
std::optional<std::string> filled(std::string_view placeholder, const Evaluation& evaluation) {
    const std::size_t first = std::min(placeholder.find('|'), placeholder.size());
    const auto word = evaluation.words.find(placeholder.substr(0, first));
    if (word == evaluation.words.end()) return std::nullopt;
    if (first == placeholder.size()) return word->second;
    const std::size_t second = placeholder.find('|', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const std::string_view noun = word->second == "1"
                                      ? placeholder.substr(first + 1, second - first - 1)
                                      : placeholder.substr(second + 1);
    return word->second + " " + std::string(noun);
}

}  // namespace

std::optional<Evaluation> evaluate(const Claim& claim, const Description& description,
                                   const Results& results) {
    switch (claim.kind) {
        case ClaimKind::compare:
            return evaluate_compare(claim, description, results);
        case ClaimKind::monotone:
            return evaluate_monotone(claim, description, results);
        case ClaimKind::crossover:
            return evaluate_crossover(claim, description, results);
        case ClaimKind::best:
            return evaluate_best(claim, description, results);
        case ClaimKind::note:
            return evaluate_note(claim, description, results);
    }
    return std::nullopt;
}

std::string sentence(const Claim& claim, const Evaluation& evaluation) {
    std::string_view pattern = evaluation.holds ? claim.holds : claim.fails;
    std::string text;
    while (!pattern.empty()) {
        const std::size_t open = pattern.find('{');
        const std::size_t close = open == std::string_view::npos ? open : pattern.find('}', open);
        if (close == std::string_view::npos) break;
        const std::string_view placeholder = pattern.substr(open + 1, close - open - 1);
        text += pattern.substr(0, open);
        text += filled(placeholder, evaluation)
                    .value_or(std::string(pattern.substr(open, close + 1 - open)));
        pattern.remove_prefix(close + 1);
    }
    return text.append(pattern);
}

std::vector<Verdict> verdicts(const Outcome& outcome) {
    std::vector<Verdict> all;
    for (const Claim& claim : outcome.description.claims) {
        if (const auto evaluation = evaluate(claim, outcome)) {
            all.push_back({evaluation->holds, sentence(claim, *evaluation)});
        }
    }
    return all;
}

}  // namespace wideload::lab
