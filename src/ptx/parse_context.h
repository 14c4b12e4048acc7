// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "ptx/debug_info.h"
#include "ptx/function_scope.h"
#include "ptx/module.h"
#include "ptx/token_stream.h"

namespace wideload::ptx {

/// What a name means at module level.
struct ModuleSymbol {
    enum class Kind : std::uint8_t { variable, function, alias };
    Kind kind = Kind::variable;
    std::uint32_t index = 0;  ///< into Module::variables or Module::functions
    std::uint32_t element_bytes = 1;
};

/// What the parsing functions of one text share.
struct ParseContext {
    ParseContext(std::string_view text, ErrorList& errors) : tokens(text, errors) {}

    TokenStream tokens;
    Module module;
    DebugInfo debug;
    std::unordered_map<std::string_view, ModuleSymbol> symbols;
    /// Mnemonics seen so far, as instructions without operands: each is taken apart once.
    std::unordered_map<std::string_view, Instruction> mnemonics;
};

/// The same inside a function's body.
struct FunctionContext {
    ParseContext& parse;
    Function& function;
    FunctionScope scope;
    std::vector<Token> label_references;  ///< where each of the scope's label references stands

    FunctionContext(ParseContext& context, Function& parsed)
        : parse(context), function(parsed), scope(parsed) {}

    [[nodiscard]] TokenStream& tokens() { return parse.tokens; }
};

}  // namespace wideload::ptx
