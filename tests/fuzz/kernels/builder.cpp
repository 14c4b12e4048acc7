// SPDX-License-Identifier: Apache-2.0
#include "builder.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wideload::fuzz {

Builder::Position Builder::enter(Function& function, Statements& body) {
    const Position before{function_, body_, visible_.size(), places_.size()};
    function_ = &function;
    body_ = &body;
    return before;
}

void Builder::leave(const Position& position) {
    function_ = position.function;
    body_ = position.body;
    visible_.resize(position.variables);
    places_.resize(position.places);
}

RegisterId Builder::fresh(Type type) {
    function_->registers.push_back(type);
    return static_cast<RegisterId>(function_->registers.size() - 1);
}

Statement& Builder::append(Statement::Kind kind) {
    body_->emplace_back();
    body_->back().kind = kind;
    return body_->back();
}

Statement& Builder::assign(RegisterId result, const Operation& operation,
                           std::vector<Operand> sources) {
    const bool moves = operation.ptx.starts_with("mov.");
    if (!moves) {
        for (std::size_t i = 0; i < sources.size(); ++i) {
            // What PTX takes in moves alone.
            const bool plain = sources[i].kind == Operand::Kind::immediate && sources.size() > 1;
            if (!plain) sources[i] = in_register(sources[i], operation.sources[i]);
        }
    }
    Statement& statement = append(Statement::Kind::operation);
    statement.operation = &operation;
    statement.results = {result};
    statement.sources = std::move(sources);
    return statement;
}

RegisterId Builder::emit(std::string_view ptx, std::vector<Operand> sources) {
    const Operation& chosen = operation(ptx);
    const RegisterId result = fresh(chosen.result);
    assign(result, chosen, std::move(sources));
    return result;
}

Variable Builder::define(std::string_view ptx, std::vector<Operand> sources) {
    const Operation& chosen = operation(ptx);
    Variable variable{0, chosen.result, true, Sharing::block, std::nullopt};
    std::vector<std::optional<Range>> ranges;
    for (const Operand& source : sources) {
        variable.sharing = std::min(variable.sharing, sharing_of(source));
        ranges.push_back(range_of(source));
    }
    variable.range = result_range(chosen, ranges);
    variable.reg = emit(ptx, std::move(sources));
    declare(variable);
    return variable;
}

Operand Builder::immediate(Type type) {
    const auto bits_of = [](auto value) -> std::uint64_t {
        if constexpr (sizeof(value) == 4)
            return std::bit_cast<std::uint32_t>(value);
        else
            return std::bit_cast<std::uint64_t>(value);
    };
    switch (type) {
        case Type::f32:
            // The last is a NaN whose bits only moves may keep.
            return Operand::constant(random_.pick<std::uint64_t>(
                {bits_of(0.5f), bits_of(1.0f), bits_of(-2.5f), bits_of(1.00000012f), bits_of(3e10f),
                 bits_of(1e-40f), bits_of(-0.0f), bits_of(1e38f), bits_of(7.0f), bits_of(INFINITY),
                 0xffc12345}));
        case Type::f64:
            return Operand::constant(
                bits_of(random_.pick({0.5, 1.0, -2.5, 1.0000000001, 3e10, 1e-310, -0.0, 7.0})));
        default:
            break;
    }
    const std::int64_t wide = type == Type::b64 ? 32 : 0;
    switch (random_.below(8)) {
        case 0:
            return Operand::constant(static_cast<std::uint64_t>(random_.between(-8, -1)));
        case 1:
            return Operand::constant(std::uint64_t{1}
                                     << random_.below(type == Type::b64 ? 64 : 32));
        case 2:
            return Operand::constant(static_cast<std::uint64_t>(
                random_.pick<std::int64_t>(
                    {0x7fffffff, 0x7ffffff0, -0x80000000ll, 0xffffffff, 0xfffffff0})
                    << wide >>
                wide));
        case 3:
            return Operand::constant((std::uint64_t{1} << random_.between(1, 12)) - 1);
        case 4:
            return Operand::constant(type == Type::b64 ? random_.bits() : random_.bits() >> 32);
        default:
            return Operand::constant(random_.below(64));
    }
}

Operand Builder::in_register(const Operand& operand, Type type) {
    if (operand.kind == Operand::Kind::reg) return operand;
    const RegisterId reg = fresh(type);
    assign(reg,
           operation(type == Type::b64   ? "mov.b64"
                     : type == Type::f32 ? "mov.f32"
                     : type == Type::f64 ? "mov.f64"
                                         : "mov.u32"),
           {operand});
    return Operand::of(reg);
}

std::optional<Variable> Builder::variable(Type type, bool overwritable) {
    std::vector<Variable> candidates;
    for (const Variable& candidate : visible_) {
        if (candidate.type == type && !(overwritable && candidate.is_fixed)) {
            candidates.push_back(candidate);
        }
    }
    if (candidates.empty()) return std::nullopt;
    // Recent ones more often: chains of operations.
    if (candidates.size() > 4 && random_.chance(50))
        return candidates[candidates.size() - 1 - random_.below(4)];
    return random_.pick(candidates);
}

