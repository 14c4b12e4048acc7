// SPDX-License-Identifier: Apache-2.0
#include "minimise.h"

#include <functional>

namespace wideload::fuzz {
namespace {

/// Without these the others mean something undefined.
bool must_stay(const Statement& statement) {
    return statement.kind == Statement::Kind::barrier ||
           (statement.kind == Statement::Kind::collective &&
            (statement.collective == Collective::vote_ballot ||
             statement.collective == Collective::active_mask));
}

bool has_what_must_stay(const Statement& statement) {
    if (must_stay(statement)) return true;
    for (const Statements& body : statement.bodies) {
        for (const Statement& inner : body) {
            if (has_what_must_stay(inner)) return true;
        }
    }
    return false;
}

/// Takes statements [first, first + count) out, in the order of the text; a statement goes with its
/// bodies.
class Remover {
public:
    Remover(std::size_t first, std::size_t count, bool keeps_bodies)
        : first_(first), last_(first + count), keeps_bodies_(keeps_bodies) {}

    void remove_from(Statements& statements) {
        Statements kept;
        for (Statement& statement : statements) {
            const std::size_t index = next_++;
            const bool chosen = index >= first_ && index < last_;
            const bool dissolves =
                chosen && keeps_bodies_ && statement.kind == Statement::Kind::branch;
            if (chosen && !keeps_bodies_ && !has_what_must_stay(statement)) {
                removed_ = true;
                continue;
            }
            for (Statements& body : statement.bodies) {
                remove_from(body);
                if (!dissolves) continue;
                for (Statement& inner : body) kept.push_back(std::move(inner));
                removed_ = true;
            }
            if (!dissolves) kept.push_back(std::move(statement));
        }
        statements = std::move(kept);
    }
    [[nodiscard]] bool removed() const { return removed_; }
    [[nodiscard]] std::size_t seen() const { return next_; }

private:
    std::size_t first_, last_;
    bool keeps_bodies_;
    std::size_t next_ = 0;
    bool removed_ = false;
};

}  // namespace

Kernel minimise(Engine& engine, Kernel kernel, Difference::Kind kind) {
    const auto differs = [&](const Kernel& candidate) {
        return engine.compare(std::vector<Kernel>{candidate})[0].kind == kind;
    };
    {
        Kernel one_block = kernel;
        one_block.blocks = 1;
        if (differs(one_block)) kernel = one_block;
    }
    for (const bool keeps_bodies : {false, true, false}) {
        for (std::size_t count = keeps_bodies ? 1 : 32; count > 0; count /= 2) {
            for (std::size_t first = 0;;) {
                Kernel candidate = kernel;
                Remover remover(first, count, keeps_bodies);
                remover.remove_from(candidate.entry.body);
                for (Function& function : candidate.functions) remover.remove_from(function.body);
                if (first >= remover.seen()) break;
                if (remover.removed() && differs(candidate)) {
                    kernel = std::move(candidate);
                } else {
                    first += count;
                }
            }
        }
    }
    return kernel;
}

}  // namespace wideload::fuzz
