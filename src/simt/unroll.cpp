// SPDX-License-Identifier: Apache-2.0
#include "simt/unroll.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ptx/rewrite.h"

namespace wideload::simt {
namespace {

using ptx::Comparison;
using ptx::Function;
using ptx::Guard;
using ptx::immediate_operand;
using ptx::Instruction;
using ptx::LabelId;
using ptx::Opcode;
using ptx::Operand;
using ptx::register_operand;
using ptx::RegisterId;
using ptx::Type;

constexpr unsigned kTurnsAtATime = 4, kTurnsAfterThose = 2;
/// A loop that is this long is compiled eight times only at a price that no count is worth.
constexpr std::uint32_t kLongestBody = 512;
/// Each may be unrolled in two ways or not at all; more are not told apart.
constexpr std::size_t kMostLoops = 10;

std::int64_t widened(std::uint64_t bits, Type type) {
    switch (type) {
        case Type::s32:
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
        case Type::u32:
            return static_cast<std::uint32_t>(bits);
        default:
            return static_cast<std::int64_t>(bits);
    }
}

/// Names what it adds with an `@`, which no PTX identifier holds.
class Unroller {
public:
    Unroller(Function& function, const CountedLoop& loop)
        : function_(function),
          loop_(loop),
          body_(function.body.begin() + loop.first, function.body.begin() + loop.last),
          turns_(add_register("%turns", Type::b64)),
          test_(add_register("%test", Type::pred)) {
        four_ = add_label("@four");
        two_ = add_label("@two");
        one_ = add_label("@one");
        end_ = add_label("@end");
    }

    void run() {
        count_turns();
        add_several();
        insert();
    }

private:
    RegisterId add_register(const char* name, Type type) {
        return ptx::add_register(function_, fmt::format("{}@{}", name, function_.registers.size()),
                                 type);
    }
    /// Its place is that of the next instruction.
    LabelId add_label(const char* name) {
        return ptx::add_label(function_, fmt::format("{}{}", name, function_.labels.size()),
                              place());
    }
    void place_label(LabelId label) { function_.labels[label].instruction = place(); }
    [[nodiscard]] std::uint32_t place() const {
        return loop_.first + static_cast<std::uint32_t>(code_.size());
    }

    Instruction& add(Opcode opcode, const char* mnemonic, Type type,
                     std::vector<Operand> operands) {
        Instruction instruction = ptx::instruction_at(body_.back(), opcode, mnemonic);
        instruction.types[0] = type;
        instruction.operands = std::move(operands);
        instruction.added = true;
        return code_.emplace_back(std::move(instruction));
    }
    void add_comparison(RegisterId result, Comparison comparison, Type type, Operand left,
                        Operand right) {
        add(Opcode::setp, "setp", type,
            {register_operand(result), std::move(left), std::move(right)})
            .comparison = comparison;
    }
    void add_branch(Guard guard, LabelId target) {
        code_.push_back(ptx::branch_at(body_.back(), guard, target));
        code_.back().added = true;
    }

    /// A register or constant of the comparison's type, as 64 bits.
    Operand widen(const Operand& operand) {
        if (operand.kind == Operand::Kind::immediate) {
            return immediate_operand(static_cast<std::uint64_t>(widened(operand.bits, loop_.type)));
        }
        if (ptx::bit_width(loop_.type) == 64) return operand;
        const Operand wide = register_operand(add_register("%wide", Type::b64));
        add(Opcode::cvt, "cvt", ptx::is_signed(loop_.type) ? Type::s64 : Type::u64, {wide, operand})
            .types[1] = loop_.type;
        return wide;
    }

    /// How many turns lie ahead, by the distance from the bound: those, at least, for which the
    /// counter neither meets it nor wraps. None where another turn hangs on wrapping alone: the
    /// first is then taken by the loop as it was.
    void count_turns() {
        const Operand turns = register_operand(turns_);
        const bool up = loop_.step > 0;
        const std::uint64_t step =
            up ? static_cast<std::uint64_t>(loop_.step) : -static_cast<std::uint64_t>(loop_.step);
        const Operand counter = register_operand(loop_.counter);
        Operand from = widen(counter), to = widen(loop_.bound);
        if (!up) std::swap(from, to);
        add(Opcode::sub, "sub", Type::u64, {turns, to, from});
        const bool inclusive =
            loop_.comparison == Comparison::le || loop_.comparison == Comparison::ge;
        const bool exact = loop_.comparison == Comparison::ne;
        const std::uint64_t round_up = exact ? 0 : step - 1 + (inclusive ? 1 : 0);
        add(Opcode::add, "add", Type::u64, {turns, turns, immediate_operand(round_up)});
        add(Opcode::div, "div", Type::u64, {turns, turns, immediate_operand(step)});
        const Comparison ahead = exact ? (up ? Comparison::lt : Comparison::gt) : loop_.comparison;
        add_comparison(test_, ahead, loop_.type, counter, loop_.bound);
        add(Opcode::selp, "selp", Type::u64,
            {turns, turns, immediate_operand(0), register_operand(test_)});
        // The first turn is taken whatever the condition.
        add_comparison(loop_.again, Comparison::eq, Type::u32, immediate_operand(0),
                       immediate_operand(0));
    }

