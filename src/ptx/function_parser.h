// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ptx/parse_context.h"

namespace wideload::ptx {

/// A function without its body, and the token of its name.
struct FunctionHeader {
    Function function;
    Token name;
};

/// A function from its `.entry` or `.func` up to the `{` of its body, which is then the current
/// token, or to after its `;`. None where it is in error; the text is then passed over to the
/// function's end.
[[nodiscard]] std::optional<FunctionHeader> parse_function_header(ParseContext& context,
                                                                  Linkage linkage);

/// What stands between a function's name and its body: parameters, performance directives. For
/// .callprototype as well.
[[nodiscard]] bool parse_signature(ParseContext& context, Function& function);

/// The returned parameters, where the current token opens their list.
[[nodiscard]] bool parse_returns(ParseContext& context, Function& function);

/// `{ ... }` of a function whose header is parsed. Errors are reported, and what follows them is
/// still parsed.
void parse_body(ParseContext& context, Function& function);

}  // namespace wideload::ptx
