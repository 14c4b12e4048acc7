// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "statement_maker.h"

namespace wideload::fuzz {

Statements StatementMaker::make_body(unsigned count, const Place& place,
                                     const std::function<void()>& first) {
    Statements body;
    const auto before = b_.enter(b_.function(), body);
    if (first) first();
    make_statements(count, place);
    b_.leave(before);
    return body;
}

void StatementMaker::make_branch(const Place& place) {
    Place inside = place;
    ++inside.depth;
    Operand tested, taken_members, other_members;
    const std::uint64_t dice = random_.below(10);
    if (dice < 3) {
        tested = shared_condition(Sharing::block);
    } else if (dice < 5) {
        tested = shared_condition(Sharing::warp);
        inside.all_threads = false;
    } else {
        tested = condition();
        inside.all_threads = false;
        inside.members.reset();
        if (place.members && stage_ >= Stage::warps && random_.chance(50)) {
            // The lanes that go each way, for collectives there.
            const RegisterId ballot = b_.fresh(Type::b32);
            Statement& vote = b_.append(Statement::Kind::collective);
            vote.collective = Collective::vote_ballot;
            vote.results = {ballot};
            vote.sources = {tested, *place.members};
            taken_members = Operand::of(ballot);
            const RegisterId others = b_.emit("not.b32", {taken_members});
            other_members = Operand::of(b_.emit("and.b32", {Operand::of(others), *place.members}));
            inside.members = taken_members;
        }
    }
    Statements taken = make_body(static_cast<unsigned>(random_.between(1, 5)), inside);
    if (taken_members.kind == Operand::Kind::reg) inside.members = other_members;
    Statements other;
    if (random_.chance(50)) {
        other = make_body(static_cast<unsigned>(random_.between(1, 5)), inside);
    }
    Statement& branch = b_.append(Statement::Kind::branch);
    branch.sources = {tested};
    branch.bodies = {std::move(taken), std::move(other)};
}

void StatementMaker::make_loop(const Place& place) {
    Place inside = place;
    ++inside.depth;
    const bool leaves = random_.chance(40);
    const bool tests_first = random_.chance(50);
    const std::uint64_t dice = random_.below(10);
    Operand count;
    Sharing sharing = Sharing::block;
    std::int64_t most = 7;
    if (dice < 4) {
        most = random_.chance(10) ? random_.between(33, 70) : random_.between(1, 6);
        count = Operand::constant(static_cast<std::uint64_t>(most));
    } else if (dice < 6) {
        std::vector<Operand> values{Operand::of(Special::ctaid_x)};
        for (const Variable& variable : b_.visible()) {
            if (variable.type == Type::b32 && variable.is_fixed &&
                variable.sharing == Sharing::block) {
                values.push_back(Operand::of(variable.reg));
            }
        }
        count = Operand::of(b_.emit("and.b32", {random_.pick(values), Operand::constant(3)}));
    } else if (dice < 7) {
        count =
            place.in_function
                ? Operand::constant(2)
                : Operand::of(b_.emit("and.b32", {Operand::of(warp_.reg), Operand::constant(3)}));
        sharing = Sharing::warp;
    } else {
        count = Operand::of(b_.emit("and.b32", {index(), Operand::constant(7)}));
        sharing = Sharing::none;
    }
    if (!tests_first && count.kind == Operand::Kind::reg) {
        count = Operand::of(b_.emit("add.s32", {count, Operand::constant(1)}));
        ++most;
    }
    // Where lanes leave one by one, those that go on are not known when the kernel is made.
    if (leaves || sharing == Sharing::none) inside.members.reset();
    if (leaves || sharing != Sharing::block) inside.all_threads = false;
    inside.loops = leaves ? place.loops + 1 : 0;
    const RegisterId counter = b_.fresh(Type::b32);
    Statements body = make_body(static_cast<unsigned>(random_.between(1, 5)), inside, [&] {
        b_.declare({counter, Type::b32, true, leaves ? Sharing::none : sharing, Range{0, most}});
    });
    Statement& loop = b_.append(Statement::Kind::loop);
    loop.results = {counter};
    loop.sources = {count};
    loop.tests_first = tests_first;
    loop.bodies.push_back(std::move(body));
    // Read after the loop, it keeps what each lane left with.
    if (random_.chance(40)) b_.declare({counter, Type::b32, true, Sharing::none, Range{0, most}});
}

void StatementMaker::make_leave_loop(const Place& place) {
    const bool next = random_.chance(40);
    const auto level =
        static_cast<unsigned>(next || random_.chance(75) ? 0 : random_.below(place.loops));
    const Operand tested = condition();
    Statement& leave = b_.append(next ? Statement::Kind::next_turn : Statement::Kind::leave_loop);
    leave.index = level;
    leave.guard = Guard{tested.reg, false};
}

void StatementMaker::make_choice(const Place& place) {
    Place inside = place;
    ++inside.depth;
    const auto bodies = static_cast<unsigned>(random_.between(2, 4));
    Operand chosen = index();
    inside.all_threads = false;
    inside.members.reset();
    const RegisterId small = b_.emit("and.b32", {chosen, Operand::constant(0xffff)});
    const RegisterId number = b_.emit("rem.s32", {Operand::of(small), Operand::constant(bodies)});
    std::vector<Statements> made;
    for (unsigned i = 0; i < bodies; ++i) {
        made.push_back(make_body(static_cast<unsigned>(random_.between(0, 3)), inside));
    }
    Statement& choose = b_.append(Statement::Kind::choose);
    choose.sources = {Operand::of(number)};
    choose.bodies = std::move(made);
}

/// Nodes that go to any other: loops with several entrances, jumps into the middle of them.
void StatementMaker::make_irregular(const Place& place) {
    Place inside = place;
    inside.depth = 4;  // nothing but straight lines
    inside.loops = 0;
    inside.all_threads = false;
    inside.members.reset();
    kernel_.has_irregular = true;
    const auto nodes = static_cast<unsigned>(random_.between(2, 6));
    const RegisterId fuel = b_.fresh(Type::b32);
    b_.assign(fuel, operation("mov.u32"), {Operand::constant(random_.below(12) + 2)});
    std::vector<RegisterId> results{fuel};
    std::vector<Statements> bodies;
    std::vector<std::vector<unsigned>> edges;
    const bool was_irregular = std::exchange(b_.in_irregular, true);
    for (unsigned n = 0; n < nodes; ++n) {
        const RegisterId chooser = b_.fresh(Type::b32);
        results.push_back(chooser);
        Statements body;
        const auto before = b_.enter(b_.function(), body);
        const auto stage = std::exchange(stage_, Stage::straight);
        make_statements(static_cast<unsigned>(random_.between(0, 3)), inside);
        const auto count = static_cast<unsigned>(random_.between(1, 3));
        const Operand from = random_.chance(30) ? Operand::of(fuel) : index();
        const RegisterId moved = b_.emit("add.s32", {from, Operand::of(fuel)});
        const RegisterId small = b_.emit("and.b32", {Operand::of(moved), Operand::constant(0xff)});
        b_.assign(chooser, operation("rem.s32"), {Operand::of(small), Operand::constant(count)});
        stage_ = stage;
        b_.leave(before);
        bodies.push_back(std::move(body));
        std::vector<unsigned> to;
        for (unsigned e = 0; e < count; ++e)
            to.push_back(static_cast<unsigned>(random_.below(nodes + 1)));
        edges.push_back(std::move(to));
    }
    b_.in_irregular = was_irregular;
    Statement& graph = b_.append(Statement::Kind::irregular);
    graph.results = std::move(results);
    graph.bodies = std::move(bodies);
    graph.edges = std::move(edges);
}

void StatementMaker::make_leave(const Place& place) {
    if (leaves_ >= 3 || !place.may_leave_function) return make_operation();
    ++leaves_;
    const RegisterId some = b_.emit(
        "setp.eq.s32",
        {Operand::of(b_.emit("and.b32", {index(), Operand::constant(random_.pick({3u, 7u, 31u}))})),
         Operand::constant(random_.below(8))});
    Statement& leave = b_.append(Statement::Kind::leave);
    leave.guard = Guard{some, false};
    leave.whole_thread = !place.in_function || random_.chance(35);
    if (place.in_function && !leave.whole_thread && b_.function().result) {
        // What a function returns so far is returned.
        leave.results = {*b_.function().result};
    }
}

}  // namespace wideload::fuzz
