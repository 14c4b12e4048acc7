// SPDX-License-Identifier: Apache-2.0
#include "ptx/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ptx/signature.h"
#include "ptx/special_register.h"

namespace wideload::ptx {
namespace {

using Kind = Operand::Kind;
using Rule = OperandRule::Kind;
/// What is wrong, or nothing.
using Complaint = std::optional<std::string>;

/// One that is neither floating-point nor mere bits.
bool is_integer(Type type) {
    return is_signed(type) || type == Type::u8 || type == Type::u16 || type == Type::u32 ||
           type == Type::u64;
}

/// How a register may hold a value of a type: PTX ISA, "Operand Type Checking" and "Operand Size
/// Exceeding Instruction-Type Size".
bool may_hold(Type held, Type wanted, unsigned wanted_bits, bool relaxed) {
    if (wanted == Type::pred || held == Type::pred) return held == wanted;
    const unsigned bits = bit_width(held);
    if (bits != wanted_bits && !(relaxed && bits > wanted_bits)) return false;
    const bool wants_float = wanted == Type::f32 || wanted == Type::f64;
    const bool holds_float = held == Type::f32 || held == Type::f64;
    if (wants_float && holds_float) return bits == wanted_bits;
    return !(wants_float && is_integer(held)) && !(is_integer(wanted) && holds_float);
}

/// vadd, vset4, ...
bool is_video(Opcode opcode) { return name(opcode).starts_with('v') && opcode != Opcode::vote; }

using FunctionIndex = std::unordered_map<std::string_view, const Function*>;

FunctionIndex index_functions(const Module& module) {
    FunctionIndex index;
    for (const Function& function : module.functions) index.emplace(function.name, &function);
    return index;
}

class InstructionVerifier {
public:
    InstructionVerifier(const FunctionIndex& functions, const Function& function,
                        const Instruction& instruction)
        : functions_(functions), function_(function), instruction_(instruction) {}

    Complaint check() {
        if (instruction_.guard && type_of(instruction_.guard->predicate) != Type::pred) {
            return fmt::format("guard `{}` is no predicate",
                               name_of(instruction_.guard->predicate));
        }
        if (instruction_.opcode == Opcode::call) return check_call();
        if (accesses_memory() && instruction_.type() == Type::pred) {
            return fmt::format(
                "`{}` accesses memory as .pred, which has no form there: keep a predicate as "
                "`selp.u32 r, 1, 0, p`",
                instruction_.mnemonic);
        }
        if (Complaint complaint = check_extremum()) return complaint;
        for (const Operand& operand : instruction_.operands) {
            if (!operand.selector.empty() && !is_video(instruction_.opcode)) {
                return fmt::format("`.{}` selects parts of a register only in video instructions",
                                   operand.selector);
            }
        }
        Complaint said;
        bool about_an_operand = false;  // which says more than one about their number
        for (const OperandRules* rules : operand_rules(instruction_)) {
            Complaint complaint = check_operands(*rules);
            if (!complaint) return {};
            if (about_an_operand || (said && !count_fits(*rules))) continue;
            about_an_operand = count_fits(*rules);
            said = std::move(complaint);
        }
        return said;
    }

private:
    [[nodiscard]] bool accesses_memory() const {
        const Category kind = category(instruction_);
        return kind == Category::load || kind == Category::store || kind == Category::atomic;
    }
    /// min and max of three values are instructions of their own, and not of every type.
    [[nodiscard]] Complaint check_extremum() const {
        const Instruction& i = instruction_;
        if (i.opcode != Opcode::min && i.opcode != Opcode::max) return {};
        const bool of_three = i.operands.size() > 3;
        if (of_three && (i.type() != Type::f32 || i.xorsign_abs)) {
            return fmt::format("`{}` takes two values: only .f32 without .xorsign takes three",
                               i.mnemonic);
        }
        if (of_three || !i.absolute || i.xorsign_abs) return {};
        return fmt::format("`{}` takes three values: of two, .abs stands with .xorsign",
                           i.mnemonic);
    }
    [[nodiscard]] Type type_of(RegisterId id) const { return function_.registers[id].type; }
    [[nodiscard]] const std::string& name_of(RegisterId id) const {
        return function_.registers[id].name;
    }

    [[nodiscard]] bool count_fits(const OperandRules& rules) const {
        const std::size_t count = instruction_.operands.size();
        std::size_t needed = 0;
        bool open = false;
        for (const OperandRule& rule : rules) {
            if (rule.kind == Rule::rest) open = true;
            if (!rule.optional && rule.kind != Rule::rest) ++needed;
        }
        return count >= needed && (open || count <= rules.size());
    }

