// SPDX-License-Identifier: Apache-2.0
#include "ptx/parser.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "ptx/function_parser.h"
#include "ptx/variable_parser.h"
#include "ptx/verify.h"

namespace wideload::ptx {
namespace {

constexpr std::uint32_t kNewestVersion = 90;

/// `.version 9.0`
bool parse_version(ParseContext& context) {
    TokenStream& tokens = context.tokens;
    tokens.take();
    const std::string_view text = tokens.peek().text;
    const std::size_t point = text.find('.');
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    const char* const end = text.data() + text.size();
    if (!tokens.at(TokenKind::number) || point == std::string_view::npos ||
        std::from_chars(text.data(), text.data() + point, major).ptr != text.data() + point ||
        std::from_chars(text.data() + point + 1, end, minor).ptr != end || major > 99 ||
        minor > 9) {
        return tokens.fail_expecting("a version such as 9.0");
    }
    context.module.version = major * 10 + minor;
    if (context.module.version > kNewestVersion) {
        return tokens.fail(
            fmt::format("PTX ISA {} is newer than 9.0, the newest that is understood", text),
            "compile with CUDA 13.0 or older, or for a compute capability that it knows");
    }
    tokens.take();
    return true;
}

/// `.target sm_90a, debug`
bool parse_target(ParseContext& context) {
    TokenStream& tokens = context.tokens;
    tokens.take();
    do {
        if (!tokens.at(TokenKind::word)) return tokens.fail_expecting("a target such as sm_90");
        const Token word = tokens.take();
        if (!word.text.starts_with("sm_") && !word.text.starts_with("compute_")) continue;
        const std::string_view number = word.text.substr(word.text.find('_') + 1);
        const char* const end = number.data() + number.size();
        const auto [stop, error] = std::from_chars(number.data(), end, context.module.target);
        if (error != std::errc{}) return tokens.fail_at(word, "expected a target such as sm_90");
        context.module.target_suffix = std::string(stop, end);
    } while (tokens.accept(","));
    return true;
}

bool parse_address_size(ParseContext& context) {
    TokenStream& tokens = context.tokens;
    tokens.take();
    if (!tokens.at("64")) {
        return tokens.fail("only PTX of 64-bit addresses can run",
                           "compile with -m64, the default of nvcc");
    }
    tokens.take();
    return true;
}

/// `.alias name, function;`
bool parse_alias(ParseContext& context) {
    TokenStream& tokens = context.tokens;
    tokens.take();
    if (!tokens.at(TokenKind::word)) return tokens.fail_expecting("the name of a function");
    const Token name = tokens.take();
    if (!tokens.expect(",", "between the names of .alias")) return false;
    const Token target = tokens.peek();
    const auto known = context.symbols.find(target.text);
    if (known == context.symbols.end() || known->second.kind != ModuleSymbol::Kind::function) {
        return tokens.fail(
            fmt::format("function `{}` is not declared", target.text.substr(0, 200)));
    }
    tokens.take();
    context.module.aliases[std::string(name.text)] = std::string(target.text);
    context.symbols.try_emplace(name.text, ModuleSymbol{ModuleSymbol::Kind::alias, 0, 1});
    return tokens.expect(";", "after .alias");
}

/// Whether `fresh` may follow what declared the name before it; if so, the definition is kept.
bool merge(Variable& known, Variable&& fresh) {
    if (known.space != fresh.space) return false;
    const bool known_defines = known.linkage != Linkage::external;
    const bool fresh_defines = fresh.linkage != Linkage::external;
    if (known_defines && fresh_defines && known.linkage != Linkage::common) return false;
    if (fresh_defines || !known_defines) known = std::move(fresh);
    return true;
}

bool add_variable(ParseContext& context, DeclaredVariable&& declared) {
    Module& module = context.module;
    const ModuleSymbol symbol{ModuleSymbol::Kind::variable,
                              static_cast<std::uint32_t>(module.variables.size()),
                              declared.element_bytes};
    const auto [known, fresh] = context.symbols.emplace(declared.name.text, symbol);
    if (fresh) {
        module.variables.push_back(std::move(declared.variable));
        return true;
    }
    if (known->second.kind == ModuleSymbol::Kind::variable &&
        merge(module.variables[known->second.index], std::move(declared.variable))) {
        return true;
    }
    context.tokens.fail_at(
        declared.name, fmt::format("`{}` is declared twice", declared.name.text.substr(0, 200)));
    return true;  // the statement itself was well formed
}

bool add_variables(ParseContext& context, Linkage linkage) {
    auto variables = parse_variables(context, linkage);
    if (!variables) return false;
    for (DeclaredVariable& declared : *variables) add_variable(context, std::move(declared));
    return true;
}

/// Where the function goes in Module::functions; none where the name means something else already.
std::optional<std::uint32_t> declare_function(ParseContext& context, const FunctionHeader& header) {
    Module& module = context.module;
    const auto index = static_cast<std::uint32_t>(module.functions.size());
    const auto [known, fresh] = context.symbols.emplace(
        header.name.text, ModuleSymbol{ModuleSymbol::Kind::function, index, 1});
    if (fresh) {
        module.functions.push_back({});
        module.functions.back().is_declaration = true;
        return index;
    }
    const bool is_function = known->second.kind == ModuleSymbol::Kind::function;
    if (is_function &&
        (module.functions[known->second.index].is_declaration || header.function.is_declaration)) {
        return known->second.index;
    }
    context.tokens.fail_at(header.name,
                           fmt::format("`{}` is defined twice", header.name.text.substr(0, 200)));
    return std::nullopt;
}

void add_function(ParseContext& context, Linkage linkage) {
    auto header = parse_function_header(context, linkage);
    if (!header) return;
    // The name is known before the body, which may call itself.
    const auto index = declare_function(context, *header);
    if (context.tokens.at("{") && !header->function.is_declaration) {
        if (!index) return context.tokens.skip_block();
        parse_body(context, header->function);
    }
    if (!index) return;
    Function& known = context.module.functions[*index];
    if (known.is_declaration) known = std::move(header->function);
}

Linkage parse_linkage(TokenStream& tokens) {
    Linkage linkage = Linkage::internal;
    while (true) {
        if (tokens.accept(".visible")) {
            linkage = Linkage::visible;
        } else if (tokens.accept(".extern")) {
            linkage = Linkage::external;
        } else if (tokens.accept(".weak")) {
            linkage = Linkage::weak;
        } else if (tokens.accept(".common")) {
            linkage = Linkage::common;
        } else {
            return linkage;
        }
    }
}

bool parse_module_statement(ParseContext& context) {
    TokenStream& tokens = context.tokens;
    if (tokens.at(".version")) return parse_version(context);
    if (tokens.at(".target")) return parse_target(context);
    if (tokens.at(".address_size")) return parse_address_size(context);
    if (tokens.at(".file")) return context.debug.parse_file(tokens, context.module);
    if (tokens.at(".loc")) return context.debug.parse_location(tokens, context.module);
    if (tokens.at(".section")) return context.debug.parse_section(tokens);
    if (tokens.at(".alias")) return parse_alias(context);
    if (tokens.accept(".pragma")) {
        tokens.skip_statement();
        return true;
    }
    if (tokens.accept(";")) return true;
    const Linkage linkage = parse_linkage(tokens);
    if (tokens.at(".entry") || tokens.at(".func")) {
        add_function(context, linkage);
        return true;
    }
    const auto space = declaration_space(tokens.peek().text);
    const bool variable =
        space && *space != Space::reg && *space != Space::param && *space != Space::local;
    if (variable) return add_variables(context, linkage);
    return tokens.fail_expecting("a directive of a module, a variable or a function");
}

void parse_module(ParseContext& context) {
    TokenStream& tokens = context.tokens;
    if (!tokens.at(".version")) {
        tokens.fail_expecting("`.version` at the start of PTX");
        return;
    }
    while (!tokens.at_end() && !tokens.errors().full()) {
        if (parse_module_statement(context)) continue;
        tokens.skip_statement();
        if (tokens.at("{")) tokens.skip_block();
        tokens.accept("}");
    }
    context.debug.name_functions(context.module);
}

}  // namespace

Result<Module> parse(std::string_view text, std::string name) {
    ErrorList errors(text, name);
    ParseContext context(text, errors);
    context.module.name = std::move(name);
    parse_module(context);
    if (!errors.empty()) return errors.take();
    for (Diagnostic& error : verify(context.module, ErrorList::kLimit))
        errors.add(std::move(error));
    if (!errors.empty()) return errors.take();
    return std::move(context.module);
}

}  // namespace wideload::ptx
