// SPDX-License-Identifier: Apache-2.0
#include "ptx/form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ptx/words.h"

namespace wideload::ptx {
namespace {

constexpr auto kSets = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"rnd", "rn|rz|rm|rp"},
    {"irnd", "rni|rzi|rmi|rpi"},
    {"cmp", "eq|ne|lt|le|gt|ge"},
    {"ucmp", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"fcmp", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"bool", "and|or|xor"},
    {"words", "u32|s32|u64|s64"},
    {"integers", "u16|s16|u32|s32|u64|s64"},
    {"numbers8", "u8|s8|u16|s16|u32|s32|u64|s64"},
    {"bits", "b16|b32|b64"},
    {"floats", "f32|f64"},
    {"halves", "f16|f16x2|bf16|bf16x2"},
    {"narrow", "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32"},
    {"memory", "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64"},
    {"space", "global|shared|shared::cta|shared::cluster"},
    {"stored", "global|shared|shared::cta|shared::cluster|local|param|param::func"},
    {"spaces",
     "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func"},
    {"load_order",
     "mmio.relaxed.sys|weak|volatile|relaxed.cta|relaxed.cluster|relaxed.gpu|relaxed.sys|"
     "acquire.cta|acquire.cluster|acquire.gpu|acquire.sys"},
    {"store_order",
     "mmio.relaxed.sys|weak|volatile|relaxed.cta|relaxed.cluster|relaxed.gpu|relaxed.sys|"
     "release.cta|release.cluster|release.gpu|release.sys"},
    {"atom_order", "relaxed|acquire|release|acq_rel"},
    {"red_order", "relaxed|release"},
    {"scope", "cta|cluster|gpu|sys"},
    {"fence_scope", "cta|cluster|gpu|sys"},
    {"load_cache", "ca|cg|cs|lu|cv"},
    {"store_cache", "wb|cg|cs|wt"},
    {"own_shared", "shared|shared::cta"},
    {"cluster_shared", "shared|shared::cta|shared::cluster"},
    {"arrive_order", "release.cta|release.cluster|relaxed.cta|relaxed.cluster"},
    {"wait_order", "acquire.cta|acquire.cluster|relaxed.cta|relaxed.cluster"},
    {"tx_order", "relaxed.cta|relaxed.cluster"},
    {"tx_bytes", "mbarrier::complete_tx::bytes"},
    {"eviction",
     "L2::evict_last.L2::evict_first|L2::evict_last.L2::evict_unchanged|"
     "L2::evict_normal.L2::evict_first|L2::evict_normal.L2::evict_unchanged|"
     "L2::evict_first.L2::evict_first|L2::evict_first.L2::evict_unchanged|"
     "L2::evict_unchanged.L2::evict_first|L2::evict_unchanged.L2::evict_unchanged|"
     "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"},
});

/// The words of "integers|f32", sets resolved.
void add_words(std::string_view text, std::vector<std::string_view>& words) {
    while (!text.empty()) {
        const std::string_view word = take_until(text, '|');
        const auto* set = std::ranges::find(kSets, word, &decltype(kSets)::value_type::first);
        if (set == kSets.end()) {
            words.push_back(word);
        } else {
            add_words(set->second, words);
        }
    }
}

FormSlot parse_slot(std::string_view text) {
    FormSlot slot;
    slot.optional = text.ends_with('?');
    if (slot.optional) text.remove_suffix(1);
    slot.text = text;
    slot.is_rest = text == "...";
    if (slot.is_rest) return slot;
    add_words(text, slot.words);
    slot.is_type = find_type(slot.words.front()).has_value();
    return slot;
}

std::vector<Form> parse_forms(std::string_view text) {
    std::vector<Form> forms;
    while (!text.empty()) {
        std::string_view alternative = take_until(text, ';');
        Form& form = forms.emplace_back();
        while (!alternative.empty()) {
            const std::string_view slot = take_until(alternative, ' ');
            if (!slot.empty()) form.push_back(parse_slot(slot));
        }
    }
    return forms;
}

bool is_typed(const Form& form) { return std::ranges::any_of(form, &FormSlot::is_type); }

struct Words {
    std::vector<std::string_view> modifiers, types;
};

Words words_of(std::string_view mnemonic, bool with_hints) {
    Words words;
    take_until(mnemonic, '.');
    while (!mnemonic.empty()) {
        const std::string_view word = take_until(mnemonic, '.');
        if (!with_hints && is_cache_hint(word)) continue;
        (find_type(word) ? words.types : words.modifiers).push_back(word);
    }
    return words;
}

bool has_types(const Form& form, const Words& words) {
    std::size_t next = 0;
    for (const FormSlot& slot : form) {
        if (slot.is_rest) return true;
        if (!slot.is_type) continue;
        const bool found = next < words.types.size() &&
                           std::ranges::find(slot.words, words.types[next]) != slot.words.end();
        if (!found && !slot.optional) return false;
        if (found) ++next;
    }
    return next == words.types.size();
}