std::optional<Variable> Builder::ranged_variable() {
    std::vector<Variable> candidates;
    for (const Variable& candidate : visible_) {
        if (candidate.type == Type::b32 && candidate.range) candidates.push_back(candidate);
    }
    if (candidates.empty()) return std::nullopt;
    return random_.pick(candidates);
}

Operand Builder::operand(Type type) {
    if (type == Type::b32 && random_.chance(8)) {
        return Operand::of(
            random_.pick({Special::tid_x, Special::tid_y, Special::tid_z, Special::ntid_x,
                          Special::ctaid_x, Special::laneid, Special::lanemask_lt}));
    }
    if (type != Type::pred && random_.chance(20)) return immediate(type);
    if (const auto chosen = variable(type)) return Operand::of(chosen->reg);
    return type == Type::pred ? Operand::of(visible_.front().reg) : immediate(type);
}

const Variable* Builder::find(RegisterId reg) const {
    for (const Variable& candidate : visible_) {
        if (candidate.reg == reg) return &candidate;
    }
    return nullptr;
}

std::optional<Range> Builder::range_of_special(Special special) const {
    const Dimensions& block = kernel_.block;
    switch (special) {
        case Special::tid_x:
            return Range{0, block.x - 1};
        case Special::tid_y:
            return Range{0, block.y - 1};
        case Special::tid_z:
            return Range{0, block.z - 1};
        case Special::ntid_x:
            return Range{block.x, block.x};
        case Special::ntid_y:
            return Range{block.y, block.y};
        case Special::ntid_z:
            return Range{block.z, block.z};
        case Special::ctaid_x:
            return Range{0, kernel_.blocks - 1};
        case Special::nctaid_x:
            return Range{kernel_.blocks, kernel_.blocks};
        case Special::laneid:
            return Range{0, 31};
        default:
            return std::nullopt;
    }
}

std::optional<Range> Builder::range_of(const Operand& operand) const {
    switch (operand.kind) {
        case Operand::Kind::immediate: {
            const auto value = static_cast<std::int64_t>(operand.bits);
            if (value < -0x80000000ll || value > 0x7fffffff) return std::nullopt;
            return Range{value, value};
        }
        case Operand::Kind::special:
            return range_of_special(operand.special);
        default: {
            const Variable* variable = find(operand.reg);
            return variable == nullptr ? std::nullopt : variable->range;
        }
    }
}

Sharing Builder::sharing_of(const Operand& operand) const {
    switch (operand.kind) {
        case Operand::Kind::immediate:
            return Sharing::block;
        case Operand::Kind::special:
            switch (operand.special) {
                case Special::ntid_x:
                case Special::ntid_y:
                case Special::ntid_z:
                case Special::ctaid_x:
                case Special::nctaid_x:
                    return Sharing::block;
                default:
                    return Sharing::none;
            }
        default: {
            const Variable* variable = find(operand.reg);
            return variable == nullptr || !variable->is_fixed ? Sharing::none : variable->sharing;
        }
    }
}

unsigned Builder::add_site() {
    kernel_.site_is_irregular.push_back(in_irregular);
    return kernel_.sites++;
}

std::optional<Range> result_range(const Operation& operation,
                                  const std::vector<std::optional<Range>>& sources) {
    for (const auto& source : sources) {
        if (!source) return std::nullopt;
    }
    const std::string_view ptx = operation.ptx;
    Range result;
    const auto corners = [&](auto function) {
        const Range &a = *sources[0], &b = *sources[1];
        const std::initializer_list<std::int64_t> values{
            function(a.least, b.least), function(a.least, b.most), function(a.most, b.least),
            function(a.most, b.most)};
        result = {std::min(values), std::max(values)};
    };
    if (ptx.starts_with("mov.") || ptx.starts_with("cvt.s64.s32")) {
        result = *sources[0];
    } else if (ptx.starts_with("add.")) {
        corners([](std::int64_t a, std::int64_t b) { return a + b; });
    } else if (ptx.starts_with("sub.")) {
        corners([](std::int64_t a, std::int64_t b) { return a - b; });
    } else if (ptx.starts_with("mul.lo") || ptx.starts_with("mul.wide.s32")) {
        corners([](std::int64_t a, std::int64_t b) { return a * b; });
    } else if (ptx.starts_with("mad.lo")) {
        corners([](std::int64_t a, std::int64_t b) { return a * b; });
        result = {result.least + sources[2]->least, result.most + sources[2]->most};
    } else if (ptx == "and.b32" && sources[1]->least == sources[1]->most &&
               sources[1]->least >= 0) {
        result = {0, sources[1]->most};
    } else if (ptx == "shr.u32" && sources[0]->least >= 0 && sources[1]->least >= 0 &&
               sources[1]->most < 32) {
        result = {sources[0]->least >> sources[1]->most, sources[0]->most >> sources[1]->least};
    } else if (ptx == "xor.b32" && sources[0]->least >= 0 && sources[1]->least >= 0) {
        result = {0, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(
                         std::max(sources[0]->most, sources[1]->most) + 1))) -
                         1};
    } else if (ptx == "rem.s32" && sources[0]->least >= 0) {
        result = {0, sources[1]->most - 1};
    } else {
        return std::nullopt;
    }
    if (result.least < -0x80000000ll || result.most > 0x7fffffff) return std::nullopt;
    return result;
}

}  // namespace wideload::fuzz
