// SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <fmt/format.h>

#include "statement_maker.h"
#include "yielding.h"

namespace wideload::fuzz {

StatementMaker::StatementMaker(Kernel& kernel, RandomSource& random, Stage stage, bool is_large)
    : kernel_(kernel),
      random_(random),
      stage_(stage),
      is_large_(is_large),
      prefers_f32_(random.chance(25)),
      b_(kernel, random) {
    threads_ = std::uint64_t{kernel.block.count()} * kernel.blocks;
    uses_local_ = random_.chance(40);
    uses_shared_ = random_.chance(40);
    slot_bytes_ = random_.pick({4u, 4u, 8u, 16u, 12u, 20u});
    kernel_.shared_bytes = std::uint64_t{kernel.block.count()} * slot_bytes_ * 2 + 256 + 16;
    kernel_.shared_bytes = (kernel_.shared_bytes + 15) / 16 * 16;
}

void StatementMaker::make_kernel() {
    if (stage_ >= Stage::warps && random_.chance(40)) {
        for (std::uint64_t f = random_.between(1, 2); f > 0; --f) make_function();
    }
    budget_ = static_cast<unsigned>(random_.between(8, 40));
    if (is_large_) budget_ *= 8;
    const auto before = b_.enter(kernel_.entry, kernel_.entry.body);
    make_prologue();
    Place place;
    place.members = Operand::constant(0xffffffff);
    while (budget_ > 0) make_statement(place);
    make_epilogue();
    b_.leave(before);
}

void StatementMaker::make_function() {
    Function function;
    function.parameters = static_cast<unsigned>(random_.between(1, 3));
    const bool converged = random_.chance(40);
    const auto before = b_.enter(function, function.body);
    b_.define("setp.ne.b32", {Operand::constant(1), Operand::constant(random_.below(2))});
    for (unsigned p = 0; p < function.parameters; ++p) {
        const RegisterId reg = b_.fresh(Type::b32);
        Statement& parameter = b_.append(Statement::Kind::parameter);
        parameter.index = p;
        parameter.results = {reg};
        b_.declare({reg, Type::b32, p == 0, Sharing::none, std::nullopt});
    }
    function.result = b_.fresh(Type::b32);
    b_.assign(*function.result, operation("mov.u32"), {b_.operand(Type::b32)});
    b_.declare({*function.result, Type::b32, false, Sharing::none, std::nullopt});
    Place place;
    place.all_threads = false;
    place.in_function = true;
    place.may_leave_function = !converged;
    if (converged) place.members = Operand::constant(0xffffffff);
    budget_ = static_cast<unsigned>(random_.between(3, 10));
    while (budget_ > 0) make_statement(place);
    b_.assign(*function.result, operation("add.s32"),
              {Operand::of(*function.result), b_.operand(Type::b32)});
    b_.leave(before);
    kernel_.functions.push_back(std::move(function));
    callees_.push_back({converged});
}

void StatementMaker::make_prologue() {
    b_.define("setp.lt.u32", {Operand::of(Special::tid_x), b_.immediate(Type::b32)});
    const auto parameter = [&](Parameter which, Type type) {
        const RegisterId reg = b_.fresh(type);
        Statement& statement = b_.append(Statement::Kind::parameter);
        statement.index = static_cast<unsigned>(which);
        statement.results = {reg};
        return Variable{reg, type, true, Sharing::block, std::nullopt};
    };
    // Addresses are never data: they differ from run to run.
    input_ = parameter(Parameter::input, Type::b64);
    output_ = parameter(Parameter::output, Type::b64);
    totals_ = parameter(Parameter::totals, Type::b64);
    b_.declare(parameter(Parameter::word, Type::b32));
    b_.declare(parameter(Parameter::wide, Type::b64));
    b_.declare(parameter(Parameter::real, Type::f32));
    make_indices();

    for (const Type type : {Type::b32, Type::b64, Type::f32, Type::f64}) {
        const RegisterId reg = b_.fresh(type);
        const auto* name = type == Type::b32   ? "mov.u32"
                           : type == Type::b64 ? "cvt.u64.u32"
                           : type == Type::f32 ? "cvt.rn.f32.u32"
                                               : "cvt.rn.f64.s32";
        b_.assign(reg, operation(name), {Operand::of(thread_.reg)});
        b_.declare({reg, type, false, Sharing::none, std::nullopt});
    }
    if (uses_local_) {
        const RegisterId address = b_.fresh(Type::b64);
        Statement& take = b_.append(Statement::Kind::address_of);
        take.results = {address};
        take.space = Space::local;
        take.symbol = Symbol::local;
        for (std::int64_t at = 0; at < static_cast<std::int64_t>(kLocalBytes); at += 16) {
            store(Space::local, address, at, {4, 4}, std::nullopt);
        }
    }
    if (uses_shared_) {
        // Every byte has a value before anyone reads it.
        for (unsigned array = 0; array < 2; ++array) {
            const RegisterId offset = b_.emit(
                "mul.lo.u32", {Operand::of(block_thread_.reg), Operand::constant(slot_bytes_)});
            const RegisterId address = shared_address(
                Operand::of(offset), std::uint64_t{array} * kernel_.block.count() * slot_bytes_);
            for (unsigned at = 0; at < slot_bytes_; at += 4) {
                store(Space::shared, address, at, {4, 1}, std::nullopt);
            }
            const unsigned widest = slot_bytes_ % 16 == 0 ? 16 : slot_bytes_ % 8 == 0 ? 8 : 4;
            if (array == 0) b_.places().push_back({address, Space::shared, widest});
        }
        // The words that atomics add to.
        const RegisterId first =
            b_.emit("setp.lt.u32", {Operand::of(block_thread_.reg), Operand::constant(1)});
        const RegisterId start =
            shared_address(Operand::constant(0),
                           std::uint64_t{2} * kernel_.block.count() * slot_bytes_ / 16 * 16 + 16);
        for (std::int64_t at = 0; at < 256; at += 16) {
            Statement& clear = b_.append(Statement::Kind::store);
            clear.space = Space::shared;
            clear.address = start;
            clear.offset = at;
            clear.element_bytes = 4;
            clear.sources.assign(4, Operand::constant(0));
            clear.guard = Guard{first, false};
            clear.site = b_.add_site();
        }
        b_.append(Statement::Kind::barrier);
    }
}

/// Thread numbers in the forms that compilers make.
void StatementMaker::make_indices() {
    const Dimensions& block = kernel_.block;
    const auto special = [](Special s) { return Operand::of(s); };
    const auto constant = [](std::uint64_t c) { return Operand::constant(c); };
    const bool by_registers = random_.chance(30);
    const auto extent = [&](Special s, std::uint32_t value) {
        return by_registers ? Operand::of(b_.define("mov.u32", {special(s)}).reg) : constant(value);
    };
    Variable row = b_.define("mov.u32", {special(Special::tid_x)});
    if (block.y > 1 || block.z > 1) {
        Variable plane = b_.define("mov.u32", {special(Special::tid_y)});
        if (block.z > 1) {
            plane =
                b_.define("mad.lo.s32", {special(Special::tid_z), extent(Special::ntid_y, block.y),
                                         Operand::of(plane.reg)});
        }
        row = b_.define("mad.lo.s32", {Operand::of(plane.reg), extent(Special::ntid_x, block.x),
                                       Operand::of(row.reg)});
    }
    block_thread_ = row;
    thread_ = b_.define("mad.lo.s32",
                        {special(Special::ctaid_x), constant(block.count()), Operand::of(row.reg)});
    warp_ = b_.define("shr.u32", {Operand::of(row.reg), constant(5)});
    b_.visible().back().sharing = Sharing::warp;
    warp_.sharing = Sharing::warp;
    lane_ = b_.define("and.b32", {Operand::of(row.reg), constant(31)});
    b_.define("sub.s32", {constant(threads_ - 1), Operand::of(thread_.reg)});
    b_.define("add.s32", {Operand::of(thread_.reg), b_.immediate(Type::b32)});
    if (random_.chance(50)) {
        b_.define("mad.lo.s32",
                  {special(Special::tid_y), constant(random_.pick({8u, 16u, 33u, 64u})),
                   special(Special::tid_x)});
    }
    if (random_.chance(30)) {
        b_.define("mad.lo.s32",
                  {special(Special::ctaid_x), special(Special::ntid_x), special(Special::tid_x)});
    }
}

/// What registers hold in the end is what the kernel computed.
void StatementMaker::make_epilogue() {
    std::vector<Variable> results;
    for (const Variable& variable : b_.visible()) {
        if (!variable.is_fixed || random_.chance(25)) results.push_back(variable);
    }
    while (results.size() > 14)
        results.erase(results.begin() + static_cast<long>(random_.below(results.size())));
    for (const Variable& result : results) {
        RegisterId reg = result.reg;
        if (result.type == Type::pred) {
            reg =
                b_.emit("selp.b32", {Operand::constant(1), Operand::constant(2), Operand::of(reg)});
        }
        const Operand value = settled(Operand::of(reg), result.type);
        const bool wide = result.type == Type::b64 || result.type == Type::f64;
        const unsigned bytes = wide ? 8 : 4;
        const RegisterId offset =
            b_.emit("mul.wide.u32", {Operand::of(thread_.reg), Operand::constant(bytes)});
        const RegisterId address =
            b_.emit("add.s64", {Operand::of(output_.reg), Operand::of(offset)});
        Statement& statement = b_.append(Statement::Kind::store);
        statement.address = address;
        statement.offset = static_cast<std::int64_t>(kernel_.output_bytes);
        statement.element_bytes = bytes;
        statement.sources = {value};
        statement.site = b_.add_site();
        kernel_.output_bytes += threads_ * bytes;
        kernel_.output_bytes = (kernel_.output_bytes + 15) / 16 * 16;
    }
    if (!uses_shared_ || stage_ < Stage::warps) return;
    b_.append(Statement::Kind::barrier);
    const RegisterId word =
        b_.emit("and.b32", {Operand::of(block_thread_.reg), Operand::constant(63)});
    const RegisterId offset = b_.emit("shl.b32", {Operand::of(word), Operand::constant(2)});
    const RegisterId address = shared_address(
        Operand::of(offset), std::uint64_t{2} * kernel_.block.count() * slot_bytes_ / 16 * 16 + 16);
    const RegisterId total = load(Space::shared, address, 0, {4, 1}, std::nullopt);
    const OwnPlace place = new_output_place();
    const Operand value = settled(Operand::of(total), b_.function().registers[total]);
    Statement& statement = b_.append(Statement::Kind::store);
    statement.address = place.address;
    statement.sources = {value};
    statement.site = b_.add_site();
}

std::optional<Guard> StatementMaker::random_guard(unsigned percent) {
    if (!random_.chance(percent)) return std::nullopt;
    const auto predicate = b_.variable(Type::pred);
    if (!predicate) return std::nullopt;
    return Guard{predicate->reg, random_.chance(40)};
}

Operand StatementMaker::settled(const Operand& operand, Type type) {
    if (operand.kind != Operand::Kind::reg || type != Type::f64) return operand;
    const RegisterId number = b_.emit("setp.num.f64", {operand, operand});
    return Operand::of(
        b_.emit("selp.f64", {operand, Operand::constant(0x3ff8000000000000), Operand::of(number)}));
}

void StatementMaker::make_operation() {
    const auto all = operations();
    const Operation* chosen = &all[random_.below(all.size())];
    if (prefers_f32_ && random_.chance(50)) {
        while (chosen->result != Type::f32) chosen = &all[random_.below(all.size())];
    } else if (random_.chance(55)) {
        while (!chosen->affine) chosen = &all[random_.below(all.size())];
    }
    const bool divides = chosen->ptx.starts_with("div.u32") || chosen->ptx.starts_with("rem.");
    std::vector<Operand> sources;
    const bool shows_bits = chosen->result != Type::f64 && chosen->result != Type::pred;
    for (const Type type : chosen->sources) {
        sources.push_back(b_.operand(type));
        if (shows_bits) sources.back() = settled(sources.back(), type);
    }
    // A constant factor, amount or mask: what keeps values affine.
    const std::size_t constant_place = chosen->sources.size() == 3 ? 1 : chosen->sources.size() - 1;
    const bool has_range = chosen->least <= chosen->most;
    if (has_range && (divides || random_.chance(75))) {
        sources[chosen->sources.size() - 1] = Operand::constant(
            static_cast<std::uint64_t>(random_.between(chosen->least, chosen->most)));
    } else if (chosen->affine && chosen->sources.size() > 1 && random_.chance(60)) {
        sources[constant_place] = b_.immediate(chosen->sources[constant_place]);
    }
    const auto guard = random_guard(12);
    const auto old =
        random_.chance(guard ? 100 : 45) ? b_.variable(chosen->result, true) : std::nullopt;
    Variable result{0, chosen->result, false, Sharing::none, std::nullopt};
    if (old) {
        result = *old;
    } else {
        result.reg = b_.fresh(chosen->result);
        result.is_fixed = random_.chance(60);
        if (result.is_fixed) {
            std::vector<std::optional<Range>> ranges;
            result.sharing = Sharing::block;
            for (const Operand& source : sources) {
                ranges.push_back(b_.range_of(source));
                result.sharing = std::min(result.sharing, b_.sharing_of(source));
            }
            result.range = result_range(*chosen, ranges);
        }
    }
    Statement& statement = b_.assign(result.reg, *chosen, std::move(sources));
    if (old) statement.guard = guard;
    if (!old) b_.declare(result);
}

/// A predicate to branch on: made for it, or any.
Operand StatementMaker::condition() {
    if (random_.chance(40)) return Operand::of(b_.variable(Type::pred)->reg);
    if (random_.chance(40)) {
        // Some lanes of every warp.
        return Operand::of(
            b_.emit(random_.pick({"setp.lt.s32", "setp.hi.u32", "setp.ne.b32"}),
                    {Operand::of(Special::laneid), Operand::constant(random_.below(33))}));
    }
    return Operand::of(b_.emit(random_.pick({"setp.lt.s32", "setp.eq.s32", "setp.hi.u32"}),
                               {b_.operand(Type::b32), b_.operand(Type::b32)}));
}

/// A predicate on which all threads of the warp, or of the block, agree.
Operand StatementMaker::shared_condition(Sharing sharing) {
    std::vector<Operand> values{Operand::of(Special::ctaid_x)};
    for (const Variable& variable : b_.visible()) {
        if (variable.type == Type::b32 && variable.is_fixed && variable.sharing >= sharing) {
            values.push_back(Operand::of(variable.reg));
        }
    }
    Operand tested = random_.pick(values);
    if (random_.chance(50)) {
        tested = Operand::of(b_.emit("and.b32", {tested, Operand::constant(random_.below(4))}));
    }
    return Operand::of(b_.emit(random_.pick({"setp.lt.s32", "setp.ne.b32", "setp.eq.s32"}),
                               {tested, Operand::constant(random_.below(4))}));
}

void StatementMaker::make_statements(unsigned count, const Place& place) {
    for (unsigned i = 0; i < count && budget_ > 0; ++i) make_statement(place);
}

void StatementMaker::make_statement(const Place& place) {
    --budget_;
    const bool branches = stage_ >= Stage::branches && place.depth < 4;
    const bool warps = stage_ >= Stage::warps;
    const bool memory = !place.in_function;
    const std::uint64_t dice = random_.below(100);
    if (dice < 8 && branches) return make_branch(place);
    if (dice < 14 && branches) return make_loop(place);
    if (dice < 16 && branches) return make_choice(place);
    if (dice < 18 && branches && place.depth < 2) return make_irregular(place);
    if (dice < 20 && branches) return make_leave(place);
    if (dice < 24 && place.loops > 0) return make_leave_loop(place);
    if (dice < 30 && warps && place.members) return make_collective(place);
    if (dice < 34 && warps && place.all_threads && uses_shared_) return make_exchange();
    if (dice < 38 && warps && memory) return make_reduction();
    if (dice < 41 && warps && memory && !callees_.empty()) return make_call(place);
    if (dice < 50 && memory) return load_input();
    if (dice < 54 && memory) return load_constant();
    if (dice < 58 && memory && uses_local_) return access_local();
    if (dice < 62 && memory && uses_shared_) return load_shared();
    if (dice < 69 && memory) return access_own();
    if (dice < 71 && memory) return store_by_one_thread();
    make_operation();
}

namespace {

Kernel attempt(RandomSource& random, std::uint64_t seed, Stage stage, bool is_large) {
    Kernel kernel;
    kernel.seed = seed;
    kernel.name = fmt::format("kernel_{}", seed);
    kernel.block = random.pick<Dimensions>({{32, 1, 1},
                                            {64, 1, 1},
                                            {128, 1, 1},
                                            {33, 1, 1},
                                            {100, 1, 1},
                                            {7, 1, 1},
                                            {16, 16, 1},
                                            {8, 4, 2},
                                            {5, 7, 1},
                                            {24, 24, 1},
                                            {32, 3, 1},
                                            {16, 3, 1},
                                            {64, 2, 1},
                                            {4, 4, 4},
                                            {8, 3, 3},
                                            {2, 32, 2},
                                            {1, 40, 1}});
    kernel.blocks =
        static_cast<std::uint32_t>(random.between(1, kernel.block.count() > 200 ? 2 : 3));
    for (std::uint8_t& byte : kernel.constants) byte = static_cast<std::uint8_t>(random.bits());
    kernel.word = static_cast<std::uint32_t>(random.chance(50) ? random.below(100) : random.bits());
    kernel.wide = random.chance(50) ? random.below(100) : random.bits();
    kernel.real = static_cast<float>(random.between(-1000, 1000)) / 8;
    StatementMaker(kernel, random, stage, is_large).make_kernel();
    return kernel;
}

}  // namespace

Kernel generate(std::uint64_t seed, Stage stage, bool is_large) {
    RandomSource random(seed * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(stage));
    Kernel kernel = attempt(random, seed, stage, is_large);
    while (has_yielding_loop(kernel)) kernel = attempt(random, seed, stage, is_large);
    return kernel;
}

}  // namespace wideload::fuzz
