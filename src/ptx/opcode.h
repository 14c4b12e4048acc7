// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/types.h"

namespace wideload::ptx {

struct Instruction;

/// First word of a mnemonic, as isa.def lists them; C++ keywords and macros bear a trailing
/// underscore.
enum class Opcode : std::uint16_t {
#define WIDELOAD_OPCODE(enumerator, mnemonic, category, modifiers, operands) enumerator,
#include "ptx/isa.def"
};

inline constexpr std::size_t kOpcodeCount = 0
#define WIDELOAD_OPCODE(enumerator, mnemonic, category, modifiers, operands) +1
#include "ptx/isa.def"
    ;

/// What kind of work an instruction is, for instruction counts.
enum class Category : std::uint8_t {
    integer,
    float32,
    float64,
    half,  ///< f16 and bf16, packed ones included
    conversion,
    special_function,
    load,
    store,
    atomic,
    control,
    barrier,
    warp,
    move,
    logic,
    copy,   ///< cp.async and its kind
    fence,  ///< membar, fence
    matrix,
    texture,
    other,
};

/// One row of isa.def; its legend says what the texts mean.
struct OpcodeRow {
    std::string_view mnemonic;
    std::optional<Category> category;  ///< none: decided by the instruction's type
    std::string_view modifiers;
    std::string_view operands;
};

[[nodiscard]] const OpcodeRow& row(Opcode opcode);

/// The opcode that a mnemonic's first word names.
[[nodiscard]] std::optional<Opcode> find_opcode(std::string_view word);

/// "and" for Opcode::and_.
[[nodiscard]] std::string_view name(Opcode opcode);

/// "special_function".
[[nodiscard]] std::string_view name(Category category);

/// The type that an instruction computes in: its first, but for `set`, which writes its first and
/// compares in its second.
[[nodiscard]] Type operation_type(const Instruction& instruction);

[[nodiscard]] Category category(const Instruction& instruction);

}  // namespace wideload::ptx
