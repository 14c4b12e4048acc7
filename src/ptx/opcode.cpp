// SPDX-License-Identifier: Apache-2.0
#include "ptx/opcode.h"

#include <array>
#include <string>
#include <unordered_map>

#include "ptx/instruction.h"

namespace wideload::ptx {
namespace {

using enum Category;
constexpr std::optional<Category>
    by_type;  // NOLINT(readability-identifier-naming): a word of isa.def

constexpr std::array<OpcodeRow, kOpcodeCount> kOpcodeRows{{
#define WIDELOAD_OPCODE(enumerator, mnemonic, category, modifiers, operands) \
    {mnemonic, category, modifiers, operands},
#include "ptx/isa.def"
}};

constexpr std::array<std::string_view, 19> kCategoryNames{
    "integer", "float32", "float64", "half",    "conversion", "special_function",
    "load",    "store",   "atomic",  "control", "barrier",    "warp",
    "move",    "logic",   "copy",    "fence",   "matrix",     "texture",
    "other"};

}  // namespace

const OpcodeRow& row(Opcode opcode) { return kOpcodeRows[static_cast<std::size_t>(opcode)]; }

std::string_view name(Opcode opcode) { return row(opcode).mnemonic; }

std::string_view name(Category category) {
    return kCategoryNames[static_cast<std::size_t>(category)];
}

std::optional<Opcode> find_opcode(std::string_view word) {
    static const std::unordered_map<std::string_view, Opcode> index = [] {
        std::unordered_map<std::string_view, Opcode> map;
        for (std::size_t i = 0; i < kOpcodeCount; ++i) {
            map.emplace(kOpcodeRows[i].mnemonic, static_cast<Opcode>(i));
        }
        return map;
    }();
    const auto found = index.find(word);
    if (found == index.end()) return std::nullopt;
    return found->second;
}

Type operation_type(const Instruction& instruction) {
    return instruction.opcode == Opcode::set ? instruction.types[1] : instruction.types[0];
}

Category category(const Instruction& instruction) {
    if (const auto fixed = row(instruction.opcode).category) return *fixed;
    switch (operation_type(instruction)) {
        case Type::f32:
        case Type::f32x2:
        case Type::tf32:
            return float32;
        case Type::f64:
            return float64;
        case Type::f16:
        case Type::bf16:
        case Type::f16x2:
        case Type::bf16x2:
            return half;
        default:
            return integer;
    }
}

}  // namespace wideload::ptx
