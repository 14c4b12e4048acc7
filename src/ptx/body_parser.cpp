// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "ptx/constant.h"
#include "ptx/function_parser.h"
#include "ptx/instruction_parser.h"
#include "ptx/operand_parser.h"
#include "ptx/variable_parser.h"

namespace wideload::ptx {
namespace {

bool fail_declared_twice(TokenStream& tokens, const Token& name) {
    return tokens.fail_at(
        name, fmt::format("`{}` is declared twice in one scope", name.text.substr(0, 200)));
}

/// One name of a `.reg` declaration: `%p`, or `%r<100>` for %r0 to %r99.
bool parse_register(FunctionContext& context, Type type, std::uint32_t vector_width) {
    TokenStream& tokens = context.tokens();
    if (!tokens.at(TokenKind::word)) return tokens.fail_expecting("the name of a register");
    const Token name = tokens.take();
    if (!tokens.accept("<")) {
        const bool fresh =
            vector_width > 1 ? context.scope.declare_register_vector(name.text, type, vector_width)
                             : context.scope.declare_register(name.text, type);
        return fresh || fail_declared_twice(tokens, name);
    }
    const Token where = tokens.peek();
    // Not a constant expression: the `>` would belong to it.
    const auto count = tokens.at(TokenKind::number) ? parse_number(where.text) : std::nullopt;
    if (!count || count->is_float()) return tokens.fail_expecting("the number of registers");
    tokens.take();
    if (vector_width > 1) return tokens.fail_at(name, "vectors of numbered registers do not exist");
    if (!context.scope.declare_register_range(name.text, type, count->bits)) {
        return fail_declared_twice(tokens, name);
    }
    return tokens.expect(">", "after the number of registers");
}

bool parse_registers(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    tokens.take();
    std::uint32_t vector_width = 1;
    std::optional<Type> type;
    while (tokens.at(TokenKind::directive)) {
        const Token word = tokens.take();
        if (word.text == ".v2" || word.text == ".v4" || word.text == ".v8") {
            vector_width = static_cast<std::uint32_t>(word.text[2] - '0');
        } else if (word.text != ".align") {
            type = find_type(word.text.substr(1));
            if (!type || is_sub_byte(*type)) {
                return tokens.fail_at(
                    word, fmt::format("unknown type `{}` of a register", word.text.substr(0, 100)));
            }
        }
    }
    if (!type) return tokens.fail_expecting("the type of a register");
    do {
        if (!parse_register(context, *type, vector_width)) return false;
    } while (tokens.accept(","));
    return tokens.expect(";", "after the registers");
}

bool parse_local_variables(FunctionContext& context, Linkage linkage) {
    auto variables = parse_variables(context.parse, linkage);
    if (!variables) return false;
    for (DeclaredVariable& declared : *variables) {
        if (!context.scope.declare_variable(declared.name.text, declared.element_bytes)) {
            return fail_declared_twice(context.tokens(), declared.name);
        }
        const auto symbol = context.scope.find(declared.name.text);
        declared.variable.name = context.scope.unique_name(*symbol);
        context.function.variables.push_back(std::move(declared.variable));
    }
    return true;
}

/// `name: .branchtargets L1, L2;`
bool parse_branch_targets(FunctionContext& context, const Token& name) {
    TokenStream& tokens = context.tokens();
    if (!context.scope.declare_targets(name.text)) return fail_declared_twice(tokens, name);
    std::vector<LabelId> labels;
    do {
        const auto label = parse_label_operand(context);
        if (!label) return false;
        labels.push_back(label->label);
    } while (tokens.accept(","));
    const auto symbol = context.scope.find(name.text);
    context.function.branch_targets[context.scope.unique_name(*symbol)] = std::move(labels);
    return tokens.expect(";", "after the branch targets");
}

/// `name: .calltargets f, g;`
bool parse_call_targets(FunctionContext& context, const Token& name) {
    TokenStream& tokens = context.tokens();
    if (!context.scope.declare_targets(name.text)) return fail_declared_twice(tokens, name);
    std::vector<std::string> targets;
    do {
        const auto target = parse_named_operand(context);
        if (!target) return false;
        targets.push_back(target->symbol);
    } while (tokens.accept(","));
    const auto symbol = context.scope.find(name.text);
    context.function.call_targets[context.scope.unique_name(*symbol)] = std::move(targets);
    return tokens.expect(";", "after the call targets");
}

/// `name: .callprototype (.param .b32 _) _ (.param .b64 _);`
bool parse_call_prototype(FunctionContext& context, const Token& name) {
    TokenStream& tokens = context.tokens();
    if (!context.scope.declare_prototype(name.text)) return fail_declared_twice(tokens, name);
    Function prototype;
    prototype.is_declaration = true;
    prototype.ptx_line = name.line;
    if (!parse_returns(context.parse, prototype)) return false;
    if (!tokens.expect("_", "in place of the function's name")) return false;
    if (!parse_signature(context.parse, prototype)) return false;
    const auto symbol = context.scope.find(name.text);
    prototype.name = context.scope.unique_name(*symbol);
    context.function.call_prototypes[prototype.name] = context.function.prototypes.size();
    context.function.prototypes.push_back(std::move(prototype));
    return tokens.expect(";", "after a prototype");
}

bool parse_label(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    const Token name = tokens.take();
    tokens.take();
    if (tokens.accept(".branchtargets")) return parse_branch_targets(context, name);
    if (tokens.accept(".calltargets")) return parse_call_targets(context, name);
    if (tokens.accept(".callprototype")) return parse_call_prototype(context, name);
    return context.scope.declare_label(name.text) || fail_declared_twice(tokens, name);
}

/// "nounroll" is said of a loop, behind the label that it begins with.
void parse_pragma_in_body(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    const bool no_unroll = tokens.at(TokenKind::string) &&
                           tokens.peek().text.find("nounroll") != std::string_view::npos;
    tokens.skip_statement();
    if (!no_unroll) return;
    for (Label& label : context.function.labels) {
        label.no_unroll |= label.instruction == context.function.body.size();
    }
}

bool parse_body_directive(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    if (tokens.at(".loc")) return context.parse.debug.parse_location(tokens, context.parse.module);
    if (tokens.at(".file")) return context.parse.debug.parse_file(tokens, context.parse.module);
    if (tokens.at(".reg")) return parse_registers(context);
    if (tokens.accept(".pragma")) {
        parse_pragma_in_body(context);
        return true;
    }
    const Linkage linkage = tokens.accept(".extern") ? Linkage::external : Linkage::internal;
    const auto space = declaration_space(tokens.peek().text);
    if (space && *space != Space::reg) return parse_local_variables(context, linkage);
    return tokens.fail(fmt::format("unknown directive `{}`", tokens.peek().text.substr(0, 100)));
}

bool parse_statement(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    if (tokens.at("{")) {
        if (!context.scope.enter()) return tokens.fail("scopes are nested too deeply");
        tokens.take();
        return true;
    }
    if (tokens.accept(";")) return true;
    if (tokens.at(TokenKind::directive)) return parse_body_directive(context);
    const bool label = tokens.at(TokenKind::word) && tokens.peek_next().text == ":";
    return label ? parse_label(context) : parse_instruction(context);
}

void declare_parameters(FunctionContext& context, const std::vector<Variable>& parameters) {
    for (const Variable& parameter : parameters) {
        const bool fresh =
            parameter.space == Space::reg
                ? context.scope.declare_register(parameter.name, parameter.element)
                : context.scope.declare_variable(parameter.name, byte_size(parameter.element));
        if (!fresh) {
            context.tokens().fail(
                fmt::format("parameter `{}` is declared twice", parameter.name.substr(0, 200)));
        }
    }
}

void resolve_labels(FunctionContext& context) {
    const auto labels = context.scope.resolve_labels();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i]) continue;
        const Token& where = context.label_references[i];
        context.tokens().fail_at(
            where, fmt::format("label `{}` is not declared", where.text.substr(0, 200)));
    }
    const auto resolve = [&](LabelId& label) { label = labels[label].value_or(0); };
    for (Instruction& instruction : context.function.body) {
        for (Operand& operand : instruction.operands) {
            if (operand.kind == Operand::Kind::label) resolve(operand.label);
        }
    }
    for (auto& [name, targets] : context.function.branch_targets) {
        for (LabelId& label : targets) resolve(label);
    }
}

}  // namespace

void parse_body(ParseContext& parse, Function& function) {
    FunctionContext context(parse, function);
    TokenStream& tokens = context.tokens();
    tokens.take();
    declare_parameters(context, function.returns);
    declare_parameters(context, function.parameters);
    while (!tokens.errors().full()) {
        if (tokens.at_end()) {
            tokens.fail(fmt::format("function `{}` has no end", function.name.substr(0, 200)));
            return;
        }
        if (tokens.accept("}")) {
            if (!context.scope.leave()) break;
            continue;
        }
        if (parse_statement(context)) continue;
        // A scope that could not be entered has to be passed over as a whole.
        if (tokens.at("{")) {
            tokens.skip_block();
        } else {
            tokens.skip_statement();
        }
    }
    resolve_labels(context);
}

}  // namespace wideload::ptx
