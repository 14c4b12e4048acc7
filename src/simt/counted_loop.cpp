// SPDX-License-Identifier: Apache-2.0
#include "simt/counted_loop.h"

#include <algorithm>
#include <optional>

#include "simt/liveness.h"

namespace wideload::simt {
namespace {

using ptx::Category;
using ptx::Comparison;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

bool is_branch(const Instruction& instruction) { return instruction.opcode == Opcode::bra; }

bool is_weak(const Instruction& load) {
    return load.semantics == ptx::Semantics::none || load.semantics == ptx::Semantics::weak;
}

/// What a loop's body may hold besides branches.
bool only_reads(const Instruction& instruction) {
    switch (ptx::category(instruction)) {
        case Category::load:
            return is_weak(instruction);
        case Category::integer:
        case Category::float32:
        case Category::float64:
        case Category::half:
        case Category::conversion:
        case Category::special_function:
        case Category::move:
        case Category::logic:
            return true;
        default:
            return false;
    }
}

bool is_register(const Operand& operand, ptx::RegisterId id) {
    return operand.kind == Operand::Kind::reg && operand.reg == id;
}

bool is_integer(ptx::Type type) {
    return type == ptx::Type::s32 || type == ptx::Type::u32 || type == ptx::Type::s64 ||
           type == ptx::Type::u64;
}

/// Whether counting by `step` leads to where the comparison ends.
bool leads_to_end(Comparison comparison, std::int64_t step) {
    switch (comparison) {
        case Comparison::lt:
        case Comparison::le:
            return step > 0;
        case Comparison::gt:
        case Comparison::ge:
            return step < 0;
        default:
            return comparison == Comparison::ne && step != 0;
    }
}

/// Looks at what lies between a label and a branch back to it.
class Candidate {
public:
    Candidate(const ptx::Function& function, std::uint32_t first, std::uint32_t branch)
        : function_(function), first_(first), branch_(branch), tail_(first) {}

    std::optional<CountedLoop> recognise() {
        if (!is_closed()) return std::nullopt;
        CountedLoop loop;
        loop.first = first_;
        loop.last = branch_ + 1;
        loop.again = function_.body[branch_].guard->predicate;
        if (!find_condition(loop) || !find_step(loop)) return std::nullopt;
        for (std::uint32_t i = first_; i < branch_; ++i) {
            loop.global_loads += is_global_load(function_.body[i]) ? 1 : 0;
        }
        return loop;
    }

private:
    [[nodiscard]] std::uint32_t target(std::uint32_t branch) const {
        return function_.labels[function_.body[branch].operands[0].label].instruction;
    }

    [[nodiscard]] bool is_inside(std::uint32_t instruction) const {
        return first_ < instruction && instruction <= branch_;
    }

    /// Control comes in at the first instruction and goes out behind the last. Leaves in tail_
    /// where what every turn passes begins.
    bool is_closed() {
        for (const ptx::Label& label : function_.labels) {
            if (label.instruction == first_ && label.no_unroll) return false;
            if (is_inside(label.instruction)) tail_ = std::max(tail_, label.instruction);
        }
        for (const auto& [name, labels] : function_.branch_targets) {
            for (const ptx::LabelId label : labels) {
                if (is_inside(function_.labels[label].instruction)) return false;
            }
        }
        for (std::uint32_t i = 0; i < function_.body.size(); ++i) {
            const bool here = first_ <= i && i < branch_;
            if (!is_branch(function_.body[i])) {
                if (here && !only_reads(function_.body[i])) return false;
                continue;
            }
            if (i == branch_) continue;
            if (here && (target(i) <= i || !is_inside(target(i)))) return false;
            if (!here && is_inside(target(i))) return false;
            if (here) tail_ = std::max(tail_, i + 1);
        }
        return true;
    }

    /// The only instruction of the loop that writes a register, where it is in the tail.
    [[nodiscard]] std::optional<std::uint32_t> only_writer(ptx::RegisterId id) const {
        std::optional<std::uint32_t> writer;
        unsigned writers = 0;
        for (std::uint32_t i = first_; i < branch_; ++i) {
            for_each_definition(function_.body[i], [&](ptx::RegisterId written) {
                if (written != id) return;
                ++writers;
                writer = i;
            });
        }
        if (writers != 1 || *writer < tail_ || function_.body[*writer].guard) return std::nullopt;
        return writer;
    }

    [[nodiscard]] bool is_written(ptx::RegisterId id) const {
        bool written = false;
        for (std::uint32_t i = first_; i < branch_; ++i) {
            for_each_definition(function_.body[i], [&](ptx::RegisterId r) { written |= r == id; });
        }
        return written;
    }

    [[nodiscard]] bool is_read(ptx::RegisterId id) const {
        bool read = false;
        for (std::uint32_t i = first_; i < branch_; ++i) {
            for_each_use(function_.body[i], [&](ptx::RegisterId r) { read |= r == id; });
        }
        return read;
    }

    bool find_condition(CountedLoop& loop) {
        const auto at = only_writer(loop.again);
        if (!at || is_read(loop.again)) return false;
        condition_ = *at;
        const Instruction& setp = function_.body[condition_];
        if (setp.opcode != Opcode::setp || setp.operands.size() != 3 ||
            !is_register(setp.operands[0], loop.again) || !is_integer(setp.type())) {
            return false;
        }
        loop.comparison = setp.comparison;
        loop.type = setp.type();
        loop.bound = setp.operands[2];
        if (setp.operands[1].kind != Operand::Kind::reg) return false;
        loop.counter = setp.operands[1].reg;
        const bool constant = loop.bound.kind == Operand::Kind::immediate;
        return constant || (loop.bound.kind == Operand::Kind::reg && !is_written(loop.bound.reg));
    }

    bool find_step(CountedLoop& loop) const {
        const auto at = only_writer(loop.counter);
        if (!at || *at > condition_) return false;
        const Instruction& add = function_.body[*at];
        if (add.opcode != Opcode::add || add.carry_out || !is_integer(add.type()) ||
            ptx::bit_width(add.type()) != ptx::bit_width(loop.type) ||
            !is_register(add.operands[1], loop.counter) ||
            add.operands[2].kind != Operand::Kind::immediate) {
            return false;
        }
        const std::uint64_t bits = add.operands[2].bits;
        loop.step = ptx::bit_width(loop.type) == 32
                        ? static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))
                        : static_cast<std::int64_t>(bits);
        return leads_to_end(loop.comparison, loop.step);
    }

    const ptx::Function& function_;
    std::uint32_t first_, branch_;
    std::uint32_t tail_;  ///< from here to the branch every turn passes every instruction
    std::uint32_t condition_ = 0;
};

}  // namespace

bool is_global_load(const Instruction& instruction) {
    return instruction.opcode == Opcode::ld && instruction.space == ptx::Space::global;
}

std::vector<CountedLoop> counted_loops(const ptx::Function& function) {
    std::vector<CountedLoop> loops;
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
        const Instruction& branch = function.body[i];
        if (!is_branch(branch) || !branch.guard || branch.guard->negated) continue;
        const std::uint32_t first = function.labels[branch.operands[0].label].instruction;
        if (first > i) continue;
        if (auto loop = Candidate(function, first, i).recognise()) loops.push_back(*loop);
    }
    return loops;
}

}  // namespace wideload::simt
