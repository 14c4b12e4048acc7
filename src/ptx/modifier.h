// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "ptx/instruction.h"

namespace wideload::ptx {

/// A word of a mnemonic that its opcode does not take.
struct UnknownModifier {
    std::string_view word;
    std::size_t offset;  ///< of the word's dot in the mnemonic
};

/// Sets the fields of `instruction` that the words after the first dot of `mnemonic` name, as
/// isa.def's groups allow them for `instruction.opcode`. The first word that none of these groups
/// holds is returned.
[[nodiscard]] std::optional<UnknownModifier> apply_modifiers(std::string_view mnemonic,
                                                             Instruction& instruction);

}  // namespace wideload::ptx
