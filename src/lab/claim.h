// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/record.h"

namespace wideload::lab {

/// What results say of a claim, with the figures that its sentences may name.
struct Evaluation {
    bool holds = false;
    /// By placeholder: found, ratio, left, right, value, where, at, best.
    std::map<std::string, std::string, std::less<>> words;
};

/// Nothing where the results lack what the claim is about.
[[nodiscard]] std::optional<Evaluation> evaluate(const Claim& claim, const Description& description,
                                                 const Results& results);
[[nodiscard]] inline std::optional<Evaluation> evaluate(const Claim& claim,
                                                        const Outcome& outcome) {
    return evaluate(claim, outcome.description, outcome.results);
}

/// The sentence of the outcome with its placeholders filled in; "{found|sector|sectors}" has a noun
/// in the number of its figure behind it. One that has no word stays as it was written, so that it
/// is seen.
[[nodiscard]] std::string sentence(const Claim& claim, const Evaluation& evaluation);

struct Verdict {
    bool holds = false;
    std::string sentence;
};

/// Every claim that the results can answer, in order.
[[nodiscard]] std::vector<Verdict> verdicts(const Outcome& outcome);

}  // namespace wideload::lab
