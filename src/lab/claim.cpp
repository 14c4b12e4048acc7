// SPDX-License-Identifier: Apache-2.0
#include "lab/claim.h"

#include "lab/claim_kinds.h"

namespace wideload::lab {

std::optional<Evaluation> evaluate(const Claim& claim, const Outcome& outcome) {
    switch (claim.kind) {
        case ClaimKind::compare:
            return evaluate_compare(claim, outcome);
        case ClaimKind::monotone:
            return evaluate_monotone(claim, outcome);
        case ClaimKind::crossover:
            return evaluate_crossover(claim, outcome);
        case ClaimKind::best:
            return evaluate_best(claim, outcome);
    }
    return std::nullopt;
}

std::string sentence(const Claim& claim, const Evaluation& evaluation) {
    const std::string& pattern = evaluation.holds ? claim.holds : claim.fails;
    std::string text;
    std::size_t at = 0;
    while (at < pattern.size()) {
        const std::size_t open = pattern.find('{', at);
        const std::size_t close = open == std::string::npos ? open : pattern.find('}', open);
        if (close == std::string::npos) break;
        const auto word =
            evaluation.words.find(std::string_view(pattern).substr(open + 1, close - open - 1));
        text.append(pattern, at, open - at);
        if (word == evaluation.words.end()) {
            text.append(pattern, open, close + 1 - open);
        } else {
            text += word->second;
        }
        at = close + 1;
    }
    return text.append(pattern, at);
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
