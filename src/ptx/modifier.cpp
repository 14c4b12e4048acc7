// SPDX-License-Identifier: Apache-2.0
#include "ptx/modifier.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ptx/words.h"

namespace wideload::ptx {
namespace {

enum class Keep : std::uint8_t { field, form };

/// One word of one group: what it does to the instruction, and whether `form` keeps it as well.
struct Modifier {
    std::string_view group;
    std::string_view word;
    void (*apply)(Instruction&);
    Keep keep = Keep::field;
};

template <auto Field, auto Value>
void set(Instruction& instruction) {
    instruction.*Field = Value;
}

template <auto Field>
void flag(Instruction& instruction) {
    instruction.*Field = true;
}

void nothing(Instruction&) {}

template <Space Value>
void space(Instruction& instruction) {
    Space& field = instruction.space == Space::generic ? instruction.space : instruction.to_space;
    field = Value;
}

template <Semantics Value>
void semantics(Instruction& instruction) {
    // `.mmio.relaxed`: the first word says more.
    if (instruction.semantics != Semantics::mmio) instruction.semantics = Value;
}

/// `.l`, `.r` come before `.clamp`, `.wrap`.
template <ShiftMode Left, ShiftMode Right>
void shift(Instruction& instruction) {
    instruction.shift_mode = instruction.shift_mode == ShiftMode::left ? Left : Right;
}

using I = Instruction;

constexpr auto kModifiers = std::to_array<Modifier>({
    {"rnd", "rn", set<&I::rounding, Rounding::rn>},
    {"rnd", "rz", set<&I::rounding, Rounding::rz>},
    {"rnd", "rm", set<&I::rounding, Rounding::rm>},
    {"rnd", "rp", set<&I::rounding, Rounding::rp>},
    {"rnd", "rna", set<&I::rounding, Rounding::rna>},
    {"rnd", "rs", set<&I::rounding, Rounding::rs>},
    {"irnd", "rni", set<&I::rounding, Rounding::rni>},
    {"irnd", "rzi", set<&I::rounding, Rounding::rzi>},
    {"irnd", "rmi", set<&I::rounding, Rounding::rmi>},
    {"irnd", "rpi", set<&I::rounding, Rounding::rpi>},
    {"ftz", "ftz", flag<&I::ftz>},
    {"sat", "sat", flag<&I::sat>},
    {"satfinite", "satfinite", flag<&I::satfinite>},
    {"approx", "approx", flag<&I::approx>},
    {"full", "full", flag<&I::full>},
    {"relu", "relu", flag<&I::relu>},
    {"noftz", "noftz", flag<&I::noftz>},
    {"cc", "cc", flag<&I::carry_out>},
    {"nan", "NaN", flag<&I::nan_propagating>},
    {"xorsign", "xorsign", flag<&I::xorsign_abs>},
    {"xorsign", "abs", flag<&I::absolute>},
    {"shiftamt", "shiftamt", flag<&I::shiftamt>},
    {"to", "to", flag<&I::to>},
    {"uni", "uni", flag<&I::uni>},
    {"nc", "nc", flag<&I::read_only>},
    {"unified", "unified", flag<&I::unified>},
    {"sync", "sync", flag<&I::sync>},
    {"barsync", "sync", flag<&I::sync>, Keep::form},
    {"aligned", "aligned", flag<&I::aligned>},
    {"ctaword", "cta", nothing},
    {"async", "async", nothing},

    {"cmp", "eq", set<&I::comparison, Comparison::eq>},
    {"cmp", "ne", set<&I::comparison, Comparison::ne>},
    {"cmp", "lt", set<&I::comparison, Comparison::lt>},
    {"cmp", "le", set<&I::comparison, Comparison::le>},
    {"cmp", "gt", set<&I::comparison, Comparison::gt>},
    {"cmp", "ge", set<&I::comparison, Comparison::ge>},
    {"cmp", "lo", set<&I::comparison, Comparison::lo>},
    {"cmp", "ls", set<&I::comparison, Comparison::ls>},
    {"cmp", "hi", set<&I::comparison, Comparison::hi>},
    {"cmp", "hs", set<&I::comparison, Comparison::hs>},
    {"cmp", "equ", set<&I::comparison, Comparison::equ>},
    {"cmp", "neu", set<&I::comparison, Comparison::neu>},
    {"cmp", "ltu", set<&I::comparison, Comparison::ltu>},
    {"cmp", "leu", set<&I::comparison, Comparison::leu>},
    {"cmp", "gtu", set<&I::comparison, Comparison::gtu>},
    {"cmp", "geu", set<&I::comparison, Comparison::geu>},
    {"cmp", "num", set<&I::comparison, Comparison::num>},
    {"cmp", "nan", set<&I::comparison, Comparison::nan>},

    {"bool", "and", set<&I::bool_op, BoolOp::and_>},
    {"bool", "or", set<&I::bool_op, BoolOp::or_>},
    {"bool", "xor", set<&I::bool_op, BoolOp::xor_>},

    {"mul", "lo", set<&I::mul_mode, MulMode::lo>},
    {"mul", "hi", set<&I::mul_mode, MulMode::hi>},
    {"mul", "wide", set<&I::mul_mode, MulMode::wide>},

    {"shift", "l", set<&I::shift_mode, ShiftMode::left>},
    {"shift", "r", set<&I::shift_mode, ShiftMode::right>},
    {"shift", "clamp", shift<ShiftMode::clamp_left, ShiftMode::clamp_right>, Keep::form},
    {"shift", "wrap", shift<ShiftMode::wrap_left, ShiftMode::wrap_right>, Keep::form},

    {"atom", "add", set<&I::atom_op, AtomOp::add>},
    {"atom", "inc", set<&I::atom_op, AtomOp::inc>},
    {"atom", "dec", set<&I::atom_op, AtomOp::dec>},
    {"atom", "min", set<&I::atom_op, AtomOp::min>},
    {"atom", "max", set<&I::atom_op, AtomOp::max>},
    {"atom", "and", set<&I::atom_op, AtomOp::and_>},
    {"atom", "or", set<&I::atom_op, AtomOp::or_>},
    {"atom", "xor", set<&I::atom_op, AtomOp::xor_>},
    {"atom", "exch", set<&I::atom_op, AtomOp::exch>},
    {"atom", "cas", set<&I::atom_op, AtomOp::cas>},
    {"atom", "popc", set<&I::atom_op, AtomOp::popc>},

    {"shfl", "up", set<&I::shuffle_mode, ShuffleMode::up>},
    {"shfl", "down", set<&I::shuffle_mode, ShuffleMode::down>},
    {"shfl", "bfly", set<&I::shuffle_mode, ShuffleMode::bfly>},
    {"shfl", "idx", set<&I::shuffle_mode, ShuffleMode::idx>},

    {"vote", "all", set<&I::vote_mode, VoteMode::all>},
    {"vote", "any", set<&I::vote_mode, VoteMode::any>},
    {"vote", "uni", set<&I::vote_mode, VoteMode::uni>},
    {"vote", "ballot", set<&I::vote_mode, VoteMode::ballot>},

    {"prmt", "f4e", set<&I::prmt_mode, PrmtMode::f4e>},
    {"prmt", "b4e", set<&I::prmt_mode, PrmtMode::b4e>},
    {"prmt", "rc8", set<&I::prmt_mode, PrmtMode::rc8>},
    {"prmt", "ecl", set<&I::prmt_mode, PrmtMode::ecl>},
    {"prmt", "ecr", set<&I::prmt_mode, PrmtMode::ecr>},
    {"prmt", "rc16", set<&I::prmt_mode, PrmtMode::rc16>},

    {"sem", "weak", semantics<Semantics::weak>},
    {"sem", "relaxed", semantics<Semantics::relaxed>},
    {"sem", "acquire", semantics<Semantics::acquire>},
    {"sem", "release", semantics<Semantics::release>},
    {"sem", "acq_rel", semantics<Semantics::acq_rel>},
    {"sem", "sc", semantics<Semantics::sc>},
    {"sem", "volatile", semantics<Semantics::volatile_>},
    {"sem", "mmio", semantics<Semantics::mmio>},

    {"scope", "cta", set<&I::scope, Scope::cta>},
    {"scope", "cluster", set<&I::scope, Scope::cluster>},
    {"scope", "gpu", set<&I::scope, Scope::gpu>},
    {"scope", "gl", set<&I::scope, Scope::gpu>},  // membar.gl
    {"scope", "sys", set<&I::scope, Scope::sys>},

    {"space", "global", space<Space::global>},
    {"space", "shared", space<Space::shared>},
    {"space", "shared::cta", space<Space::shared>},
    {"space", "shared::cluster", space<Space::shared>, Keep::form},
    {"space", "local", space<Space::local>},
    {"space", "const", space<Space::constant>},
    {"space", "param", space<Space::param>},
    {"space", "param::entry", space<Space::param>},
    {"space", "param::func", space<Space::param>},

    {"cache", "ca", set<&I::cache_op, CacheOp::ca>},
    {"cache", "cg", set<&I::cache_op, CacheOp::cg>},
    {"cache", "cs", set<&I::cache_op, CacheOp::cs>},
    {"cache", "lu", set<&I::cache_op, CacheOp::lu>},
    {"cache", "cv", set<&I::cache_op, CacheOp::cv>},
    {"cache", "wb", set<&I::cache_op, CacheOp::wb>},
    {"cache", "wt", set<&I::cache_op, CacheOp::wt>},

    {"vec", "v2", set<&I::vector_width, std::uint8_t{2}>},
    {"vec", "v4", set<&I::vector_width, std::uint8_t{4}>},
    {"vec", "v8", set<&I::vector_width, std::uint8_t{8}>},
});

void keep_in_form(Instruction& instruction, std::string_view word) {
    if (!instruction.form.empty()) instruction.form += '.';
    instruction.form += word;
}

bool add_type(Instruction& instruction, std::string_view word) {
    const auto type = find_type(word);
    if (!type) return false;
    const auto free = std::ranges::find(instruction.types, Type::none);
    if (free == instruction.types.end()) return false;
    *free = *type;
    return true;
}

/// Whether `word` stands in `listed`, the names of types and of sets of them that isa.def knows.
bool is_listed_type(std::string_view listed, std::string_view word) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypeSets{
        {{"integers", "u16,s16,u32,s32,u64,s64"},
         {"bits", "b16,b32,b64"},
         {"floats", "f32,f64"},
         {"halves", "f16,f16x2,bf16,bf16x2"}}};
    while (!listed.empty()) {
        const std::string_view name = take_until(listed, ',');
        if (name == word) return true;
        const auto* set =
            std::ranges::find(kTypeSets, name, &decltype(kTypeSets)::value_type::first);
        if (set != kTypeSets.end() && is_listed_type(set->second, word)) return true;
    }
    return false;
}

bool apply_group(std::string_view group, std::string_view word, Instruction& instruction) {
    if (group == "type") return add_type(instruction, word);
    if (group.starts_with("type:")) {
        return is_listed_type(group.substr(5), word) && add_type(instruction, word);
    }
    if (group == "hint") return is_cache_hint(word);
    const bool any = group == "any";
    if (any || group.starts_with("form:")) {
        std::string_view words = group.substr(any ? 0 : 5);
        bool listed = any;
        while (!listed && !words.empty()) listed = take_until(words, ',') == word;
        if (listed) keep_in_form(instruction, word);
        return listed;
    }
    for (const Modifier& modifier : kModifiers) {
        if (modifier.group != group || modifier.word != word) continue;
        modifier.apply(instruction);
        if (modifier.keep == Keep::form) keep_in_form(instruction, word);
        return true;
    }
    return false;
}

bool apply_word(std::string_view groups, std::string_view word, Instruction& instruction) {
    while (!groups.empty()) {
        if (apply_group(take_until(groups, ' '), word, instruction)) return true;
    }
    return false;
}

}  // namespace

std::optional<UnknownModifier> apply_modifiers(std::string_view mnemonic,
                                               Instruction& instruction) {
    const std::string_view groups = row(instruction.opcode).modifiers;
    std::string_view rest = mnemonic;
    take_until(rest, '.');
    while (!rest.empty()) {
        const std::string_view word = take_until(rest, '.');
        if (!apply_word(groups, word, instruction)) {
            return UnknownModifier{word,
                                   static_cast<std::size_t>(word.data() - mnemonic.data()) - 1};
        }
    }
    if (instruction.opcode == Opcode::cvta && instruction.to) {
        instruction.to_space = instruction.space;
    }
    if (instruction.opcode == Opcode::bar && instruction.form != "warp.sync") {
        instruction.aligned = true;
    }
    return std::nullopt;
}

}  // namespace wideload::ptx