    [[nodiscard]] Complaint check_operands(const OperandRules& rules) const {
        if (!count_fits(rules)) return describe_count(rules);
        for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
            const OperandRule& rule = rules[std::min(i, rules.size() - 1)];
            if (rule.kind == Rule::rest) return {};
            if (Complaint complaint = check_operand(rule, instruction_.operands[i])) {
                return fmt::format("operand {} of `{}` {}", i + 1, instruction_.mnemonic,
                                   *complaint);
            }
        }
        return {};
    }

    [[nodiscard]] Complaint describe_count(const OperandRules& rules) const {
        const auto required =
            static_cast<std::size_t>(std::ranges::count(rules, false, &OperandRule::optional));
        const std::string most =
            required == rules.size() ? std::string() : fmt::format(" to {}", rules.size());
        return fmt::format("`{}` takes {}{} operands, found {}", instruction_.mnemonic, required,
                           most, instruction_.operands.size());
    }

    [[nodiscard]] Complaint check_operand(const OperandRule& rule, const Operand& operand) const {
        if (!operand.is_pair) return check_value(rule, operand);
        if (!rule.with_predicate) return "cannot be a pair `d|p`";
        OperandRule predicate = rule;
        predicate.kind = Rule::predicate;
        if (Complaint complaint = check_value(rule, operand.elements[0])) return complaint;
        return check_value(predicate, operand.elements[1]);
    }

    [[nodiscard]] Complaint check_value(const OperandRule& rule, const Operand& operand) const {
        switch (rule.kind) {
            case Rule::address:
                return check_address(operand);
            case Rule::label:
                return operand.kind == Kind::label ? Complaint{} : "must be a label";
            case Rule::symbol:
                return operand.kind == Kind::symbol ? Complaint{} : "must be a name";
            case Rule::predicate:
                return check_typed(rule, operand, Type::pred, 1);
            case Rule::fixed:
                return check_typed(rule, operand, rule.type, bit_width(rule.type));
            case Rule::typed:
                return check_instruction_type(rule, operand);
            case Rule::move:
                return check_move(rule, operand);
            default:
                return {};
        }
    }

    [[nodiscard]] Complaint check_address(const Operand& operand) const {
        if (operand.kind != Kind::address) return "must be an address in [ ]";
        if (!operand.has_base_register) return {};
        const Type held = type_of(operand.reg);
        const bool is_number = is_integer(held) || held == Type::b32 || held == Type::b64;
        if (is_number && bit_width(held) >= 32) return {};
        return fmt::format(
            "is an address in `{}` of type .{}: it takes an integer of 32 or 64 bits",
            name_of(operand.reg), name(held));
    }

    [[nodiscard]] Complaint check_instruction_type(const OperandRule& rule,
                                                   const Operand& operand) const {
        const Type type = instruction_.types[rule.index];
        if (type == Type::none) return "has no type: a type modifier is missing";
        unsigned bits = bit_width(type);
        if (rule.widens && instruction_.mul_mode == MulMode::wide) bits *= 2;
        const unsigned width = instruction_.vector_width;
        if (!rule.vector || width == 1) return check_typed(rule, operand, type, bits);
        if (operand.kind != Kind::vector || operand.elements.size() != width) {
            return fmt::format("must be a vector of {}", width);
        }
        for (const Operand& element : operand.elements) {
            if (Complaint complaint = check_typed(rule, element, type, bits)) return complaint;
        }
        return {};
    }

    /// A scalar of `bits` bits.
    [[nodiscard]] Complaint check_typed(const OperandRule& rule, const Operand& operand, Type type,
                                        unsigned bits) const {
        switch (operand.kind) {
            case Kind::reg:
                break;
            case Kind::none:
                return rule.destination ? Complaint{} : "is `_`, which only a destination can be";
            case Kind::immediate:
            case Kind::special:
            case Kind::symbol:
                return check_source(rule, operand, type);
            case Kind::vector:
                return "must be a scalar, not a vector";
            default:
                return "must be a register or a constant";
        }
        if (operand.negated && type != Type::pred) return "cannot be negated with `!`";
        const Type held = type_of(operand.reg);
        if (may_hold(held, type, bits, rule.relaxed)) return {};
        return fmt::format("is `{}` of type .{}, which cannot hold .{}{}", name_of(operand.reg),
                           name(held), name(type),
                           bits == bit_width(type) ? "" : fmt::format(" widened to {} bits", bits));
    }

    /// A source that is no register.
    [[nodiscard]] Complaint check_source(const OperandRule& rule, const Operand& operand,
                                         Type type) const {
        if (rule.destination) return "is written, so it must be a register";
        if (operand.kind == Kind::immediate) return check_immediate(operand, type);
        if (type == Type::pred) {
            const bool is_moved = instruction_.opcode == Opcode::mov &&
                                  operand.kind == Kind::special && bit_width(operand.special) == 1;
            return is_moved ? Complaint{} : "must be a predicate";
        }
        const Category kind = category(instruction_);
        if (kind == Category::move || kind == Category::conversion) return {};
        return operand.kind == Kind::special
                   ? "is a special register, which only mov and cvt can read"
                   : "is the address of a name, which only mov and cvta can take";
    }

