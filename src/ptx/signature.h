// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/instruction.h"

namespace wideload::ptx {

/// What isa.def's column `operands` asks of one operand.
struct OperandRule {
    enum class Kind : std::uint8_t {
        typed,      ///< T, U, V, W: the instruction's type `index`, doubled by `widens`
        fixed,      ///< a named type
        predicate,  ///< P
        move,       ///< m: what mov takes: the type, a vector that packs it, a symbol
        address,    ///< []
        label,      ///< L
        symbol,     ///< S
        anything,   ///< x
        rest,       ///< ...
    };
    Kind kind = Kind::anything;
    std::uint8_t index = 0;
    Type type = Type::none;
    bool widens = false;
    bool destination = false;
    bool relaxed = false;         ///< ~
    bool vector = false;          ///< v
    bool with_predicate = false;  ///< |P
    bool optional = false;        ///< ?
};

using OperandRules = std::vector<OperandRule>;

/// The alternatives that apply to an instruction: those whose word (`red:`) its mnemonic has, or
/// else those without one.
[[nodiscard]] std::vector<const OperandRules*> operand_rules(const Instruction& instruction);

}  // namespace wideload::ptx
