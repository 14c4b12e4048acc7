// SPDX-License-Identifier: Apache-2.0
#include "ptx/inline_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/rewrite.h"

namespace wideload::ptx {
namespace {

bool has_parameter_variable(const Function& function, const Operand& operand, std::uint64_t size) {
    return operand.kind == Operand::Kind::symbol && operand.offset == 0 &&
           std::ranges::any_of(function.variables, [&](const Variable& variable) {
               return variable.space == Space::param && variable.name == operand.symbol &&
                      variable.size == size;
           });
}

bool passes(const Function& caller, const Operand& list, const std::vector<Variable>& parameters) {
    return std::ranges::equal(list.elements, parameters,
                              [&](const Operand& operand, const Variable& parameter) {
                                  return parameter.space == Space::param &&
                                         has_parameter_variable(caller, operand, parameter.size);
                              });
}

/// Puts `code` in place of one instruction. Labels behind it move along.
void replace(Function& function, std::uint32_t at, std::vector<Instruction> code) {
    for (Label& label : function.labels) {
        if (label.instruction > at)
            label.instruction += static_cast<std::uint32_t>(code.size()) - 1;
    }
    const auto place = function.body.erase(function.body.begin() + at);
    function.body.insert(place, std::make_move_iterator(code.begin()),
                         std::make_move_iterator(code.end()));
}

/// A function's body as another's own code: all that its instructions name is given the place that
/// it has there.
class Copy {
public:
    Copy(Function& caller, const Instruction& call, const Function& callee)
        : caller_(caller),
          callee_(callee),
          suffix_(fmt::format("@call{}", caller.labels.size())),
          first_register_(static_cast<RegisterId>(caller.registers.size())),
          first_label_(static_cast<LabelId>(caller.labels.size())) {
        name_parameters(call.operands[2], callee.parameters);
        name_parameters(call.operands[0], callee.returns);
    }

    /// @param first where the copy will begin in the caller's body
    std::vector<Instruction> make(std::uint32_t first) {
        caller_.registers.insert(caller_.registers.end(), callee_.registers.begin(),
                                 callee_.registers.end());
        for (const Label& label : callee_.labels) {
            add_label(caller_, label.name + suffix_, first + label.instruction);
            caller_.labels.back().no_unroll = label.no_unroll;
        }
        const auto size = static_cast<std::uint32_t>(callee_.body.size());
        begin_ = add_label(caller_, "@begin" + suffix_, first);
        end_ = add_label(caller_, "@end" + suffix_, first + size);
        add_variables();
        add_tables();
        std::vector<Instruction> body = callee_.body;
        for (Instruction& instruction : body) adapt(instruction);
        return body;
    }

    [[nodiscard]] LabelId begin() const { return begin_; }
    [[nodiscard]] LabelId end() const { return end_; }

private:
    void name_parameters(const Operand& passed, const std::vector<Variable>& parameters) {
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            names_[parameters[p].name] = passed.elements[p].symbol;
        }
    }

    std::string own_name(const std::string& name) {
        return names_.try_emplace(name, name + suffix_).first->second;
    }

    void add_variables() {
        for (Variable variable : callee_.variables) {
            variable.name = own_name(variable.name);
            caller_.variables.push_back(std::move(variable));
        }
    }

    void add_tables() {
        for (const auto& [name, labels] : callee_.branch_targets) {
            std::vector<LabelId>& targets = caller_.branch_targets[own_name(name)];
            for (const LabelId label : labels) targets.push_back(first_label_ + label);
        }
        for (const auto& [name, index] : callee_.call_prototypes) {
            caller_.call_prototypes[own_name(name)] = caller_.prototypes.size() + index;
        }
        caller_.prototypes.insert(caller_.prototypes.end(), callee_.prototypes.begin(),
                                  callee_.prototypes.end());
        for (const auto& [name, targets] : callee_.call_targets) {
            caller_.call_targets[own_name(name)] = targets;
        }
    }

    void adapt(Instruction& instruction) {
        if (instruction.guard) instruction.guard->predicate += first_register_;
        if (instruction.opcode == Opcode::ret) {
            instruction = branch_at(instruction, instruction.guard, end_);
            return;
        }
        for (Operand& operand : instruction.operands) adapt(operand);
    }

    void adapt(Operand& operand) {
        if (operand.kind == Operand::Kind::reg || operand.has_base_register) {
            operand.reg += first_register_;
        }
        if (operand.kind == Operand::Kind::label) operand.label += first_label_;
        const auto renamed = names_.find(operand.symbol);
        if (renamed != names_.end()) operand.symbol = renamed->second;
        for (Operand& element : operand.elements) adapt(element);
    }

    Function& caller_;
    const Function& callee_;
    std::string suffix_;  ///< no PTX identifier holds an `@`; the caller's labels only grow
    RegisterId first_register_;
    LabelId first_label_, begin_ = 0, end_ = 0;
    std::unordered_map<std::string, std::string> names_;  ///< of the callee, in the caller
};

}  // namespace

bool can_inline(const Function& caller, const Instruction& call, const Function& callee) {
    return !callee.is_entry && !callee.is_declaration &&
           passes(caller, call.operands[2], callee.parameters) &&
           passes(caller, call.operands[0], callee.returns);
}

void inline_call(Function& caller, std::uint32_t call, const Function& callee) {
    const Instruction replaced = caller.body[call];
    const auto size = static_cast<std::uint32_t>(callee.body.size());
    // Placed now, so that the labels of the copy, which come later, stay where they are put.
    replace(caller, call, std::vector<Instruction>(size + 1));
    Copy copy(caller, replaced, callee);
    std::vector<Instruction> body = copy.make(call + 1);
    // Threads that the call's guard leaves out pass the copy by; others go into it.
    std::optional<Guard> guard = replaced.guard;
    if (guard) guard->negated = !guard->negated;
    caller.body[call] = branch_at(replaced, guard, guard ? copy.end() : copy.begin());
    std::ranges::move(body, caller.body.begin() + call + 1);
}

SplitCall split_call(Function& caller, std::uint32_t call, const Function& callee) {
    const Instruction through = caller.body[call];
    const RegisterId address = add_register(caller, "%address@call", Type::b64);
    const RegisterId is_callee = add_register(caller, "%is_callee@call", Type::pred);

    Operand name;
    name.kind = Operand::Kind::symbol;
    name.symbol = callee.name;
    Instruction take = instruction_at(through, Opcode::mov, "mov.b64");
    take.types[0] = Type::b64;
    take.operands = {register_operand(address), name};
    Instruction compare = instruction_at(through, Opcode::setp, "setp.eq.b64");
    compare.types[0] = Type::b64;
    compare.comparison = Comparison::eq;
    compare.operands = {register_operand(is_callee), through.operands[1],
                        register_operand(address)};
    Instruction direct = through;
    direct.operands.resize(3);
    direct.operands[1] = name;

    constexpr std::uint32_t kDirect = 3, kThrough = 5, kEnd = 6;
    replace(caller, call, std::vector<Instruction>(kEnd));
    const LabelId others = add_label(caller, "@others", call + kThrough);
    const LabelId end = add_label(caller, "@end", call + kEnd);
    std::vector<Instruction> code{take,
                                  compare,
                                  branch_at(through, Guard{is_callee, true}, others),
                                  direct,
                                  branch_at(through, std::nullopt, end),
                                  through};
    std::ranges::move(code, caller.body.begin() + call);
    return {call + kDirect, call + kThrough};
}

}  // namespace wideload::ptx
