// SPDX-License-Identifier: Apache-2.0
#include "ptx/instruction_parser.h"

#include <fmt/format.h>

#include <utility>

#include "ptx/form.h"
#include "ptx/modifier.h"
#include "ptx/operand_parser.h"

namespace wideload::ptx {
namespace {

using Kind = Operand::Kind;

constexpr std::size_t kMostOperands = 64;

/// The instruction that a mnemonic stands for, still without operands.
const Instruction* decode_mnemonic(ParseContext& context, const Token& mnemonic) {
    const auto known = context.mnemonics.find(mnemonic.text);
    if (known != context.mnemonics.end()) return &known->second;
    const std::string_view word = mnemonic.text.substr(0, mnemonic.text.find('.'));
    const auto opcode = find_opcode(word);
    if (!opcode) {
        context.tokens.fail_at(mnemonic,
                               fmt::format("unknown instruction `{}`", word.substr(0, 100)));
        return nullptr;
    }
    Instruction instruction;
    instruction.opcode = *opcode;
    instruction.mnemonic = std::string(mnemonic.text);
    if (const auto unknown = apply_modifiers(mnemonic.text, instruction)) {
        Token where = mnemonic;
        where.text.remove_prefix(unknown->offset);
        where.column += static_cast<std::uint32_t>(unknown->offset);
        const std::string_view found = unknown->word.substr(0, 100);
        context.tokens.fail_at(
            where, find_type(found) ? fmt::format("`{}` has no form for .{}", word, found)
                                    : fmt::format("unknown modifier `.{}` of `{}`", found, word));
        return nullptr;
    }
    if (auto complaint = why_no_form(instruction)) {
        context.tokens.fail_at(mnemonic, std::move(*complaint));
        return nullptr;
    }
    return &context.mnemonics.emplace(mnemonic.text, std::move(instruction)).first->second;
}

bool parse_guard(FunctionContext& context, Instruction& instruction) {
    TokenStream& tokens = context.tokens();
    const bool negated = tokens.accept("!");
    const Token where = tokens.peek();
    const auto operand = parse_named_operand(context);
    if (!operand) return false;
    if (operand->kind != Kind::reg) {
        return tokens.fail_at(where, "a guard must be a predicate register");
    }
    instruction.guard = Guard{operand->reg, negated};
    return true;
}

bool accesses_memory(const Instruction& instruction) {
    const Category kind = category(instruction);
    return kind == Category::load || kind == Category::store || kind == Category::atomic;
}

bool parse_operands(FunctionContext& context, Instruction& instruction) {
    TokenStream& tokens = context.tokens();
    if (tokens.at(";")) return true;
    do {
        if (instruction.operands.size() == kMostOperands) {
            return tokens.fail("an instruction has too many operands");
        }
        auto operand = parse_operand(context);
        if (!operand) return false;
        // `ld.global.u32 r, a[3]` needs no brackets around it.
        if (operand->kind == Kind::symbol && accesses_memory(instruction)) {
            operand->kind = Kind::address;
        }
        instruction.operands.push_back(std::move(*operand));
    } while (tokens.accept(","));
    return true;
}

/// `(a, b)` as a vector; what is passed are variables of the parameter space, registers or
/// immediates.
std::optional<Operand> parse_parenthesised(FunctionContext& context) {
    constexpr std::size_t kMostArguments = 4096;
    TokenStream& tokens = context.tokens();
    tokens.take();
    Operand vector;
    vector.kind = Kind::vector;
    if (tokens.accept(")")) return vector;
    do {
        auto operand = parse_operand(context);
        if (!operand) return std::nullopt;
        vector.elements.push_back(std::move(*operand));
        if (vector.elements.size() > kMostArguments) {
            tokens.fail("a call has too many arguments");
            return std::nullopt;
        }
    } while (tokens.accept(","));
    if (!tokens.expect(")", "after the arguments of a call")) return std::nullopt;
    return vector;
}

/// `call (returned), callee, (arguments), prototype;` where all but the callee may be missing.
bool parse_call_operands(FunctionContext& context, Instruction& instruction) {
    TokenStream& tokens = context.tokens();
    Operand none;
    none.kind = Kind::vector;
    Operand returned = none;
    Operand arguments = none;
    if (tokens.at("(")) {
        auto list = parse_parenthesised(context);
        if (!list || !tokens.expect(",", "after what a call returns")) return false;
        returned = std::move(*list);
    }
    auto callee = parse_named_operand(context);
    if (!callee) return false;
    std::optional<Operand> prototype;
    while (tokens.accept(",")) {
        if (tokens.at("(")) {
            auto list = parse_parenthesised(context);
            if (!list) return false;
            arguments = std::move(*list);
            continue;
        }
        prototype = parse_named_operand(context);
        if (!prototype) return false;
    }
    instruction.operands = {std::move(returned), std::move(*callee), std::move(arguments)};
    if (prototype) instruction.operands.push_back(std::move(*prototype));
    return true;
}

bool parse_operands_of(FunctionContext& context, Instruction& instruction) {
    if (instruction.opcode == Opcode::call) return parse_call_operands(context, instruction);
    if (instruction.opcode != Opcode::bra) return parse_operands(context, instruction);
    auto label = parse_label_operand(context);
    if (label) instruction.operands.push_back(std::move(*label));
    return label.has_value();
}

}  // namespace

bool parse_instruction(FunctionContext& context) {
    TokenStream& tokens = context.tokens();
    Instruction guarded;
    const bool has_guard = tokens.accept("@");
    if (has_guard && !parse_guard(context, guarded)) return false;
    if (!tokens.at(TokenKind::word)) return tokens.fail_expecting("an instruction");
    const Token mnemonic = tokens.take();
    const Instruction* const decoded = decode_mnemonic(context.parse, mnemonic);
    if (decoded == nullptr) return false;
    Instruction instruction = *decoded;
    instruction.guard = guarded.guard;
    instruction.location = context.parse.debug.current();
    instruction.ptx_line = mnemonic.line;
    instruction.ptx_column = mnemonic.column;
    if (!parse_operands_of(context, instruction)) return false;
    if (!tokens.expect(";", "after the operands")) return false;
    context.function.body.push_back(std::move(instruction));
    return true;
}

}  // namespace wideload::ptx