    [[nodiscard]] static Complaint check_immediate(const Operand& operand, Type type) {
        const bool is_half = is_float(type) && type != Type::f32 && type != Type::f64;
        if (is_half) return fmt::format("is a constant, and .{} has none", name(type));
        if (is_float(type) && !operand.is_float_literal) {
            return fmt::format("is an integer constant where .{} is expected", name(type));
        }
        const bool bits = type == Type::b32 || type == Type::b64;
        if (operand.is_float_literal && !is_float(type) && !bits) {
            return fmt::format("is a floating-point constant where .{} is expected", name(type));
        }
        return {};
    }

    /// `mov.b64 {lo, hi}, d` packs and unpacks; `mov.v4.u32` moves a vector.
    [[nodiscard]] Complaint check_move(const OperandRule& rule, const Operand& operand) const {
        const Type type = instruction_.types[0];
        if (type == Type::none) return "has no type: a type modifier is missing";
        if (operand.kind != Kind::vector) {
            // A 16-bit %tid of PTX 1.x, and 32 bits of a 64-bit special register, are moved as they
            // are.
            return check_typed(rule, operand, type, bit_width(type));
        }
        if (instruction_.vector_width > 1) {
            if (operand.elements.size() != instruction_.vector_width) {
                return fmt::format("must be a vector of {}", instruction_.vector_width);
            }
            return check_elements(rule, operand, type);
        }
        const auto count = static_cast<unsigned>(operand.elements.size());
        if (bit_width(type) % count != 0) return describe_pack(type, count);
        for (const Operand& element : operand.elements) {
            if (element.kind != Kind::reg) continue;
            const Type held = type_of(element.reg);
            if (held == Type::pred || bit_width(held) != bit_width(type) / count) {
                return describe_pack(type, count);
            }
        }
        return {};
    }

    [[nodiscard]] Complaint check_elements(const OperandRule& rule, const Operand& vector,
                                           Type type) const {
        for (const Operand& element : vector.elements) {
            if (Complaint complaint = check_typed(rule, element, type, bit_width(type))) {
                return complaint;
            }
        }
        return {};
    }

    [[nodiscard]] static Complaint describe_pack(Type type, unsigned count) {
        return fmt::format("packs {} elements that do not make up .{}", count, name(type));
    }

    [[nodiscard]] Complaint check_call() const {
        const Operand& callee = instruction_.operands[1];
        if (callee.kind == Kind::symbol) {
            const auto known = functions_.find(callee.symbol);
            return known == functions_.end() ? Complaint{} : check_arguments(*known->second);
        }
        if (callee.kind != Kind::reg) return "a call must name a function or a register";
        if (instruction_.operands.size() < 4) {
            return "an indirect call needs a prototype or a list of targets";
        }
        const auto prototype = function_.call_prototypes.find(instruction_.operands[3].symbol);
        if (prototype == function_.call_prototypes.end()) return {};  // a list of targets
        return check_arguments(function_.prototypes[prototype->second]);
    }

    [[nodiscard]] Complaint check_arguments(const Function& callee) const {
        const std::size_t returned = instruction_.operands[0].elements.size();
        const std::size_t passed = instruction_.operands[2].elements.size();
        if (returned != callee.returns.size()) {
            return fmt::format("`{}` returns {} values, the call takes {}", callee.name,
                               callee.returns.size(), returned);
        }
        // `.param .b8 rest[]` takes what a variadic call passes, and may be left out.
        const auto& parameters = callee.parameters;
        const bool variadic = !parameters.empty() && parameters.back().unsized;
        if (passed == parameters.size() || (variadic && passed + 1 == parameters.size())) return {};
        return fmt::format("`{}` takes {} arguments, the call passes {}", callee.name,
                           parameters.size(), passed);
    }

    const FunctionIndex& functions_;
    const Function& function_;
    const Instruction& instruction_;
};

}  // namespace

Diagnostics verify(const Module& module, std::size_t limit) {
    Diagnostics errors;
    const FunctionIndex functions = index_functions(module);
    for (const Function& function : module.functions) {
        for (const Instruction& instruction : function.body) {
            auto complaint = InstructionVerifier(functions, function, instruction).check();
            if (!complaint) continue;
            if (errors.size() == limit) return errors;
            errors.push_back({{module.name, instruction.ptx_line, instruction.ptx_column},
                              std::move(*complaint),
                              {},
                              {}});
        }
    }
    return errors;
}

}  // namespace wideload::ptx
