// SPDX-License-Identifier: Apache-2.0
#include "simt/inline_waiting.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/address_taken.h"
#include "ptx/inline_call.h"
#include "simt/waiting.h"

namespace wideload::simt {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using FunctionId = std::size_t;  ///< index into Module::functions

bool is_call(const Instruction& instruction) { return instruction.opcode == Opcode::call; }

bool is_direct(const Instruction& call) { return call.operands[1].kind == Operand::Kind::symbol; }

bool is_meeting(const Instruction& instruction) {
    return is_block_barrier(instruction) || is_warp_meeting(instruction);
}

class Inliner {
public:
    explicit Inliner(ptx::Module& module) : module_(module), facts_(module.functions.size()) {
        for (FunctionId f = 0; f < facts_.size(); ++f) {
            const Function& function = module.functions[f];
            if (!function.is_declaration) by_name_[function.name] = f;
        }
        for (const std::string& name : ptx::address_taken(module)) {
            const auto found = by_name_.find(name);
            if (found == by_name_.end() || module.functions[found->second].is_entry) continue;
            through_pointers_.push_back(found->second);
        }
        for (FunctionId f = 0; f < facts_.size(); ++f) look_at(f);
        pass_up(&Facts::reads);
        pass_up(&Facts::meets);
    }

    void run() {
        for (FunctionId f = 0; f < facts_.size(); ++f) visit(f);
    }

private:
    struct Facts {
        std::vector<FunctionId> calls;  ///< that it may call, through pointers as well
        std::vector<FunctionId> names;  ///< those of them that it calls by their name
        bool visited = false;
        bool reads = false;   ///< what others write, itself or in what it calls
        bool meets = false;   ///< lanes come together there, or in what it calls
        bool sleeps = false;  ///< itself, as the wrapper that unoptimised code calls
        bool waits = false;   ///< it has a spinning loop
    };
    using Fact = bool Facts::*;

    void look_at(FunctionId f) {
        const Function& function = module_.functions[f];
        Facts& facts = facts_[f];
        for (const Instruction& instruction : function.body) {
            facts.reads |= may_wait(instruction);
            facts.meets |= is_meeting(instruction);
            facts.sleeps |= instruction.opcode == Opcode::nanosleep;
            if (!is_call(instruction)) continue;
            const std::vector<FunctionId> callees = callees_of(instruction);
            facts.calls.insert(facts.calls.end(), callees.begin(), callees.end());
            if (!is_direct(instruction)) continue;
            facts.names.insert(facts.names.end(), callees.begin(), callees.end());
        }
    }

    std::vector<FunctionId> callees_of(const Instruction& call) const {
        if (!is_direct(call)) return through_pointers_;
        const auto found = by_name_.find(call.operands[1].symbol);
        if (found == by_name_.end()) return {};
        return {found->second};
    }

    /// What is true of a function is true of those that call it.
    void pass_up(Fact fact) {
        for (bool changed = true; changed;) {
            changed = false;
            for (Facts& caller : facts_) {
                if (caller.*fact) continue;
                caller.*fact = std::ranges::any_of(
                    caller.calls, [&](FunctionId callee) { return facts_[callee].*fact; });
                changed |= caller.*fact;
            }
        }
    }

    /// Called functions before those that call them.
    void visit(FunctionId f) {
        if (std::exchange(facts_[f].visited, true)) return;
        for (const FunctionId callee : facts_[f].calls) visit(callee);
        if (module_.functions[f].is_entry && facts_[f].calls.empty()) return;
        inline_into(f, &Facts::waits);
        facts_[f].waits = has_spinning_loop(module_.functions[f], [&](const Instruction& call) {
            return std::ranges::any_of(callees_of(call),
                                       [&](FunctionId callee) { return facts_[callee].reads; });
        });
        if (!facts_[f].waits) return;
        inline_into(f, &Facts::meets);
        inline_into(f, &Facts::sleeps);
    }

    void inline_into(FunctionId f, Fact wanted) {
        Function& caller = module_.functions[f];
        // What was put in a call's place is looked at, too.
        for (std::uint32_t i = 0; i < caller.body.size(); ++i) {
            if (!is_call(caller.body[i])) continue;
            const bool direct = is_direct(caller.body[i]);
            if (!direct && caller.body[i].guard) continue;
            for (const FunctionId callee : callees_of(caller.body[i])) {
                if (!(facts_[callee].*wanted) || !can_inline(f, caller.body[i], callee)) continue;
                share_variables(module_.functions[callee]);
                i = direct ? put_in_place(caller, i, callee) : put_in_front(caller, i, callee);
            }
        }
    }

    bool can_inline(FunctionId f, const Instruction& call, FunctionId callee) const {
        const Function& caller = module_.functions[f];
        const Function& function = module_.functions[callee];
        return caller.body.size() + function.body.size() <= kMostInlinedInstructions &&
               f != callee && ptx::can_inline(caller, call, function) && !calls_itself(callee);
    }

    bool calls_itself(FunctionId f) const {
        std::vector<char> reached(facts_.size(), 0);
        std::vector<FunctionId> work = facts_[f].names;
        while (!work.empty()) {
            const FunctionId next = work.back();
            work.pop_back();
            if (next == f) return true;
            if (std::exchange(reached[next], 1)) continue;
            work.insert(work.end(), facts_[next].names.begin(), facts_[next].names.end());
        }
        return false;
    }

    /// A called function's shared variables become the module's, which all copies of its body name.
    void share_variables(Function& function) {
        const auto own = std::stable_partition(
            function.variables.begin(), function.variables.end(),
            [](const ptx::Variable& variable) { return variable.space != ptx::Space::shared; });
        module_.variables.insert(module_.variables.end(), std::make_move_iterator(own),
                                 std::make_move_iterator(function.variables.end()));
        function.variables.erase(own, function.variables.end());
    }

    std::uint32_t put_in_place(Function& caller, std::uint32_t call, FunctionId callee) {
        ptx::inline_call(caller, call, module_.functions[callee]);
        return call;
    }

    /// @return where the call through the pointer now is
    std::uint32_t put_in_front(Function& caller, std::uint32_t call, FunctionId callee) {
        const auto [direct, through] = ptx::split_call(caller, call, module_.functions[callee]);
        ptx::inline_call(caller, direct, module_.functions[callee]);
        return through + static_cast<std::uint32_t>(module_.functions[callee].body.size());
    }

    ptx::Module& module_;
    std::vector<Facts> facts_;
    std::unordered_map<std::string_view, FunctionId> by_name_;
    std::vector<FunctionId> through_pointers_;
};

}  // namespace

void inline_waiting_calls(ptx::Module& module) {
    const bool calls = std::ranges::any_of(module.functions, [](const Function& function) {
        return !function.is_entry && !function.is_declaration;
    });
    if (calls) Inliner(module).run();
}

}  // namespace wideload::simt
