// SPDX-License-Identifier: Apache-2.0
#include "ptx/variable_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "ptx/constant.h"

namespace wideload::ptx {
namespace {

constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 20;
constexpr std::size_t kMostDimensions = 16;

/// What all variables of one declaration share.
struct Header {
    Space space = Space::generic;
    Type element = Type::none;
    std::uint32_t vector_width = 1;
    std::uint32_t alignment = 0;  ///< 0: natural
    bool managed = false;
};

bool parse_alignment(TokenStream& tokens, std::uint32_t& alignment) {
    const Token where = tokens.peek();
    const auto value = parse_constant(tokens);
    if (!value) return false;
    if (value->is_float() || !std::has_single_bit(value->bits) || value->bits > kLargestAlignment) {
        return tokens.fail_at(where, "an alignment must be a power of two");
    }
    alignment = static_cast<std::uint32_t>(value->bits);
    return true;
}

/// `.attribute(.managed, .unified(1, 2))`
bool parse_attributes(TokenStream& tokens, Header& header) {
    if (!tokens.expect("(", "after .attribute")) return false;
    do {
        if (tokens.accept(".managed")) {
            header.managed = true;
        } else if (tokens.accept(".unified")) {
            if (!tokens.expect("(")) return false;
            if (!parse_constant(tokens) || !tokens.expect(",")) return false;
            if (!parse_constant(tokens) || !tokens.expect(")")) return false;
        } else {
            return tokens.fail_expecting("`.managed` or `.unified`");
        }
    } while (tokens.accept(","));
    return tokens.expect(")", "after the attributes");
}

/// `.ptr .global .align 16` says where a pointer parameter points; none of it lays the parameter
/// out.
bool parse_pointer_attributes(TokenStream& tokens) {
    if (declaration_space(tokens.peek().text)) tokens.take();
    std::uint32_t ignored = 0;
    return !tokens.accept(".align") || parse_alignment(tokens, ignored);
}

bool parse_header_word(TokenStream& tokens, Header& header) {
    const Token word = tokens.take();
    if (word.text == ".align") return parse_alignment(tokens, header.alignment);
    if (word.text == ".attribute") return parse_attributes(tokens, header);
    if (word.text == ".ptr") return parse_pointer_attributes(tokens);
    if (word.text == ".v2" || word.text == ".v4" || word.text == ".v8") {
        header.vector_width = static_cast<std::uint32_t>(word.text[2] - '0');
        return true;
    }
    constexpr std::array<std::string_view, 3> kOpaque{".texref", ".samplerref", ".surfref"};
    const bool opaque = std::ranges::find(kOpaque, word.text) != kOpaque.end();
    const auto type = opaque ? Type::b64 : find_type(word.text.substr(1));
    if (!type || is_sub_byte(*type)) {
        return tokens.fail_at(word, fmt::format("unknown type or attribute `{}` of a variable",
                                                word.text.substr(0, 100)));
    }
    header.element = *type;
    return true;
}

bool parse_header(TokenStream& tokens, Header& header) {
    while (tokens.at(TokenKind::directive)) {
        if (!parse_header_word(tokens, header)) return false;
    }
    if (header.element == Type::none) return tokens.fail_expecting("the type of a variable");
    if (header.element == Type::pred && header.space != Space::reg) {
        return tokens.fail("a predicate can only be a register");
    }
    return true;
}

/// `[3][4]`, `[]`: appends to `dimensions`, 0 for the empty one.
bool parse_dimensions(TokenStream& tokens, std::vector<std::uint64_t>& dimensions) {
    while (tokens.accept("[")) {
        if (dimensions.size() == kMostDimensions)
            return tokens.fail("an array of too many dimensions");
        if (tokens.accept("]")) {
            if (!dimensions.empty()) return tokens.fail("only the first dimension may be empty");
            dimensions.push_back(0);
            continue;
        }
        const Token where = tokens.peek();
        const auto count = parse_constant(tokens);
        if (!count) return false;
        const bool sensible = !count->is_float() && count->as_signed() >= 0;
        if (!sensible || count->bits > kLargestVariable) {
            return tokens.fail_at(where, "an array's size must be a number from 0 to 2^40");
        }
        dimensions.push_back(count->bits);
        if (!tokens.expect("]", "after an array's size")) return false;
    }
    return true;
}

bool set_size(TokenStream& tokens, const std::vector<std::uint64_t>& dimensions,
              std::uint32_t element_bytes, Variable& variable) {
    std::uint64_t size = element_bytes;
    bool empty = false;
    for (const std::uint64_t dimension : dimensions) {
        // The other dimensions are checked also where the first one is still open.
        const std::uint64_t count = std::max<std::uint64_t>(dimension, 1);
        if (size > kLargestVariable / count) {
            return tokens.fail("a variable of more than 2^40 bytes");
        }
        size *= count;
        empty = empty || dimension == 0;
    }
    variable.size = empty ? 0 : size;
    return true;
}

std::optional<DeclaredVariable> parse_declarator(ParseContext& context, const Header& header,
                                                 Linkage linkage) {
    TokenStream& tokens = context.tokens;
    if (!tokens.at(TokenKind::word)) {
        tokens.fail_expecting("the name of a variable");
        return std::nullopt;
    }
    DeclaredVariable declared;
    declared.name = tokens.take();
    declared.element_bytes = byte_size(header.element) * header.vector_width;
    Variable& variable = declared.variable;
    variable.name = std::string(declared.name.text);
    variable.space = header.space;
    variable.linkage = linkage;
    variable.element = header.element;
    variable.managed = header.managed;
    variable.alignment = header.alignment != 0 ? header.alignment
                                               : std::max<std::uint32_t>(declared.element_bytes, 1);
    std::vector<std::uint64_t> dimensions;
    if (!parse_dimensions(tokens, dimensions)) return std::nullopt;
    const bool open_ended = !dimensions.empty() && dimensions[0] == 0;
    if (!set_size(tokens, dimensions, declared.element_bytes, variable)) return std::nullopt;
    if (tokens.at("=")) {
        if (header.space != Space::global && header.space != Space::constant) {
            tokens.fail("only .global and .const variables have initial values");
            return std::nullopt;
        }
        tokens.take();
        if (header.vector_width > 1) dimensions.push_back(header.vector_width);
        if (!parse_initializer(context, variable, std::move(dimensions))) return std::nullopt;
    } else {
        variable.unsized = open_ended;
        if (open_ended && linkage != Linkage::external && header.space != Space::param) {
            tokens.fail_at(declared.name, "an array without a size must be .extern or have values");
            return std::nullopt;
        }
    }
    return declared;
}

}  // namespace

std::optional<Space> declaration_space(std::string_view directive) {
    // `.const[2]` of early PTX named a bank; no compiler writes it any more.
    if (directive == ".global") return Space::global;
    if (directive == ".const") return Space::constant;
    if (directive == ".shared") return Space::shared;
    if (directive == ".local") return Space::local;
    if (directive == ".param") return Space::param;
    if (directive == ".reg") return Space::reg;
    return std::nullopt;
}

std::optional<std::vector<DeclaredVariable>> parse_variables(ParseContext& context,
                                                             Linkage linkage) {
    TokenStream& tokens = context.tokens;
    Header header;
    header.space = declaration_space(tokens.take().text).value_or(Space::generic);
    if (!parse_header(tokens, header)) return std::nullopt;
    std::vector<DeclaredVariable> variables;
    do {
        auto declared = parse_declarator(context, header, linkage);
        if (!declared) return std::nullopt;
        variables.push_back(std::move(*declared));
    } while (tokens.accept(","));
    if (!tokens.expect(";", "after a variable")) return std::nullopt;
    return variables;
}

std::optional<DeclaredVariable> parse_parameter(ParseContext& context) {
    TokenStream& tokens = context.tokens;
    Header header;
    if (!tokens.at(".param") && !tokens.at(".reg")) {
        tokens.fail_expecting("`.param` or `.reg`");
        return std::nullopt;
    }
    header.space = declaration_space(tokens.take().text).value_or(Space::param);
    if (!parse_header(tokens, header)) return std::nullopt;
    return parse_declarator(context, header, Linkage::internal);
}

}  // namespace wideload::ptx
