// SPDX-License-Identifier: Apache-2.0
#include "ptx/constant.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace wideload::ptx {
namespace {

using ConstantKind = Constant::Kind;

/// Parentheses, prefix operators and `? :` nest no deeper; each level costs a few frames of the
/// stack.
constexpr int kDeepest = 100;
constexpr std::uint64_t kWarpSize = 32;

enum class Operator : std::uint8_t {
    logical_or,
    logical_and,
    bit_or,
    bit_xor,
    bit_and,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    shift_left,
    shift_right,
    add,
    subtract,
    multiply,
    divide,
    remainder,
};

struct BinaryOperator {
    std::string_view text;
    Operator operation;
    int precedence;  ///< the higher, the tighter
};

constexpr std::array<BinaryOperator, 18> kBinaryOperators{{
    {"||", Operator::logical_or, 1},
    {"&&", Operator::logical_and, 2},
    {"|", Operator::bit_or, 3},
    {"^", Operator::bit_xor, 4},
    {"&", Operator::bit_and, 5},
    {"==", Operator::equal, 6},
    {"!=", Operator::not_equal, 6},
    {"<", Operator::less, 7},
    {"<=", Operator::less_equal, 7},
    {">", Operator::greater, 7},
    {">=", Operator::greater_equal, 7},
    {"<<", Operator::shift_left, 8},
    {">>", Operator::shift_right, 8},
    {"+", Operator::add, 9},
    {"-", Operator::subtract, 9},
    {"*", Operator::multiply, 10},
    {"/", Operator::divide, 10},
    {"%", Operator::remainder, 10},
}};

const BinaryOperator* find_binary(const Token& token) {
    if (token.kind != TokenKind::punctuation) return nullptr;
    for (const BinaryOperator& row : kBinaryOperators) {
        if (row.text == token.text) return &row;
    }
    return nullptr;
}

double as_double(Constant value) {
    switch (value.kind) {
        case ConstantKind::s64:
            return static_cast<double>(value.as_signed());
        case ConstantKind::u64:
            return static_cast<double>(value.bits);
        default:
            return std::bit_cast<double>(value.bits);
    }
}

Constant of_double(double value) {
    return {ConstantKind::f64, std::bit_cast<std::uint64_t>(value)};
}
Constant of_bool(bool value) { return {ConstantKind::s64, value ? 1U : 0U}; }

bool is_true(Constant value) { return value.is_float() ? as_double(value) != 0 : value.bits != 0; }

template <class T>
std::optional<bool> compare(Operator operation, T a, T b) {
    switch (operation) {
        case Operator::equal:
            return a == b;
        case Operator::not_equal:
            return a != b;
        case Operator::less:
            return a < b;
        case Operator::less_equal:
            return a <= b;
        case Operator::greater:
            return a > b;
        case Operator::greater_equal:
            return a >= b;
        default:
            return std::nullopt;
    }
}

std::optional<Constant> evaluate_float(Operator operation, double a, double b) {
    if (const auto result = compare(operation, a, b)) return of_bool(*result);
    switch (operation) {
        case Operator::add:
            return of_double(a + b);
        case Operator::subtract:
            return of_double(a - b);
        case Operator::multiply:
            return of_double(a * b);
        case Operator::divide:
            return b == 0 ? std::nullopt : std::optional(of_double(a / b));
        default:
            return std::nullopt;
    }
}

std::optional<std::uint64_t> divide(Operator operation, ConstantKind kind, std::uint64_t a,
                                    std::uint64_t b) {
    if (b == 0) return std::nullopt;
    const bool quotient = operation == Operator::divide;
    if (kind == ConstantKind::u64) return quotient ? a / b : a % b;
    if (b == ~std::uint64_t{0}) return quotient ? 0 - a : 0;  // the least integer by -1 would trap
    const auto x = static_cast<std::int64_t>(a);
    const auto y = static_cast<std::int64_t>(b);
    return static_cast<std::uint64_t>(quotient ? x / y : x % y);
}

std::uint64_t shift(Operator operation, Constant a, std::uint64_t amount) {
    if (operation == Operator::shift_left) return amount > 63 ? 0 : a.bits << amount;
    if (a.kind == ConstantKind::u64) return amount > 63 ? 0 : a.bits >> amount;
    return static_cast<std::uint64_t>(a.as_signed() >> (amount > 63 ? 63 : amount));
}

std::optional<Constant> evaluate_integer(Operator operation, Constant a, Constant b) {
    const ConstantKind kind = a.kind == ConstantKind::u64 || b.kind == ConstantKind::u64
                                  ? ConstantKind::u64
                                  : ConstantKind::s64;
    const auto compared = kind == ConstantKind::u64
                              ? compare(operation, a.bits, b.bits)
                              : compare(operation, a.as_signed(), b.as_signed());
    if (compared) return of_bool(*compared);
    switch (operation) {
        case Operator::bit_or:
            return Constant{kind, a.bits | b.bits};
        case Operator::bit_xor:
            return Constant{kind, a.bits ^ b.bits};
        case Operator::bit_and:
            return Constant{kind, a.bits & b.bits};
        case Operator::add:
            return Constant{kind, a.bits + b.bits};
        case Operator::subtract:
            return Constant{kind, a.bits - b.bits};
        case Operator::multiply:
            return Constant{kind, a.bits * b.bits};
        case Operator::shift_left:
        case Operator::shift_right:
            return Constant{a.kind, shift(operation, a, b.bits)};
        default:
            break;
    }
    const auto quotient = divide(operation, kind, a.bits, b.bits);
    if (!quotient) return std::nullopt;
    return Constant{kind, *quotient};
}

std::optional<Constant> evaluate(Operator operation, Constant a, Constant b) {
    if (operation == Operator::logical_or) return of_bool(is_true(a) || is_true(b));
    if (operation == Operator::logical_and) return of_bool(is_true(a) && is_true(b));
    if (a.is_float() || b.is_float()) return evaluate_float(operation, as_double(a), as_double(b));
    return evaluate_integer(operation, a, b);
}

/// Recursive descent with precedence climbing.
class ExpressionParser {
public:
    explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

