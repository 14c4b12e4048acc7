// SPDX-License-Identifier: Apache-2.0
#include "ptx/function_parser.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "ptx/constant.h"
#include "ptx/parameter_layout.h"
#include "ptx/variable_parser.h"

namespace wideload::ptx {
namespace {

/// CUDA allows 32,764 bytes to an entry; a .func may pass large objects.
constexpr std::uint64_t kMostParameterBytes = std::uint64_t{1} << 24;

bool parse_parameter_list(ParseContext& context, std::vector<Variable>& parameters) {
    TokenStream& tokens = context.tokens;
    std::uint64_t bytes = 0;
    if (!tokens.expect("(", "before the parameters")) return false;
    if (tokens.accept(")")) return true;
    do {
        auto declared = parse_parameter(context);
        if (!declared) return false;
        bytes += declared->variable.size + declared->variable.alignment;
        if (bytes > kMostParameterBytes) {
            return tokens.fail_at(declared->name, "parameters of more than 16 MiB");
        }
        parameters.push_back(std::move(declared->variable));
    } while (tokens.accept(","));
    return tokens.expect(")", "after the parameters");
}

/// `.maxntid 256, 1, 1`: up to three numbers, 1 where fewer stand.
bool parse_numbers(TokenStream& tokens, std::array<std::uint32_t, 3>& numbers) {
    numbers = {1, 1, 1};
    for (std::uint32_t& number : numbers) {
        const Token where = tokens.peek();
        const auto value = parse_constant(tokens);
        if (!value) return false;
        if (value->is_float() || value->bits > ~std::uint32_t{0}) {
            return tokens.fail_at(where, "expected a positive number");
        }
        number = static_cast<std::uint32_t>(value->bits);
        if (!tokens.accept(",")) break;
    }
    return true;
}

struct NumericDirective {
    std::string_view word;
    void (*apply)(Function&, const std::array<std::uint32_t, 3>&);
};

using Numbers = std::array<std::uint32_t, 3>;

constexpr std::array<NumericDirective, 9> kNumericDirectives{{
    {".maxntid", [](Function& f, const Numbers& n) { f.max_threads = n; }},
    {".reqntid", [](Function& f, const Numbers& n) { f.required_threads = n; }},
    {".minnctapersm", [](Function& f, const Numbers& n) { f.min_blocks = n[0]; }},
    {".maxnctapersm", [](Function& f, const Numbers& n) { f.min_blocks = n[0]; }},
    {".maxnreg", [](Function& f, const Numbers& n) { f.max_registers = n[0]; }},
    {".reqnctapercluster", [](Function& f, const Numbers& n) { f.required_cluster = n; }},
    {".maxclusterrank", [](Function&, const Numbers&) {}},
    {".abi_preserve", [](Function&, const Numbers&) {}},
    {".abi_preserve_control", [](Function&, const Numbers&) {}},
}};

bool parse_pragma(TokenStream& tokens) {
    do {
        if (!tokens.at(TokenKind::string)) return tokens.fail_expecting("a string after .pragma");
        tokens.take();
    } while (tokens.accept(","));
    return tokens.expect(";", "after .pragma");
}

bool parse_directive(TokenStream& tokens, Function& function) {
    const Token word = tokens.take();
    for (const NumericDirective& directive : kNumericDirectives) {
        if (directive.word != word.text) continue;
        Numbers numbers{};
        if (!parse_numbers(tokens, numbers)) return false;
        directive.apply(function, numbers);
        return true;
    }
    if (word.text == ".pragma") return parse_pragma(tokens);
    if (word.text == ".blocksareclusters") return true;
    if (word.text == ".noreturn") return function.noreturn = true;
    if (word.text == ".explicitcluster") return function.explicit_cluster = true;
    return tokens.fail_at(
        word, fmt::format("unknown directive `{}` of a function", word.text.substr(0, 100)));
}

/// `.attribute(.unified(0x1234, 0x5678))` of a function says nothing about its execution.
bool skip_attribute(TokenStream& tokens) {
    tokens.take();
    if (!tokens.expect("(", "after .attribute")) return false;
    for (int depth = 1; depth > 0;) {
        if (tokens.at_end() || tokens.at("{") || tokens.at(";")) return tokens.expect(")");
        if (tokens.at("(")) ++depth;
        if (tokens.at(")")) --depth;
        tokens.take();
    }
    return true;
}

bool parse_header(ParseContext& context, FunctionHeader& header) {
    TokenStream& tokens = context.tokens;
    if (tokens.at(".attribute") && !skip_attribute(tokens)) return false;
    if (!parse_returns(context, header.function)) return false;
    if (!tokens.at(TokenKind::word)) return tokens.fail_expecting("the name of a function");
    header.name = tokens.take();
    header.function.name = std::string(header.name.text);
    return parse_signature(context, header.function);
}

/// A function's header is in error: over its body, if there is one.
void skip_function(TokenStream& tokens) {
    tokens.skip_statement();
    if (tokens.at("{")) tokens.skip_block();
}

}  // namespace

bool parse_returns(ParseContext& context, Function& function) {
    return !context.tokens.at("(") || parse_parameter_list(context, function.returns);
}

bool parse_signature(ParseContext& context, Function& function) {
    TokenStream& tokens = context.tokens;
    if (tokens.at("(") && !parse_parameter_list(context, function.parameters)) return false;
    while (tokens.at(TokenKind::directive)) {
        if (!parse_directive(tokens, function)) return false;
    }
    return true;
}

std::optional<FunctionHeader> parse_function_header(ParseContext& context, Linkage linkage) {
    TokenStream& tokens = context.tokens;
    FunctionHeader header;
    Function& function = header.function;
    function.linkage = linkage;
    function.ptx_line = tokens.peek().line;
    function.is_entry = tokens.take().text == ".entry";
    context.debug.start_function();
    if (!parse_header(context, header)) {
        skip_function(tokens);
        return std::nullopt;
    }
    if (function.is_entry) lay_out_parameters(function);
    function.is_declaration = !tokens.at("{");
    if (function.is_declaration && !tokens.expect(";", "or `{` after a function's header")) {
        skip_function(tokens);
        return std::nullopt;
    }
    return header;
}

}  // namespace wideload::ptx
