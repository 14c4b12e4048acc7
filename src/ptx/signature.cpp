// SPDX-License-Identifier: Apache-2.0
#include "ptx/signature.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "ptx/words.h"

namespace wideload::ptx {
namespace {

using RuleKind = OperandRule::Kind;

struct Alternative {
    std::string_view word;  ///< empty: of every mnemonic
    OperandRules rules;
};

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
    if (!text.ends_with(suffix)) return false;
    text.remove_suffix(suffix.size());
    return true;
}

void set_kind(std::string_view text, OperandRule& rule) {
    struct Row {
        std::string_view text;
        RuleKind kind;
        std::uint8_t index;
        bool widens;
    };
    constexpr std::array<Row, 11> kSignatures{{{"T", RuleKind::typed, 0, false},
                                               {"U", RuleKind::typed, 1, false},
                                               {"V", RuleKind::typed, 2, false},
                                               {"W", RuleKind::typed, 0, true},
                                               {"P", RuleKind::predicate, 0, false},
                                               {"m", RuleKind::move, 0, false},
                                               {"[]", RuleKind::address, 0, false},
                                               {"L", RuleKind::label, 0, false},
                                               {"S", RuleKind::symbol, 0, false},
                                               {"x", RuleKind::anything, 0, false},
                                               {"...", RuleKind::rest, 0, false}}};
    for (const Row& row : kSignatures) {
        if (row.text != text) continue;
        rule.kind = row.kind;
        rule.index = row.index;
        rule.widens = row.widens;
        return;
    }
    const auto type = find_type(text);
    assert(type && "isa.def names an unknown operand kind");
    rule.kind = RuleKind::fixed;
    rule.type = type.value_or(Type::none);
}

OperandRule parse_rule(std::string_view text) {
    OperandRule rule;
    rule.optional = take_suffix(text, "?");
    rule.with_predicate = take_suffix(text, "|P");
    rule.destination = take_prefix(text, "=");
    rule.vector = take_prefix(text, "v");
    rule.relaxed = take_prefix(text, "~");
    set_kind(text, rule);
    return rule;
}

Alternative parse_alternative(std::string_view text) {
    Alternative alternative;
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        alternative.word = text.substr(0, colon);
        text.remove_prefix(colon + 1);
    }
    while (!text.empty()) {
        const std::string_view word = take_until(text, ' ');
        if (!word.empty()) alternative.rules.push_back(parse_rule(word));
    }
    return alternative;
}

std::vector<Alternative> parse_alternatives(std::string_view text) {
    std::vector<Alternative> alternatives;
    do {
        std::string_view part = take_until(text, ';');
        while (take_prefix(part, " ")) {
        }
        alternatives.push_back(parse_alternative(part));
    } while (!text.empty());
    return alternatives;
}

const std::vector<Alternative>& alternatives_of(Opcode opcode) {
    static const auto table = [] {
        std::array<std::vector<Alternative>, kOpcodeCount> all;
        for (std::size_t i = 0; i < kOpcodeCount; ++i) {
            all[i] = parse_alternatives(row(static_cast<Opcode>(i)).operands);
        }
        return all;
    }();
    return table[static_cast<std::size_t>(opcode)];
}

bool has_word(std::string_view mnemonic, std::string_view word) {
    take_until(mnemonic, '.');
    while (!mnemonic.empty()) {
        if (take_until(mnemonic, '.') == word) return true;
    }
    return false;
}

}  // namespace

std::vector<const OperandRules*> operand_rules(const Instruction& instruction) {
    std::vector<const OperandRules*> chosen;
    bool by_word = false;
    for (const Alternative& alternative : alternatives_of(instruction.opcode)) {
        const bool worded = !alternative.word.empty();
        if (worded && !has_word(instruction.mnemonic, alternative.word)) continue;
        if (by_word && !worded) continue;
        if (worded && !by_word) chosen.clear();
        by_word = worded;
        chosen.push_back(&alternative.rules);
    }
    return chosen;
}

}  // namespace wideload::ptx