    /// One turn, whose branch goes on behind it.
    void add_turn() {
        const std::uint32_t begin = place();
        std::map<LabelId, LabelId> labels;
        for (LabelId label = 0; label < four_; ++label) {
            const std::uint32_t at = original_[label];
            if (at <= loop_.first || at >= loop_.last) continue;
            labels[label] = add_label("@copy");
            function_.labels[labels[label]].instruction = begin + at - loop_.first;
        }
        for (Instruction instruction : body_) {
            if (instruction.opcode == Opcode::bra) {
                const auto inside = labels.find(instruction.operands[0].label);
                if (inside != labels.end()) instruction.operands[0].label = inside->second;
            }
            code_.push_back(std::move(instruction));
        }
        code_.back().operands[0].label = add_label("@next");
    }

    void add_several() {
        for (const ptx::Label& label : function_.labels) original_.push_back(label.instruction);
        const Operand turns = register_operand(turns_);
        const auto fewer_than = [&](unsigned count) {
            add_comparison(test_, Comparison::lt, Type::u64, turns, immediate_operand(count));
        };
        fewer_than(kTurnsAtATime);
        add_branch({test_, false}, two_);
        place_label(four_);
        for (unsigned turn = 0; turn < kTurnsAtATime; ++turn) add_turn();
        Instruction back = std::move(code_.back());
        code_.pop_back();
        add(Opcode::sub, "sub", Type::u64, {turns, turns, immediate_operand(kTurnsAtATime)});
        fewer_than(kTurnsAtATime);
        back.guard = Guard{test_, true};
        back.operands[0].label = four_;
        code_.push_back(std::move(back));
        place_label(two_);
        fewer_than(kTurnsAfterThose);
        const LabelId rest = add_label("@rest");
        add_branch({test_, false}, rest);
        for (unsigned turn = 0; turn < kTurnsAfterThose; ++turn) add_turn();
        place_label(rest);
        add_branch({loop_.again, true}, end_);
        place_label(one_);
    }

    /// The new code stands in front of the loop, which takes the turns that are left.
    void insert() {
        const auto size = static_cast<std::uint32_t>(code_.size());
        for (LabelId label = 0; label < four_; ++label) {
            if (original_[label] > loop_.first) function_.labels[label].instruction += size;
        }
        function_.labels[end_].instruction = loop_.last + size;
        function_.body[loop_.last - 1].operands[0].label = one_;
        function_.body.insert(function_.body.begin() + loop_.first,
                              std::make_move_iterator(code_.begin()),
                              std::make_move_iterator(code_.end()));
    }

    Function& function_;
    const CountedLoop& loop_;
    std::vector<Instruction> body_;
    std::vector<Instruction> code_;
    std::vector<std::uint32_t> original_;  ///< where labels were, by number
    RegisterId turns_, test_;
    LabelId four_ = 0, two_ = 0, one_ = 0, end_ = 0;
};

/// Finds the loops whose copies make up for a number of loads.
class Explanation {
public:
    explicit Explanation(const std::vector<CountedLoop>& loops) : loops_(loops) {}

    /// @return which loops are unrolled, where there is one answer only
    std::vector<CountedLoop> of(std::uint64_t loads) {
        search(0, loads);
        std::vector<CountedLoop> unrolled;
        if (found_.size() != 1) return unrolled;
        for (std::size_t l = 0; l < loops_.size(); ++l) {
            if (((*found_.begin() >> l) & 1) != 0) unrolled.push_back(loops_[l]);
        }
        return unrolled;
    }

private:
    /// Tries every choice among the loops from this one on.
    void search(std::size_t loop, std::uint64_t loads) {
        if (loads == 0) found_.insert(chosen_);
        if (loads == 0 || loop == loops_.size()) return;
        search(loop + 1, loads);
        for (const std::uint64_t copies : {6u, 7u}) {
            const std::uint64_t its = copies * loops_[loop].global_loads;
            if (its > loads) continue;
            chosen_ |= std::uint64_t{1} << loop;
            search(loop + 1, loads - its);
            chosen_ &= ~(std::uint64_t{1} << loop);
        }
    }

    const std::vector<CountedLoop>& loops_;
    std::uint64_t chosen_ = 0;  ///< a bit for each loop
    std::set<std::uint64_t> found_;
};

}  // namespace

void unroll(Function& function, const CountedLoop& loop) { Unroller(function, loop).run(); }

std::vector<CountedLoop> loops_unrolled_in_machine_code(const Function& function,
                                                        std::uint32_t machine_loads) {
    const auto loads =
        static_cast<std::uint32_t>(std::ranges::count_if(function.body, is_global_load));
    if (machine_loads <= loads) return {};
    std::vector<CountedLoop> loops = counted_loops(function);
    std::erase_if(loops, [](const CountedLoop& loop) {
        return loop.global_loads == 0 || loop.last - loop.first > kLongestBody;
    });
    if (loops.size() > kMostLoops) return {};
    return Explanation(loops).of(machine_loads - loads);
}

}  // namespace wideload::simt