    std::optional<Constant> parse_conditional() {
        const auto condition = parse_binary(1);
        if (!condition || !tokens_.accept("?")) return condition;
        const Depth depth(*this);
        if (!depth.allowed) return std::nullopt;
        const auto if_true = parse_conditional();
        if (!if_true || !tokens_.expect(":", "in `? :`")) return std::nullopt;
        const auto if_false = parse_conditional();
        if (!if_false) return std::nullopt;
        return is_true(*condition) ? if_true : if_false;
    }

private:
    struct Depth {
        explicit Depth(ExpressionParser& parser) : parser_(parser) {
            allowed = ++parser_.depth_ <= kDeepest;
            if (!allowed) parser_.tokens_.fail("constant expression is nested too deeply");
        }
        ~Depth() { --parser_.depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        bool allowed;

    private:
        ExpressionParser& parser_;
    };

    std::optional<Constant> parse_binary(int lowest) {
        auto left = parse_prefix();
        while (left) {
            const BinaryOperator* const row = find_binary(tokens_.peek());
            if (row == nullptr || row->precedence < lowest) break;
            const Token where = tokens_.take();
            const auto right = parse_binary(row->precedence + 1);
            if (!right) return std::nullopt;
            left = evaluate(row->operation, *left, *right);
            if (!left) {
                tokens_.fail_at(where,
                                fmt::format("`{}` has no value for these operands", where.text));
            }
        }
        return left;
    }

    std::optional<Constant> parse_prefix() {
        const Depth depth(*this);
        if (!depth.allowed) return std::nullopt;
        const Token token = tokens_.peek();
        if (tokens_.accept("(")) return parse_parenthesised();
        if (token.kind == TokenKind::number) {
            const auto value = parse_number(token.text);
            if (value) {
                tokens_.take();
            } else {
                tokens_.fail(fmt::format("`{}` is not a number", token.text.substr(0, 60)));
            }
            return value;
        }
        if (tokens_.accept("WARP_SZ")) return Constant{ConstantKind::s64, kWarpSize};
        if (token.kind != TokenKind::punctuation ||
            std::string_view("+-!~").find(token.text) == std::string_view::npos) {
            tokens_.fail_expecting("a constant");
            return std::nullopt;
        }
        tokens_.take();
        const auto operand = parse_prefix();
        if (!operand) return std::nullopt;
        return apply_prefix(token, *operand);
    }

    std::optional<Constant> apply_prefix(const Token& operation, Constant operand) {
        if (operation.text == "+") return operand;
        if (operation.text == "!") return of_bool(!is_true(operand));
        if (operand.is_float()) {
            if (operation.text == "-")
                return Constant{ConstantKind::f64, operand.bits ^ 1ULL << 63};
            tokens_.fail_at(operation, "`~` of a floating-point value");
            return std::nullopt;
        }
        return Constant{operand.kind, operation.text == "-" ? 0 - operand.bits : ~operand.bits};
    }

    std::optional<Constant> parse_parenthesised() {
        if (tokens_.at(".s64") || tokens_.at(".u64")) {
            const ConstantKind kind =
                tokens_.take().text == ".s64" ? ConstantKind::s64 : ConstantKind::u64;
            if (!tokens_.expect(")", "after the type of a cast")) return std::nullopt;
            const auto operand = parse_prefix();
            if (!operand) return std::nullopt;
            return cast(*operand, kind);
        }
        const auto value = parse_conditional();
        if (!value || !tokens_.expect(")")) return std::nullopt;
        return value;
    }

    static Constant cast(Constant value, ConstantKind kind) {
        if (!value.is_float()) return {kind, value.bits};
        const double number = as_double(value);
        constexpr double kTwoTo63 = 9223372036854775808.0;
        if (kind == ConstantKind::u64 && number >= kTwoTo63 && number < 2 * kTwoTo63) {
            return {kind, static_cast<std::uint64_t>(number)};
        }
        // Out of range is undefined in C++; the bounds, and 0 for a NaN, are as good as any.
        if (!(number >= -kTwoTo63)) return {kind, number < 0 ? std::uint64_t{1} << 63 : 0};
        if (number >= kTwoTo63)
            return {kind, ~std::uint64_t{0} >> (kind == ConstantKind::s64 ? 1 : 0)};
        return {kind, static_cast<std::uint64_t>(static_cast<std::int64_t>(number))};
    }

    TokenStream& tokens_;
    int depth_ = 0;
};

}  // namespace

std::optional<Constant> parse_constant(TokenStream& tokens) {
    return ExpressionParser(tokens).parse_conditional();
}

bool starts_constant(const Token& token) {
    if (token.kind == TokenKind::number || token.text == "WARP_SZ") return true;
    return token.kind == TokenKind::punctuation &&
           std::string_view("+-!~(").find(token.text) != std::string_view::npos;
}

}  // namespace wideload::ptx