/// Takes the words of "xorsign.abs" out of `rest`, where they stand in this order; all of them, or
/// none.
bool take(std::string_view words, std::vector<std::string_view>& rest) {
    std::vector<std::string_view> left = rest;
    auto from = left.begin();
    while (!words.empty()) {
        const auto found = std::find(from, left.end(), take_until(words, '.'));
        if (found == left.end()) return false;
        from = left.erase(found);
    }
    rest = std::move(left);
    return true;
}

bool matches(const Form& form, const Words& words) {
    if (!has_types(form, words)) return false;
    std::vector<std::string_view> rest = words.modifiers;
    for (const FormSlot& slot : form) {
        if (slot.is_rest) return true;
        if (slot.is_type) continue;
        const bool found = std::ranges::any_of(
            slot.words, [&](std::string_view alternative) { return take(alternative, rest); });
        if (!found && !slot.optional) return false;
    }
    return rest.empty();
}

/// How many of the modifiers the form has, alone or beside others.
std::ptrdiff_t shared_words(const Form& form, const Words& words) {
    return std::ranges::count_if(words.modifiers, [&](std::string_view modifier) {
        return std::ranges::any_of(form, [&](const FormSlot& slot) {
            return std::ranges::any_of(slot.words, [&](std::string_view word) {
                while (!word.empty()) {
                    if (take_until(word, '.') == modifier) return true;
                }
                return false;
            });
        });
    });
}

/// "add{.rn|rz|rm|rp}.f64": the form with these types.
std::string describe(Opcode opcode, const Form& form, const Words& words) {
    std::string text(name(opcode));
    for (const FormSlot& slot : form) {
        if (slot.is_type || slot.is_rest) continue;
        const std::string_view first = slot.optional ? "{." : ".", last = slot.optional ? "}" : "";
        text += fmt::format("{}{}{}", first, fmt::join(slot.words, "|"), last);
    }
    for (const std::string_view type : words.types) text += fmt::format(".{}", type);
    return text;
}

/// What PTX has that comes closest.
std::string complaint(Opcode opcode, std::string_view mnemonic, const Words& words) {
    std::vector<std::string> known;
    std::ptrdiff_t most = 0;
    for (const Form& form : forms_of(opcode)) {
        if (!has_types(form, words)) continue;
        const std::ptrdiff_t shared = shared_words(form, words);
        if (shared > most) known.clear();
        most = std::max(most, shared);
        if (shared == most) known.push_back(describe(opcode, form, words));
    }
    if (!known.empty()) {
        return fmt::format("`{}` is no instruction of PTX, which has `{}`", mnemonic,
                           fmt::join(known, "`, `"));
    }
    if (words.types.empty()) {
        return fmt::format("`{}` is no instruction of PTX: it lacks a type", mnemonic);
    }
    return fmt::format("`{}` is no instruction of PTX: `{}` has no form for .{}", mnemonic,
                       name(opcode), fmt::join(words.types, "."));
}

}  // namespace

std::span<const Form> forms_of(Opcode opcode) {
    static const auto table = [] {
        std::array<std::vector<Form>, kOpcodeCount> all;
#define WIDELOAD_FORMS(enumerator, forms) \
    all[static_cast<std::size_t>(Opcode::enumerator)] = parse_forms(forms);
#include "ptx/forms.def"
        return all;
    }();
    return table[static_cast<std::size_t>(opcode)];
}

bool names_cache_hints(Opcode opcode) {
    return std::ranges::any_of(forms_of(opcode), [](const Form& form) {
        return std::ranges::any_of(form, [](const FormSlot& slot) {
            return std::ranges::any_of(slot.words, is_cache_hint);
        });
    });
}

std::optional<std::string> why_no_form(const Instruction& instruction) {
    const Opcode opcode = instruction.opcode;
    const std::span<const Form> forms = forms_of(opcode);
    if (forms.empty()) return std::nullopt;
    const Words words = words_of(instruction.mnemonic, names_cache_hints(opcode));
    // The verifier asks for a type where operands are of it.
    const bool asks_for_type = row(opcode).operands.find('T') != std::string_view::npos;
    if (words.types.empty() && asks_for_type && is_typed(forms.front())) return std::nullopt;
    const Category kind = category(instruction);
    const bool in_memory =
        kind == Category::load || kind == Category::store || kind == Category::atomic;
    if (in_memory && instruction.type() == Type::pred) return std::nullopt;
    if (std::ranges::any_of(forms, [&](const Form& form) { return matches(form, words); })) {
        return std::nullopt;
    }
    return complaint(opcode, std::string_view(instruction.mnemonic).substr(0, 200), words);
}

}  // namespace wideload::ptx
