// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.h"

namespace wideload::ptx {

/// A place in a form: one of `words` stands there, or several parted by dots.
struct FormSlot {
    std::string_view text;  ///< as forms.def has it: "rnd", "u32|s32"
    std::vector<std::string_view> words;
    bool optional = false;
    bool is_type = false;
    bool is_rest = false;  ///< any further words, in a form that no kernel may hold
};
using Form = std::vector<FormSlot>;

/// The forms of an opcode that forms.def lists, none where it does not: then every combination of
/// its modifiers counts as one.
[[nodiscard]] std::span<const Form> forms_of(Opcode opcode);

/// Whether forms.def says where the opcode's words of caches (L1::, L2::) stand; of others they may
/// stand anywhere that isa.def allows them.
[[nodiscard]] bool names_cache_hints(Opcode opcode);

/// Why PTX has no such instruction, as `add.ftz.f64` or `mul.s32`; nothing where it has. Only its
/// opcode and mnemonic are looked at, whose words the opcode knows. What the verifier can say more
/// of, a missing type and a predicate in memory, is left to it.
[[nodiscard]] std::optional<std::string> why_no_form(const Instruction& instruction);

}  // namespace wideload::ptx
