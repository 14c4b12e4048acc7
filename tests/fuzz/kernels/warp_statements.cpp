// SPDX-License-Identifier: Apache-2.0
// Statements in which threads meet: collectives, barriers, atomics; and calls.
#include "statement_maker.h"

namespace wideload::fuzz {

void StatementMaker::make_collective(const Place& place) {
    const Operand members = *place.members;
    if (random_.chance(45)) return make_shuffle(members);
    const Collective which =
        random_.pick({Collective::vote_all, Collective::vote_any, Collective::vote_uniform,
                      Collective::vote_ballot, Collective::vote_ballot, Collective::match_any,
                      Collective::reduce_add, Collective::reduce_min_s32,
                      Collective::reduce_max_u32, Collective::reduce_and, Collective::reduce_or,
                      Collective::reduce_xor, Collective::active_mask, Collective::sync_warp});
    const bool votes = which >= Collective::vote_all && which <= Collective::vote_ballot;
    const bool makes_predicate = votes && which != Collective::vote_ballot;
    std::vector<Operand> sources;
    if (votes) {
        sources.push_back(condition());
    } else if (which != Collective::active_mask && which != Collective::sync_warp) {
        sources.push_back(b_.in_register(random_.chance(50) ? index() : b_.operand(Type::b32)));
    }
    if (which != Collective::active_mask) sources.push_back(members);
    const Type type = makes_predicate ? Type::pred : Type::b32;
    std::optional<RegisterId> result;
    if (which != Collective::sync_warp) result = b_.fresh(type);
    Statement& statement = b_.append(Statement::Kind::collective);
    statement.collective = which;
    statement.sources = std::move(sources);
    if (!result) return;
    statement.results.push_back(*result);
    const bool shared = which != Collective::match_any;
    b_.declare(
        {*result, type, random_.chance(70), shared ? Sharing::warp : Sharing::none, std::nullopt});
}

/// What a lane that is not here would give is undefined: the result is taken only from lanes that
/// are.
void StatementMaker::make_shuffle(const Operand& members) {
    const Collective which = random_.pick({Collective::shuffle_index, Collective::shuffle_up,
                                           Collective::shuffle_down, Collective::shuffle_xor});
    const auto value = b_.variable(Type::b32);
    if (!value) return;
    const Operand lane = random_.chance(50)
                             ? Operand::constant(random_.below(32))
                             : Operand::of(b_.emit("and.b32", {index(), Operand::constant(31)}));
    const RegisterId here = b_.fresh(Type::b32), moved = b_.fresh(Type::b32),
                     in_range = b_.fresh(Type::pred);
    Statement& active = b_.append(Statement::Kind::collective);
    active.collective = Collective::active_mask;
    active.results = {here};
    Statement& shuffle = b_.append(Statement::Kind::collective);
    shuffle.collective = which;
    shuffle.results = {moved, in_range};
    shuffle.sources = {Operand::of(value->reg), lane, members};

    const Operand own = Operand::of(Special::laneid);
    Operand from = lane;
    if (which == Collective::shuffle_up) from = Operand::of(b_.emit("sub.s32", {own, lane}));
    if (which == Collective::shuffle_down) from = Operand::of(b_.emit("add.s32", {own, lane}));
    if (which == Collective::shuffle_xor) from = Operand::of(b_.emit("xor.b32", {own, lane}));
    from = Operand::of(b_.emit("selp.b32", {from, own, Operand::of(in_range)}));
    const RegisterId shifted = b_.emit("shr.u32", {Operand::of(here), from});
    const RegisterId bit = b_.emit("and.b32", {Operand::of(shifted), Operand::constant(1)});
    const RegisterId is_here = b_.emit("setp.ne.b32", {Operand::of(bit), Operand::constant(0)});
    const RegisterId result =
        b_.emit("selp.b32", {Operand::of(moved), Operand::constant(12345), Operand::of(is_here)});
    b_.declare({result, Type::b32, random_.chance(60), Sharing::none, std::nullopt});
    b_.declare({in_range, Type::pred, true, Sharing::none, std::nullopt});
}

/// All threads write their slots of the array that others read, between barriers.
void StatementMaker::make_exchange() {
    const RegisterId offset =
        b_.emit("mul.lo.u32", {Operand::of(block_thread_.reg), Operand::constant(slot_bytes_)});
    const RegisterId address =
        shared_address(Operand::of(offset), std::uint64_t{kernel_.block.count()} * slot_bytes_);
    b_.append(Statement::Kind::barrier);
    store(Space::shared, address, 0, random_access(4), random_guard(10));
    b_.append(Statement::Kind::barrier);
    load_shared();
}

/// Every order of these gives the same total.
void StatementMaker::make_reduction() {
    const Reduction which =
        random_.pick({Reduction::add_u32, Reduction::add_u32, Reduction::min_s32,
                      Reduction::max_u32, Reduction::and_b32, Reduction::or_b32, Reduction::xor_b32,
                      Reduction::add_u64, Reduction::max_s64});
    const bool wide = which == Reduction::add_u64 || which == Reduction::max_s64;
    const bool shared = uses_shared_ && which == Reduction::add_u32 && random_.chance(40);
    const auto value = b_.variable(wide ? Type::b64 : Type::b32);
    const Operand added = value && random_.chance(70) ? Operand::of(value->reg)
                                                      : Operand::constant(random_.below(5) + 1);
    const unsigned bytes = wide ? 8 : 4;
    RegisterId address = 0;
    std::int64_t offset = 0;
    if (shared) {
        const RegisterId word = b_.emit("and.b32", {index(), Operand::constant(63)});
        const RegisterId scaled = b_.emit("shl.b32", {Operand::of(word), Operand::constant(2)});
        address =
            shared_address(Operand::of(scaled),
                           std::uint64_t{2} * kernel_.block.count() * slot_bytes_ / 16 * 16 + 16);
    } else {
        // Each operation has words of its own: 128 of them in its part.
        offset = static_cast<std::int64_t>(which) * 1024;
        if (random_.chance(25)) {
            address = totals_.reg;
        } else {
            const RegisterId word =
                b_.emit("and.b32", {index(), Operand::constant(random_.pick({127u, 31u, 3u}))});
            address = b_.emit("mad.wide.u32", {Operand::of(word), Operand::constant(bytes),
                                               Operand::of(totals_.reg)});
        }
    }
    const auto guard = random_guard(20);
    const bool returns = random_.chance(40);
    const RegisterId unread = returns ? b_.fresh(wide ? Type::b64 : Type::b32) : 0;
    Statement& statement = b_.append(Statement::Kind::reduction);
    statement.space = shared ? Space::shared : Space::global;
    statement.reduction = which;
    statement.address = address;
    statement.offset = offset;
    statement.element_bytes = bytes;
    statement.sources = {added};
    if (returns) statement.results = {unread};
    statement.guard = guard;
    statement.site = b_.add_site();
}

void StatementMaker::make_call(const Place& place) {
    std::vector<unsigned> callable;
    for (unsigned f = 0; f < callees_.size(); ++f) {
        const bool all_come = place.members && place.members->kind == Operand::Kind::immediate;
        if (!callees_[f].is_converged || all_come) callable.push_back(f);
    }
    if (callable.empty()) return make_operation();
    const unsigned callee = random_.pick(callable);
    std::vector<Operand> arguments;
    for (unsigned p = 0; p < kernel_.functions[callee].parameters; ++p) {
        const auto value = b_.variable(Type::b32);
        arguments.push_back(value && random_.chance(80) ? Operand::of(value->reg)
                                                        : b_.immediate(Type::b32));
    }
    const RegisterId result = b_.fresh(Type::b32);
    Statement& call = b_.append(Statement::Kind::call);
    call.index = callee;
    call.sources = std::move(arguments);
    call.results = {result};
    b_.declare({result, Type::b32, random_.chance(60), Sharing::none, std::nullopt});
}

}  // namespace wideload::fuzz
