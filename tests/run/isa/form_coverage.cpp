// SPDX-License-Identifier: Apache-2.0
// No form of PTX that the engine takes is executed untested: every combination of modifiers and
// types that forms.def allows, and that a kernel may hold, stands in a form of these tests.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "jit/lower.h"
#include "ptx/form.h"
#include "ptx/modifier.h"
#include "recorded.h"

namespace wideload::isa {
namespace {

using Words = std::vector<std::string>;

/// Words that no result depends on: which caches keep a line, and in which order others see what a
/// block does, which this one's workers keep whatever is asked. Each is executed at least once an
/// opcode, but not beside every other word.
constexpr std::array<std::string_view, 7> kWithoutEffect{
    "load_order", "store_order", "atom_order", "red_order", "scope", "load_cache", "store_cache"};

/// Names of memory that is another's as well: a block is alone in its cluster, and parameters are
/// what the function around them makes of them.
std::string_view plain(std::string_view word) {
    if (word.starts_with("shared::")) return "shared";
    return word.starts_with("param::") ? "param" : word;
}

Words split(std::string_view dotted) {
    Words words;
    while (!dotted.empty()) {
        const std::size_t end = std::min(dotted.find('.'), dotted.size());
        words.emplace_back(dotted.substr(0, end));
        dotted.remove_prefix(std::min(end + 1, dotted.size()));
    }
    return words;
}

bool is_another_name(std::string_view word, const ptx::FormSlot& slot) {
    return plain(word) != word && std::ranges::find(slot.words, plain(word)) != slot.words.end();
}

bool has_no_effect(const ptx::FormSlot& slot) {
    return std::ranges::find(kWithoutEffect, slot.text) != kWithoutEffect.end();
}

/// Words that are executed once an opcode.
std::set<std::string> words_of_their_own(std::span<const ptx::Form> forms) {
    std::set<std::string> words;
    for (const ptx::Form& form : forms) {
        for (const ptx::FormSlot& slot : form) {
            for (const std::string_view word : slot.words) {
                if (!has_no_effect(slot) && !is_another_name(word, slot)) continue;
                for (std::string& part : split(word)) words.insert(std::move(part));
            }
        }
    }
    return words;
}

/// "add.f32.ftz.rn": of equal mnemonics, whatever the order of their modifiers.
std::string canonical(const Words& mnemonic, const std::set<std::string>& left_out,
                      bool with_hints) {
    std::string types;
    std::set<std::string_view> modifiers;
    for (const std::string& word : std::span(mnemonic).subspan(1)) {
        if (ptx::find_type(word)) {
            types += "." + word;
        } else if (plain(word) != word) {
            modifiers.insert(plain(word));
        } else if (!left_out.contains(word) &&
                   (with_hints || !(word.starts_with("L1::") || word.starts_with("L2::")))) {
            modifiers.insert(word);
        }
    }
    return fmt::format("{}{}{}{}", mnemonic[0], types, modifiers.empty() ? "" : ".",
                       fmt::join(modifiers, "."));
}

/// Every mnemonic of a form but for words without effect.
std::vector<Words> expand(ptx::Opcode opcode, const ptx::Form& form) {
    std::vector<Words> all{{std::string(ptx::name(opcode))}};
    for (const ptx::FormSlot& slot : form) {
        if (has_no_effect(slot) || slot.is_rest) continue;
        std::vector<Words> longer;
        for (const Words& words : all) {
            if (slot.optional) longer.push_back(words);
            for (const std::string_view word : slot.words) {
                if (is_another_name(word, slot)) continue;
                longer.push_back(words);
                for (std::string& part : split(word)) longer.back().push_back(std::move(part));
            }
        }
        all = std::move(longer);
    }
    return all;
}

bool is_executed_by_the_engine(ptx::Opcode opcode, const Words& words) {
    ptx::Instruction instruction;
    instruction.opcode = opcode;
    instruction.mnemonic = fmt::format("{}", fmt::join(words, "."));
    const bool parsed =
        !ptx::apply_modifiers(instruction.mnemonic, instruction) && !ptx::why_no_form(instruction);
    return parsed && !jit::why_unsupported(instruction);
}

class FormsOf : public testing::TestWithParam<ptx::Opcode> {};

TEST_P(FormsOf, AreExecuted) {
    const ptx::Opcode opcode = GetParam();
    const std::set<std::string> own = words_of_their_own(ptx::forms_of(opcode));
    const bool with_hints = ptx::names_cache_hints(opcode);
    std::set<std::string> executed, executed_words;
    for (const std::string& mnemonic : executed_mnemonics()) {
        const Words words = split(mnemonic);
        if (words[0] != ptx::name(opcode)) continue;
        executed.insert(canonical(words, own, with_hints));
        executed_words.insert(words.begin(), words.end());
    }
    std::set<std::string> missing;
    for (const ptx::Form& form : ptx::forms_of(opcode)) {
        for (const Words& words : expand(opcode, form)) {
            if (!is_executed_by_the_engine(opcode, words)) continue;
            if (!executed.contains(canonical(words, own, with_hints))) {
                missing.insert(fmt::format("{}", fmt::join(words, ".")));
            }
        }
    }
    EXPECT_TRUE(missing.empty()) << missing.size()
                                 << " forms: " << fmt::format("{}", fmt::join(missing, " "));
    std::vector<std::string> unseen;
    std::ranges::set_difference(own, executed_words, std::back_inserter(unseen));
    EXPECT_TRUE(unseen.empty()) << "words: " << fmt::format("{}", fmt::join(unseen, " "));
}

std::vector<ptx::Opcode> opcodes_with_forms() {
    std::vector<ptx::Opcode> opcodes;
    for (std::size_t i = 0; i < ptx::kOpcodeCount; ++i) {
        const auto opcode = static_cast<ptx::Opcode>(i);
        if (!ptx::forms_of(opcode).empty()) opcodes.push_back(opcode);
    }
    return opcodes;
}
INSTANTIATE_TEST_SUITE_P(Coverage, FormsOf, testing::ValuesIn(opcodes_with_forms()),
                         [](const auto& opcode) {
                             return std::string(ptx::name(opcode.param)) + "_";
                         });

}  // namespace
}  // namespace wideload::isa
