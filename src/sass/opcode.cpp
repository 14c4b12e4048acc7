// SPDX-License-Identifier: Apache-2.0
#include "sass/opcode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>

namespace wideload::sass {
namespace {

constexpr std::array<std::string_view, kCategories> kCategoryNames = {
    "global",  "generic", "shared", "local",   "constant", "texture",
    "tensor",  "fp64",    "fp32",   "fp16",    "integer",  "conversion",
    "special", "move",    "warp",   "control", "sync",     "other"};
constexpr std::array<std::string_view, 6> kActionNames = {"none",   "load",   "store",
                                                          "atomic", "reduce", "copy"};

constexpr std::uint32_t kBitsPerByte = 8;
constexpr std::uint32_t kRegisterBytes = 4;

using Table = std::unordered_map<std::string_view, Opcode>;

const Table& table() {
    static const Table kTable = {
#define MEMORY(mnemonic, space, action) {#mnemonic, {Category::space, Action::action, 0}},
#define PLAIN(mnemonic, category) {#mnemonic, {Category::category, Action::none, 0}},
#include "sass/mnemonics.def"
#undef MEMORY
#undef PLAIN
    };
    return kTable;
}

const Opcode* look_up(std::string_view mnemonic) {
    auto found = table().find(mnemonic);
    if (found == table().end() && mnemonic.starts_with('U')) {
        found = table().find(mnemonic.substr(1));
    }
    return found == table().end() ? nullptr : &found->second;
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// Bits of a modifier that is a type: "64", "U8", "F32x4"; nothing where it is another.
std::optional<std::uint32_t> type_bits(std::string_view modifier) {
    for (const std::string_view prefix : {"BF", "U", "S", "F", "B"}) {
        if (!modifier.starts_with(prefix)) continue;
        modifier.remove_prefix(prefix.size());
        break;
    }
    const std::size_t mark = modifier.find('x');
    const auto bits = parse_number(modifier.substr(0, mark));
    if (!bits ||
        (*bits != 8 && *bits != 16 && *bits != 32 && *bits != 64 && *bits != 128 && *bits != 256)) {
        return std::nullopt;
    }
    if (mark == std::string_view::npos) return bits;
    const auto elements = parse_number(modifier.substr(mark + 1));
    if (!elements || *elements == 0 || *elements > 8) return std::nullopt;
    return *bits * *elements;
}

/// Calls visit(modifier) for what stands between dots, the mnemonic left out.
template <class Visit>
void for_each_modifier(std::string_view opcode, Visit visit) {
    for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
        const std::size_t next = opcode.find('.', dot + 1);
        visit(opcode.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1));
        dot = next;
    }
}

/// Of loads and stores of 8x8 matrices, "LDSM.16.M88.4": a lane holds a register of each.
std::uint32_t matrix_bytes(std::string_view opcode) {
    std::uint32_t matrices = 1;
    for_each_modifier(opcode, [&](std::string_view modifier) {
        const auto number = parse_number(modifier);
        if (number == 2u || number == 4u) matrices = *number;
    });
    return matrices * kRegisterBytes;
}

std::uint32_t lane_bytes(std::string_view mnemonic, std::string_view opcode) {
    if (mnemonic.starts_with("UBLK") || mnemonic.starts_with("UTMA")) return 0;
    if (mnemonic == "LDSM" || mnemonic == "STSM") return matrix_bytes(opcode);
    std::optional<std::uint32_t> bits;
    for_each_modifier(opcode, [&](std::string_view modifier) {
        if (const auto of_type = type_bits(modifier)) bits = of_type;
    });
    return bits ? *bits / kBitsPerByte : kRegisterBytes;
}

}  // namespace

std::string_view name(Category category) {
    return kCategoryNames[static_cast<std::size_t>(category)];
}
std::string_view name(Action action) { return kActionNames[static_cast<std::size_t>(action)]; }

Opcode classify(std::string_view opcode) {
    const std::string_view mnemonic = opcode.substr(0, opcode.find('.'));
    const Opcode* known = look_up(mnemonic);
    if (known == nullptr) return {};
    Opcode result = *known;
    if (result.accesses_memory()) result.bytes = lane_bytes(mnemonic, opcode);
    return result;
}

}  // namespace wideload::sass
