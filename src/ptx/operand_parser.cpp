// SPDX-License-Identifier: Apache-2.0
#include "ptx/operand_parser.h"

#include <fmt/format.h>

#include <utility>

#include "ptx/constant.h"
#include "ptx/special_register.h"

namespace wideload::ptx {
namespace {

using Kind = Operand::Kind;

/// tcgen05 takes 128 registers in one vector.
constexpr std::size_t kLongestVector = 256;

Operand symbol_operand(std::string name) {
    Operand operand;
    operand.kind = Kind::symbol;
    operand.symbol = std::move(name);
    return operand;
}

Operand local_operand(const FunctionContext& context, LocalSymbol symbol) {
    if (symbol.kind == LocalSymbol::Kind::reg) return register_operand(symbol.index);
    if (symbol.kind != LocalSymbol::Kind::register_vector) {
        return symbol_operand(context.scope.unique_name(symbol));
    }
    Operand vector;
    vector.kind = Kind::vector;
    for (std::uint32_t i = 0; i < symbol.count; ++i) {
        vector.elements.push_back(register_operand(symbol.index + i));
    }
    return vector;
}

struct NamedOperand {
    Operand operand;
    std::uint32_t element_bytes = 1;  ///< of a variable
};

/// `%r1.h0`, `%r2.b7654`: a register of which a video instruction takes parts.
std::optional<NamedOperand> find_selected(FunctionContext& context, std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot + 1 == name.size()) return std::nullopt;
    const std::string_view selector = name.substr(dot + 1);
    if (selector[0] != 'b' && selector[0] != 'h') return std::nullopt;
    if (selector.find_first_not_of("01234567", 1) != std::string_view::npos) return std::nullopt;
    const auto local = context.scope.find(name.substr(0, dot));
    if (!local || local->kind != LocalSymbol::Kind::reg) return std::nullopt;
    NamedOperand named{register_operand(local->index)};
    named.operand.selector = selector;
    return named;
}

std::optional<NamedOperand> find_named(FunctionContext& context, const Token& name) {
    if (name.text == "_") return NamedOperand{};
    if (const auto local = context.scope.find(name.text)) {
        const bool variable = local->kind == LocalSymbol::Kind::variable;
        return NamedOperand{local_operand(context, *local), variable ? local->count : 1};
    }
    if (auto special = find_special_register(name.text)) return NamedOperand{std::move(*special)};
    const auto found = context.parse.symbols.find(name.text);
    if (found != context.parse.symbols.end()) {
        return NamedOperand{symbol_operand(std::string(name.text)), found->second.element_bytes};
    }
    if (auto selected = find_selected(context, name.text)) return selected;
    const bool is_register = name.text.starts_with('%');
    context.tokens().fail_at(
        name, fmt::format("{} `{}` is not declared", is_register ? "register" : "name",
                          name.text.substr(0, 200)));
    return std::nullopt;
}

/// `+ 8`, `+-8`, `- 8` and sums of these, in bytes.
bool parse_offset(TokenStream& tokens, Operand& operand) {
    if (!tokens.at("+") && !tokens.at("-")) return true;
    // `a - 4 - 4` is a + (-4 - 4): the sign belongs to the expression.
    tokens.accept("+");
    const auto offset = parse_constant(tokens);
    if (!offset) return false;
    if (offset->is_float()) return tokens.fail("an offset must be an integer");
    operand.offset = offset->as_signed();
    return true;
}

/// `array[3]`: the address of an element.
bool parse_element_index(TokenStream& tokens, NamedOperand& named) {
    if (!tokens.accept("[")) return true;
    const auto index = parse_constant(tokens);
    if (!index || !tokens.expect("]", "after an index")) return false;
    if (index->is_float()) return tokens.fail("an index must be an integer");
    named.operand.offset = static_cast<std::int64_t>(index->bits * named.element_bytes);
    return true;
}

/// Textures take more in the brackets: [texture, sampler, {x, y}].
bool parse_address_rest(FunctionContext& context, Operand& address) {
    while (context.tokens().accept(",")) {
        if (context.tokens().at("["))
            return context.tokens().fail("an address cannot hold another");
        auto operand = parse_operand(context);
        if (!operand) return false;
        address.elements.push_back(std::move(*operand));
        if (address.elements.size() > kLongestVector) {
            return context.tokens().fail("an address has too many parts");
        }
    }
    return context.tokens().expect("]", "after an address");
}

std::optional<Operand> parse_address(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    tokens.take();
    Operand address;
    if (tokens.at(TokenKind::word) && !tokens.at("WARP_SZ")) {
        const Token name = tokens.take();
        auto named = find_named(context, name);
        if (!named) return std::nullopt;
        address = std::move(named->operand);
        address.has_base_register = address.kind == Kind::reg;
        if (address.kind != Kind::reg && address.kind != Kind::symbol) {
            tokens.fail_at(name, fmt::format("`{}` is no address", name.text));
            return std::nullopt;
        }
        if (!parse_offset(tokens, address)) return std::nullopt;
    } else {
        const auto constant = parse_constant(tokens);
        if (!constant) return std::nullopt;
        address.offset = constant->as_signed();
    }
    address.kind = Kind::address;
    if (!parse_address_rest(context, address)) return std::nullopt;
    return address;
}

std::optional<Operand> parse_immediate(TokenStream& tokens) {
    const auto constant = parse_constant(tokens);
    if (!constant) return std::nullopt;
    Operand operand;
    operand.kind = Kind::immediate;
    operand.bits = constant->bits;
    operand.is_float_literal = constant->is_float();
    return operand;
}

std::optional<Operand> parse_vector(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    tokens.take();
    Operand vector;
    vector.kind = Kind::vector;
    do {
        // Vectors and addresses hold no further ones, which bounds how deep this recursion goes.
        if (tokens.at("{") || tokens.at("[")) {
            tokens.fail("a vector holds only scalars");
            return std::nullopt;
        }
        if (vector.elements.size() == kLongestVector) {
            tokens.fail("a vector has too many elements");
            return std::nullopt;
        }
        auto element = parse_operand(context);
        if (!element) return std::nullopt;
        vector.elements.push_back(std::move(*element));
    } while (tokens.accept(","));
    if (!tokens.expect("}", "after a vector")) return std::nullopt;
    return vector;
}

/// `d|p`
std::optional<Operand> parse_pair(FunctionContext& context, Operand first) {
    context.tokens().take();
    auto second = parse_named_operand(context);
    if (!second) return std::nullopt;
    Operand pair;
    pair.kind = Kind::vector;
    pair.is_pair = true;
    pair.elements = {std::move(first), std::move(*second)};
    return pair;
}

std::optional<Operand> parse_word(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    auto named = find_named(context, tokens.take());
    if (!named) return std::nullopt;
    if (named->operand.kind == Kind::symbol) {
        if (!parse_element_index(tokens, *named)) return std::nullopt;
        if (named->operand.offset == 0 && !parse_offset(tokens, named->operand))
            return std::nullopt;
    }
    if (tokens.at("|")) return parse_pair(context, std::move(named->operand));
    return std::move(named->operand);
}

std::optional<Operand> parse_negated(FunctionContext& context) {
    context.tokens().take();
    auto operand = parse_named_operand(context);
    if (operand) operand->negated = true;
    return operand;
}

}  // namespace

std::optional<Operand> parse_named_operand(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    if (!tokens.at(TokenKind::word)) {
        tokens.fail_expecting("a name");
        return std::nullopt;
    }
    auto named = find_named(context, tokens.take());
    if (!named) return std::nullopt;
    return std::move(named->operand);
}

std::optional<Operand> parse_label_operand(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    if (!tokens.at(TokenKind::word)) {
        tokens.fail_expecting("a label");
        return std::nullopt;
    }
    const Token name = tokens.take();
    Operand operand;
    operand.kind = Kind::label;
    operand.label = context.scope.refer_to_label(name.text);
    context.label_references.push_back(name);
    return operand;
}

std::optional<Operand> parse_operand(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    if (tokens.at("[")) return parse_address(context);
    if (tokens.at("{")) return parse_vector(context);
    if (tokens.at("!") && tokens.peek_next().kind == TokenKind::word) return parse_negated(context);
    if (starts_constant(tokens.peek())) return parse_immediate(tokens);
    if (tokens.at(TokenKind::word)) return parse_word(context);
    tokens.fail_expecting("an operand");
    return std::nullopt;
}

}  // namespace wideload::ptx
