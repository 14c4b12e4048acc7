// SPDX-License-Identifier: Apache-2.0
#include "ptx/symbol_references.h"

#include <unordered_set>

namespace wideload::ptx {
namespace {

std::unordered_set<std::string> own_names(const Function& function) {
    std::unordered_set<std::string> names;
    for (const auto* variables : {&function.returns, &function.parameters, &function.variables}) {
        for (const Variable& variable : *variables) names.insert(variable.name);
    }
    for (const auto& [name, index] : function.call_prototypes) names.insert(name);
    for (const auto& [name, labels] : function.branch_targets) names.insert(name);
    for (const auto& [name, targets] : function.call_targets) names.insert(name);
    return names;
}

/// Operands nest two levels at most.
void visit_operand(Operand& operand, const std::function<void(std::string&)>& visit) {
    if (!operand.symbol.empty()) visit(operand.symbol);
    for (Operand& element : operand.elements) visit_operand(element, visit);
}

}  // namespace

void visit_symbols(Function& function, const std::function<void(std::string&)>& visit) {
    const auto own = own_names(function);
    const auto visit_foreign = [&](std::string& name) {
        if (!own.contains(name)) visit(name);
    };
    for (Instruction& instruction : function.body) {
        for (Operand& operand : instruction.operands) visit_operand(operand, visit_foreign);
    }
    for (auto& [name, targets] : function.call_targets) {
        for (std::string& target : targets) visit(target);
    }
    for (Variable& variable : function.variables) {
        for (Relocation& relocation : variable.relocations) visit(relocation.symbol);
    }
}

}  // namespace wideload::ptx
