// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "ptx/constant.h"
#include "ptx/float_bits.h"
#include "ptx/variable_parser.h"

namespace wideload::ptx {
namespace {

/// Initial bytes are held in memory; a short text must not ask for terabytes of zeros.
constexpr std::uint64_t kLargestInitialized = std::uint64_t{256} << 20;

/// The pattern that a constant leaves in an element; none where one is an integer and the other
/// not.
std::optional<std::uint64_t> element_bits(Type type, Constant value) {
    const bool takes_float = is_float(type) || type == Type::b32 || type == Type::b64;
    if (value.is_float() && !takes_float) return std::nullopt;
    if (!value.is_float()) return is_float(type) ? std::nullopt : std::optional(value.bits);
    return narrow_from_binary64(value.bits, type == Type::b32 ? Type::f32 : type);
}

/// Fills a variable from the front; braces of inner dimensions begin at the next multiple of their
/// size.
class InitializerParser {
public:
    InitializerParser(ParseContext& context, Variable& variable,
                      std::vector<std::uint64_t> dimensions)
        : context_(context),
          tokens_(context.tokens),
          variable_(variable),
          dimensions_(std::move(dimensions)),
          element_bytes_(std::max(byte_size(variable.element), 1U)),
          open_ended_(!dimensions_.empty() && dimensions_[0] == 0) {}

    bool parse() {
        if (!tokens_.at("{")) {
            if (!dimensions_.empty()) return tokens_.fail_expecting("`{` before an array's values");
            if (!parse_element()) return false;
        } else if (!parse_braces(0, capacity())) {
            return false;
        }
        return finish();
    }

private:
    [[nodiscard]] std::uint64_t capacity() const {
        return open_ended_ ? kLargestInitialized : variable_.size;
    }

    /// Bytes of one item of the dimension at `depth`.
    [[nodiscard]] std::uint64_t item_bytes(std::size_t depth) const {
        std::uint64_t bytes = element_bytes_;
        for (std::size_t i = depth + 1; i < dimensions_.size(); ++i) bytes *= dimensions_[i];
        return bytes;
    }

    /// The current token is the `{`; the values fill [position_, end).
    bool parse_braces(std::size_t depth, std::uint64_t end) {
        tokens_.take();
        if (tokens_.accept("}")) return true;
        do {
            if (tokens_.at("}")) break;  // after a last comma
            if (position_ >= end) return tokens_.fail("more values than the array has elements");
            if (!tokens_.at("{")) {
                if (!parse_element()) return false;
                continue;
            }
            if (depth + 1 >= std::max<std::size_t>(dimensions_.size(), 1)) {
                return tokens_.fail("braces are nested deeper than the array has dimensions");
            }
            const std::uint64_t start = position_;
            if (!parse_braces(depth + 1, start + item_bytes(depth))) return false;
            position_ = start + item_bytes(depth);
        } while (tokens_.accept(","));
        return tokens_.expect("}", "after an array's values");
    }

    bool parse_element() {
        const Token where = tokens_.peek();
        if (is_symbol_start()) return parse_symbol(0);
        const auto value = parse_constant(tokens_);
        if (!value) return false;
        if (tokens_.at("(")) return parse_masked_symbol(where, value->bits);
        const auto bits = element_bits(variable_.element, *value);
        if (!bits) {
            return tokens_.fail_at(
                where, fmt::format("a value of another kind than .{}", name(variable_.element)));
        }
        return store(*bits);
    }

    [[nodiscard]] bool is_symbol_start() const {
        return tokens_.at(TokenKind::word) && !tokens_.at("WARP_SZ");
    }

    /// `0xFF00(symbol)`: one byte of the address.
    bool parse_masked_symbol(const Token& where, std::uint64_t mask) {
        const int shift = std::countr_zero(mask);
        if (mask == 0 || mask >> shift != 0xff || shift % 8 != 0) {
            return tokens_.fail_at(where, "a mask before `(` must be 0xFF, 0xFF00, ...");
        }
        tokens_.take();
        if (!parse_symbol(static_cast<std::uint8_t>(shift), 1)) return false;
        return tokens_.expect(")", "after a masked symbol");
    }

    /// `symbol`, `generic(symbol)`, either with `+ 8` or `- 8` after it.
    bool parse_symbol(std::uint8_t shift, std::uint8_t bytes = 0) {
        Relocation relocation;
        relocation.shift = shift;
        relocation.offset = position_;
        relocation.size = bytes != 0 ? bytes : static_cast<std::uint8_t>(element_bytes_);
        relocation.generic = tokens_.at("generic") && tokens_.peek_next().text == "(";
        if (relocation.generic) {
            tokens_.take();
            tokens_.take();
        }
        if (!is_symbol_start()) return tokens_.fail_expecting("the name of a variable or function");
        const Token symbol = tokens_.take();
        if (!context_.symbols.contains(symbol.text)) {
            return tokens_.fail_at(
                symbol, fmt::format("name `{}` is not declared", symbol.text.substr(0, 200)));
        }
        relocation.symbol = std::string(symbol.text);
        if (!parse_addend(relocation)) return false;
        if (relocation.generic && !tokens_.expect(")", "after generic(")) return false;
        if (relocation.generic && !parse_addend(relocation)) return false;
        variable_.relocations.push_back(std::move(relocation));
        return store(0);
    }

    bool parse_addend(Relocation& relocation) {
        if (!tokens_.at("+") && !tokens_.at("-")) return true;
        tokens_.accept("+");
        const auto addend = parse_constant(tokens_);
        if (!addend) return false;
        const std::uint64_t sum = static_cast<std::uint64_t>(relocation.addend) + addend->bits;
        relocation.addend = static_cast<std::int64_t>(sum);
        return true;
    }

    bool store(std::uint64_t bits) {
        if (position_ + element_bytes_ > kLargestInitialized) {
            return tokens_.fail("an initialiser of more than 256 MiB");
        }
        bytes_.resize(std::max<std::size_t>(bytes_.size(), position_ + element_bytes_));
        for (unsigned i = 0; i < std::min(element_bytes_, 8U); ++i) {
            bytes_[position_ + i] = static_cast<std::uint8_t>(bits >> (8 * i));
        }
        position_ += element_bytes_;
        return true;
    }

    bool finish() {
        if (open_ended_) {
            const std::uint64_t item = item_bytes(0);
            if (item == 0) return tokens_.fail("an array of no size");
            const std::uint64_t used = std::max<std::uint64_t>(bytes_.size(), position_);
            variable_.size = (used + item - 1) / item * item;
        }
        if (variable_.size > kLargestInitialized) {
            return tokens_.fail("an initialiser of more than 256 MiB");
        }
        bytes_.resize(variable_.size);
        variable_.initial = std::move(bytes_);
        return true;
    }

    ParseContext& context_;
    TokenStream& tokens_;
    Variable& variable_;
    std::vector<std::uint64_t> dimensions_;
    unsigned element_bytes_;
    bool open_ended_;
    std::uint64_t position_ = 0;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace

bool parse_initializer(ParseContext& context, Variable& variable,
                       std::vector<std::uint64_t> dimensions) {
    return InitializerParser(context, variable, std::move(dimensions)).parse();
}

}  // namespace wideload::ptx
