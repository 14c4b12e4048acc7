// SPDX-License-Identifier: Apache-2.0
#include "together.h"

#include <stdexcept>
#include <utility>

namespace wideload::isa {
namespace {

/// `text` with its results named from `first` on.
std::string renamed(const std::string& text, std::size_t first) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        result += text[i];
        if (text[i] != '$') continue;
        const std::size_t number = kResultNames.find(text[++i]);
        result += number == std::string_view::npos ? text[i] : kResultNames.at(first + number);
    }
    return result;
}

WarpReference both(WarpReference a, std::size_t results_of_a, WarpReference b) {
    return [=](const WarpInput& input, WarpResults& results) {
        WarpResults of_a(results_of_a), of_b(results.size() - results_of_a);
        a(input, of_a);
        b(input, of_b);
        if (of_a.undefined != 0 || of_b.undefined != 0) throw std::logic_error("not of its own");
        std::copy(of_a.begin(), of_a.end(), results.begin());
        std::copy(of_b.begin(), of_b.end(), results.begin() + results_of_a);
    };
}

}  // namespace

std::vector<Form> together(const std::vector<Form>& forms) {
    std::vector<Form> joined;
    for (const Form& form : forms) {
        const bool begins =
            joined.empty() || joined.back().operands != form.operands ||
            joined.back().results.size() + form.results.size() > kResultNames.size();
        if (begins) {
            joined.push_back(form);
            joined.back().literals.reset();
            continue;
        }
        Form& whole = joined.back();
        whole.text += " " + renamed(form.text, whole.results.size());
        whole.reference = both(whole.reference, whole.results.size(), form.reference);
        whole.results.insert(whole.results.end(), form.results.begin(), form.results.end());
    }
    return joined;
}

WarpReference by_results(LaneFunction function) {
    return [function = std::move(function)](const WarpInput& input, WarpResults& results) {
        std::vector<Bits> operands(input.operands.size());
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((input.active >> lane & 1) == 0) continue;
            for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = input.operands[i][lane];
            const std::vector<Bits> values = function(operands);
            for (std::size_t r = 0; r < results.size(); ++r) results[r][lane] = values.at(r);
        }
    };
}

}  // namespace wideload::isa
