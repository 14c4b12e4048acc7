// SPDX-License-Identifier: Apache-2.0
// Loads and stores. Reads may go anywhere in what nobody writes; a thread writes only what no other
// thread touches.
#include <bit>

#include "statement_maker.h"

namespace wideload::fuzz {

StatementMaker::Access StatementMaker::random_access(unsigned most_bytes) {
    while (true) {
        const Access access{random_.pick({1u, 2u, 4u, 4u, 4u, 8u}),
                            random_.pick({1u, 1u, 1u, 2u, 4u})};
        if (access.bytes() <= most_bytes) return access;
    }
}

RegisterId StatementMaker::load(Space space, RegisterId address, std::int64_t offset,
                                const Access& access, std::optional<Guard> guard,
                                std::string modifier) {
    const Type type = access.element_bytes == 8   ? random_.pick({Type::b64, Type::b64, Type::f64})
                      : access.element_bytes == 4 ? random_.pick({Type::b32, Type::b32, Type::f32})
                                                  : Type::b32;
    std::vector<RegisterId> results;
    std::vector<Variable> made;
    for (unsigned i = 0; i < access.width; ++i) {
        // Guarded ones keep what an older register holds.
        std::optional<Variable> old;
        if (guard || random_.chance(25)) old = b_.variable(type, true);
        for (const RegisterId other : results) {
            if (old && old->reg == other) old.reset();
        }
        if (!old) {
            old = Variable{b_.fresh(type), type, !guard && random_.chance(60), Sharing::none,
                           std::nullopt};
            if (guard)
                b_.assign(old->reg,
                          operation(type == Type::b64   ? "mov.b64"
                                    : type == Type::b32 ? "mov.u32"
                                    : type == Type::f32 ? "mov.f32"
                                                        : "mov.f64"),
                          {b_.immediate(type)});
            made.push_back(*old);
        }
        results.push_back(old->reg);
    }
    Statement& statement = b_.append(Statement::Kind::load);
    statement.space = space;
    statement.address = address;
    statement.offset = offset;
    statement.element_bytes = access.element_bytes;
    statement.sign_extends = access.element_bytes < 4 && random_.chance(50);
    statement.results = results;
    statement.guard = guard;
    statement.modifier = std::move(modifier);
    statement.site = b_.add_site();
    for (const Variable& variable : made) b_.declare(variable);
    return results[0];
}

void StatementMaker::store(Space space, RegisterId address, std::int64_t offset,
                           const Access& access, std::optional<Guard> guard, std::string modifier) {
    const Type type = access.element_bytes == 8   ? random_.pick({Type::b64, Type::f64})
                      : access.element_bytes == 4 ? random_.pick({Type::b32, Type::f32})
                                                  : Type::b32;
    std::vector<Operand> sources;
    for (unsigned i = 0; i < access.width; ++i) {
        const auto value = b_.variable(type);
        sources.push_back(value && !random_.chance(10) ? settled(Operand::of(value->reg), type)
                                                       : b_.immediate(type));
    }
    Statement& statement = b_.append(Statement::Kind::store);
    statement.space = space;
    statement.address = address;
    statement.offset = offset;
    statement.element_bytes = access.element_bytes;
    statement.sources = std::move(sources);
    statement.guard = guard;
    statement.modifier = std::move(modifier);
    statement.site = b_.add_site();
}

Operand StatementMaker::index() {
    const auto ranged = b_.ranged_variable();
    if (ranged && random_.chance(50)) return Operand::of(ranged->reg);
    const auto any = b_.variable(Type::b32);
    return any ? Operand::of(any->reg) : Operand::of(Special::tid_x);
}

/// At an address that is known to be good in every thread.
void StatementMaker::load_input() {
    const std::uint64_t dice = random_.below(10);
    if (dice < 3) return load_input_checked();
    if (dice < 5) return load_input_masked();
    const Access access = random_access(16);
    const std::string modifier = random_.pick<const char*>({"", "", "", ".nc", ".volatile", ".cg"});
    const bool generic = modifier.empty() && random_.chance(15);
    const Space space = generic ? Space::generic : Space::global;
    if (random_.chance(25)) {  // one address for all
        load(space, input_.reg, random_.between(0, 20) * access.bytes(), access, random_guard(15),
             modifier);
        return;
    }
    const Variable base = b_.ranged_variable().value_or(thread_);
    const std::int64_t scale =
        random_.pick({1, 1, 1, 1, 2, 3, -1}) * static_cast<int>(access.bytes());
    std::int64_t least = base.range->least * scale, most = base.range->most * scale;
    if (least > most) std::swap(least, most);
    if (most - least + 64 > static_cast<std::int64_t>(kInputBytes)) return load_input_masked();
    // Anywhere that leaves all threads inside.
    std::int64_t offset =
        random_.between(-least, static_cast<std::int64_t>(kInputBytes) - most - 16);
    if (random_.chance(50) && -least > -1000 && -least < 1000) offset = -least;
    offset -= ((offset % access.bytes()) + access.bytes()) % access.bytes();
    const bool is_signed = base.range->least < 0 || scale < 0 || random_.chance(50);
    const RegisterId scaled =
        b_.emit(is_signed ? "mul.wide.s32" : "mul.wide.u32",
                {Operand::of(base.reg), Operand::constant(static_cast<std::uint64_t>(scale))});
    const RegisterId address = b_.emit("add.s64", {Operand::of(input_.reg), Operand::of(scaled)});
    load(space, address, offset, access, random_guard(15), modifier);
}

/// Any index, and a bounds check in front: lanes whose index wrapped around stay outside.
void StatementMaker::load_input_checked() {
    const Access access = random_access(16);
    const std::uint64_t bytes = access.bytes();
    struct Bias {
        std::int64_t delta;
        std::uint64_t bias;
    };
    const Bias bias =
        random_.pick<Bias>({{0, 0},
                            {-4, 0},
                            {-40, 0},
                            {0x7ffffff0, 0x7ffffff0},
                            {0x7ffffff0, 0x80000000},
                            {-16, 0xfffffff0},
                            {-0x7ffffff8, static_cast<std::uint64_t>(-0x80000000ll)}});
    const RegisterId shifted =
        b_.emit("add.s32", {index(), Operand::constant(static_cast<std::uint64_t>(bias.delta))});
    RegisterId scaled = 0;
    const bool is_signed = random_.chance(50);
    if (random_.chance(50)) {
        scaled = b_.emit(is_signed ? "mul.wide.s32" : "mul.wide.u32",
                         {Operand::of(shifted), Operand::constant(bytes)});
    } else {
        const RegisterId wide =
            b_.emit(is_signed ? "cvt.s64.s32" : "cvt.u64.u32", {Operand::of(shifted)});
        scaled = b_.emit(
            "shl.b64",
            {Operand::of(wide), Operand::constant(static_cast<unsigned>(std::countr_zero(bytes)))});
    }
    const RegisterId distance =
        b_.emit("sub.s64", {Operand::of(scaled), Operand::constant(bias.bias * bytes)});
    const RegisterId inside =
        b_.emit("setp.lt.u64", {Operand::of(distance), Operand::constant(kInputBytes)});
    RegisterId address = 0;
    if (random_.chance(50)) {
        const RegisterId start =
            b_.emit("sub.s64", {Operand::of(input_.reg), Operand::constant(bias.bias * bytes)});
        address = b_.emit("add.s64", {Operand::of(start), Operand::of(scaled)});
    } else {
        address = b_.emit("add.s64", {Operand::of(input_.reg), Operand::of(distance)});
    }
    load(Space::global, address, 0, access, Guard{inside, false});
}

/// Any index, cut to what there is.
void StatementMaker::load_input_masked() {
    const Access access = random_access(16);
    const std::uint64_t elements = kInputBytes / access.bytes() >> random_.pick({0, 0, 5, 8});
    const RegisterId cut = b_.emit("and.b32", {index(), Operand::constant(elements - 1)});
    const RegisterId address =
        b_.emit("mad.wide.u32",
                {Operand::of(cut), Operand::constant(access.bytes()), Operand::of(input_.reg)});
    const std::int64_t offset = random_.between(-8, 8) * access.bytes();
    load(random_.chance(20) ? Space::generic : Space::global, address, offset, access,
         random_guard(20));
}

void StatementMaker::load_constant() {
    const Access access = random_access(16);
    const bool variable = random_.chance(50);
    const RegisterId start = b_.fresh(Type::b64);
    Statement& take = b_.append(Statement::Kind::address_of);
    take.results = {start};
    take.space = variable ? Space::global : Space::constant;
    take.symbol = variable ? Symbol::variable : Symbol::constant;
    const Space space = take.space;
    RegisterId address = start;
    if (random_.chance(60)) {
        const RegisterId cut =
            b_.emit("and.b32", {index(), Operand::constant(kConstantBytes / access.bytes() - 1)});
        address = b_.emit("mad.wide.u32", {Operand::of(cut), Operand::constant(access.bytes()),
                                           Operand::of(start)});
    }
    load(space, address, 0, access, random_guard(10));
}

void StatementMaker::access_local() {
    const Access access = random_access(16);
    const bool generic = random_.chance(25);
    const RegisterId start = b_.fresh(Type::b64);
    Statement& take = b_.append(Statement::Kind::address_of);
    take.results = {start};
    take.space = generic ? Space::generic : Space::local;
    take.symbol = Symbol::local;
    RegisterId address = start;
    std::int64_t offset = 0;
    if (random_.chance(50)) {
        offset = random_.between(0, static_cast<std::int64_t>(kLocalBytes / access.bytes()) - 1) *
                 access.bytes();
    } else {
        const RegisterId cut =
            b_.emit("and.b32", {index(), Operand::constant(kLocalBytes / access.bytes() - 1)});
        address = b_.emit("mad.wide.u32", {Operand::of(cut), Operand::constant(access.bytes()),
                                           Operand::of(start)});
    }
    const Space space = generic ? Space::generic : Space::local;
    if (random_.chance(50)) {
        load(space, address, offset, access, random_guard(15));
    } else {
        store(space, address, offset, access, random_guard(15));
    }
}

RegisterId StatementMaker::shared_address(const Operand& byte_offset, std::uint64_t start) {
    const RegisterId base = b_.fresh(Type::b32);
    Statement& take = b_.append(Statement::Kind::address_of);
    take.results = {base};
    take.space = Space::shared;
    take.symbol = Symbol::shared;
    take.offset = static_cast<std::int64_t>(start);
    return b_.emit("add.s32", {Operand::of(base), byte_offset});
}

/// Of the array that only exchanges write: any thread's slot.
void StatementMaker::load_shared() {
    const std::int64_t slots = kernel_.block.count();
    const unsigned widest = slot_bytes_ % 16 == 0 ? 16 : slot_bytes_ % 8 == 0 ? 8 : 4;
    const Access access = random_access(widest);
    Operand slot = Operand::of(block_thread_.reg);
    switch (random_.below(5)) {
        case 0:
            slot = Operand::of(b_.emit(
                "sub.s32", {Operand::constant(static_cast<std::uint64_t>(slots - 1)), slot}));
            break;
        case 1: {
            const RegisterId cut = b_.emit("and.b32", {index(), Operand::constant(0xffff)});
            slot = Operand::of(
                b_.emit("rem.s32",
                        {Operand::of(cut), Operand::constant(static_cast<std::uint64_t>(slots))}));
            break;
        }
        case 2:
            slot = Operand::constant(random_.below(static_cast<std::uint64_t>(slots)));
            break;
        default: {
            const Variable ranged = b_.ranged_variable().value_or(block_thread_);
            if (ranged.range->least >= 0 && ranged.range->most < slots)
                slot = Operand::of(ranged.reg);
            break;
        }
    }
    const std::uint64_t start = static_cast<std::uint64_t>(slots) * slot_bytes_;
    const RegisterId offset = b_.emit("mul.lo.u32", {slot, Operand::constant(slot_bytes_)});
    const RegisterId address = shared_address(Operand::of(offset), start);
    if (random_.chance(25)) {
        const RegisterId generic = b_.fresh(Type::b64);
        Statement& take = b_.append(Statement::Kind::address_of);
        take.results = {generic};
        take.space = Space::generic;
        take.symbol = Symbol::shared;
        take.offset = static_cast<std::int64_t>(start);
        const RegisterId moved =
            b_.emit("mad.wide.u32", {slot, Operand::constant(slot_bytes_), Operand::of(generic)});
        load(Space::generic, moved, 0, access, random_guard(15));
        return;
    }
    load(Space::shared, address, 0, access, random_guard(15),
         random_.pick<const char*>({"", "", ".volatile"}));
}

/// A part of the output in which every thread has a place: in order, backwards, with gaps,
/// permuted.
OwnPlace StatementMaker::new_output_place() {
    const std::uint64_t bytes = random_.pick({4u, 4u, 8u, 16u});
    std::uint64_t places = threads_, stride = bytes;
    std::int64_t start = static_cast<std::int64_t>(kernel_.output_bytes);
    Operand number = Operand::of(thread_.reg);
    switch (random_.below(6)) {
        case 0:
            number = Operand::of(b_.emit("sub.s32", {Operand::constant(threads_ - 1), number}));
            break;
        case 1:
            stride = bytes * random_.pick({2u, 3u, 32u / 4u});
            break;
        case 2: {
            const std::uint64_t flip = random_.pick({1u, 5u, 31u});
            number = Operand::of(b_.emit("xor.b32", {number, Operand::constant(flip)}));
            places = (threads_ + 31) / 32 * 32;
            break;
        }
        case 3:  // past the start of a sector
            start += static_cast<std::int64_t>(bytes);
            break;
        default:
            break;
    }
    const RegisterId scaled = b_.emit("mul.wide.u32", {number, Operand::constant(stride)});
    const RegisterId first =
        b_.emit("add.s64",
                {Operand::of(output_.reg), Operand::constant(static_cast<std::uint64_t>(start))});
    const RegisterId address = b_.emit("add.s64", {Operand::of(first), Operand::of(scaled)});
    kernel_.output_bytes = (static_cast<std::uint64_t>(start) + places * stride + 31) / 16 * 16;
    return {address, Space::global, bytes};
}

void StatementMaker::access_own() {
    if (b_.places().empty() || random_.chance(35)) b_.places().push_back(new_output_place());
    const OwnPlace place = random_.pick(b_.places());
    const Access access = random_access(static_cast<unsigned>(place.bytes));
    const std::int64_t offset =
        random_.between(0, static_cast<std::int64_t>(place.bytes / access.bytes()) - 1) *
        access.bytes();
    const Space space =
        place.space == Space::global && random_.chance(15) ? Space::generic : place.space;
    if (random_.chance(75)) {
        store(space, place.address, offset, access, random_guard(20));
    } else {
        load(space, place.address, offset, access, random_guard(15));
    }
}

/// One address for the whole block, and one thread that writes.
void StatementMaker::store_by_one_thread() {
    const Access access = random_access(16);
    const RegisterId chosen = b_.emit(
        "setp.eq.s32",
        {Operand::of(block_thread_.reg), Operand::constant(random_.below(kernel_.block.count()))});
    const RegisterId address =
        b_.emit("mad.wide.u32",
                {Operand::of(Special::ctaid_x), Operand::constant(16), Operand::of(output_.reg)});
    store(Space::global, address, static_cast<std::int64_t>(kernel_.output_bytes), access,
          Guard{chosen, false});
    kernel_.output_bytes += std::uint64_t{kernel_.blocks} * 16;
}

}  // namespace wideload::fuzz
