// SPDX-License-Identifier: Apache-2.0
#include "yielding.h"

#include <algorithm>
#include <set>

namespace wideload::fuzz {
namespace {

using Kind = Statement::Kind;
using Registers = std::set<RegisterId>;

template <class Visit>
void for_each_statement(const Statements& body, Visit visit) {
    for (const Statement& statement : body) {
        visit(statement);
        for (const Statements& inner : statement.bodies) for_each_statement(inner, visit);
    }
}

void add_sources(const Statement& statement, Registers& registers) {
    for (const Operand& source : statement.sources) {
        if (source.kind == Operand::Kind::reg) registers.insert(source.reg);
    }
    if (statement.guard) registers.insert(statement.guard->predicate);
    if (statement.kind == Kind::load || statement.kind == Kind::reduction) {
        registers.insert(statement.address);
    }
}

bool is_loop(const Statement& statement) {
    return statement.kind == Kind::loop || statement.kind == Kind::irregular;
}

bool is_control(const Statement& statement) {
    return is_loop(statement) || statement.kind == Kind::leave_loop ||
           statement.kind == Kind::next_turn || statement.kind == Kind::branch ||
           statement.kind == Kind::choose || statement.kind == Kind::leave;
}

bool is_strong_read(const Statement& statement) {
    if (statement.kind == Kind::reduction) return !statement.results.empty();
    return statement.kind == Kind::load &&
           (statement.modifier == ".volatile" || statement.modifier == ".cg");
}

/// Backwards from all conditions in the loop, whether or not they can end it.
bool may_yield(const Statement& loop) {
    const Statements whole{loop};
    Registers deciding;
    for_each_statement(whole, [&](const Statement& statement) {
        if (is_control(statement)) add_sources(statement, deciding);
        if (statement.kind == Kind::irregular) {
            deciding.insert(statement.results.begin(), statement.results.end());
        }
    });
    bool found = false;
    for (std::size_t before = 0; before != deciding.size() && !found;) {
        before = deciding.size();
        for_each_statement(whole, [&](const Statement& statement) {
            const bool decides = std::any_of(statement.results.begin(), statement.results.end(),
                                             [&](RegisterId r) { return deciding.contains(r); });
            if (!decides) return;
            found |= is_strong_read(statement);
            add_sources(statement, deciding);
        });
    }
    return found;
}

}  // namespace

bool has_yielding_loop(const Kernel& kernel) {
    bool found = false;
    const auto look = [&](const Function& function) {
        for_each_statement(function.body, [&](const Statement& statement) {
            found = found || (is_loop(statement) && may_yield(statement));
        });
    };
    look(kernel.entry);
    std::for_each(kernel.functions.begin(), kernel.functions.end(), look);
    return found;
}

}  // namespace wideload::fuzz
