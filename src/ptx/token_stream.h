// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ptx/error_list.h"
#include "ptx/lexer.h"

namespace wideload::ptx {

/// Tokens with one of lookahead, and where errors about them go. Parsing functions return false (or
/// nothing) after they reported an error; who called recovers at the next statement.
class TokenStream {
public:
    TokenStream(std::string_view text, ErrorList& errors);

    [[nodiscard]] const Token& peek() const { return current_; }
    [[nodiscard]] const Token& peek_next() const { return next_; }
    Token take();

    [[nodiscard]] bool at(std::string_view text) const { return current_.text == text; }
    [[nodiscard]] bool at(TokenKind kind) const { return current_.kind == kind; }
    [[nodiscard]] bool at_end() const { return at(TokenKind::end); }

    /// Takes the token where it is `text`.
    bool accept(std::string_view text);
    /// The same, or an error: "expected `;` after the operands, found `add`". `where` may be empty.
    bool expect(std::string_view text, std::string_view where = {});

    /// Reports that `what` should stand here. Always false.
    bool fail_expecting(std::string_view what);
    /// Reports an error at the current token, or at another. Always false.
    bool fail(std::string message, std::string hint = {});
    bool fail_at(const Token& where, std::string message, std::string hint = {});

    /// After an error in a statement: to after its `;`, or before a brace.
    void skip_statement();
    /// Over `{ ... }`, unseen; the current token must be the `{`.
    void skip_block();

    [[nodiscard]] ErrorList& errors() { return errors_; }

private:
    ErrorList& errors_;
    Lexer lexer_;
    Token current_;
    Token next_;
};

}  // namespace wideload::ptx
