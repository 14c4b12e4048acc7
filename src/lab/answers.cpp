// SPDX-License-Identifier: Apache-2.0
#include "lab/answers.h"

#include <algorithm>
#include <iterator>

#include "lab/claim.h"
#include "lab/figures.h"

namespace wideload::lab {
namespace {

std::vector<const Outcome*> outcomes_of(const Chapter& chapter) {
    std::vector<const Outcome*> all = chapter.beside;
    std::ranges::copy(chapter.own, std::back_inserter(all));
    return all;
}

void add(std::vector<Answer>& answers, std::size_t first, const Verdict& verdict,
         const Outcome& of) {
    const auto same =
        std::find_if(answers.begin() + static_cast<std::ptrdiff_t>(first), answers.end(),
                     [&](const Answer& answer) { return answer.sentence == verdict.sentence; });
    if (same != answers.end()) {
        same->of.push_back(&of);
    } else {
        answers.push_back({verdict.holds, verdict.sentence, {&of}});
    }
}

}  // namespace

std::vector<Answer> answers_of(const Chapter& chapter) {
    std::vector<Answer> answers;
    for (const Claim& claim : chapter.description->claims) {
        const std::size_t first = answers.size();
        for (const Outcome* outcome : outcomes_of(chapter)) {
            const auto found = evaluate(claim, *chapter.description, outcome->results);
            if (!found) continue;
            add(answers, first, {found->holds, sentence(claim, *found)}, *outcome);
        }
    }
    return answers;
}

std::string whose(const Answer& answer, const Chapter& chapter) {
    if (answer.of.size() == chapter.own.size() + chapter.beside.size()) return {};
    std::string text;
    for (const Outcome* outcome : answer.of) {
        text += (text.empty() ? "" : "; ") + run_words(outcome->results);
    }
    return text;
}

}  // namespace wideload::lab
