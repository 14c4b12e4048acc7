// SPDX-License-Identifier: Apache-2.0
#include "ptx/token_stream.h"

#include <fmt/format.h>

#include <utility>

namespace wideload::ptx {
namespace {

constexpr std::size_t kLongestQuote = 60;

std::string quoted(const Token& token) {
    if (token.kind == TokenKind::end) return "the end of the text";
    if (token.text.size() > kLongestQuote) {
        return fmt::format("`{}...`", token.text.substr(0, kLongestQuote));
    }
    return fmt::format("`{}`", token.text);
}

}  // namespace

TokenStream::TokenStream(std::string_view text, ErrorList& errors)
    : errors_(errors), lexer_(text), current_(lexer_.next()), next_(lexer_.next()) {}

Token TokenStream::take() {
    const Token taken = current_;
    current_ = next_;
    next_ = lexer_.next();
    return taken;
}

bool TokenStream::accept(std::string_view text) {
    if (!at(text)) return false;
    take();
    return true;
}

bool TokenStream::expect(std::string_view text, std::string_view where) {
    if (accept(text)) return true;
    return fail(fmt::format("expected `{}`{}{}, found {}", text, where.empty() ? "" : " ", where,
                            quoted(current_)));
}

bool TokenStream::fail_expecting(std::string_view what) {
    return fail(fmt::format("expected {}, found {}", what, quoted(current_)));
}

bool TokenStream::fail(std::string message, std::string hint) {
    return fail_at(current_, std::move(message), std::move(hint));
}

bool TokenStream::fail_at(const Token& where, std::string message, std::string hint) {
    errors_.add(where, std::move(message), std::move(hint));
    return false;
}

void TokenStream::skip_statement() {
    while (!at_end() && !at("{") && !at("}")) {
        if (take().text == ";") return;
    }
}

void TokenStream::skip_block() {
    lexer_.skip_braces(current_);
    current_ = lexer_.next();
    next_ = lexer_.next();
}

}  // namespace wideload::ptx
