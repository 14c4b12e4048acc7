// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "program.h"
#include "random_source.h"

namespace wideload::fuzz {

/// Values that all threads of a warp, or of a block, are known to share.
enum class Sharing : std::uint8_t { none, warp, block };

struct Range {
    std::int64_t least = 0, most = 0;
};

/// A register that statements may read.
struct Variable {
    RegisterId reg = 0;
    Type type = Type::b32;
    bool is_fixed = false;  ///< written once, before every statement that sees it
    Sharing sharing = Sharing::none;
    std::optional<Range> range;  ///< of its values in all threads; fixed ones only
};

/// An address at which only the thread itself reads and writes.
struct OwnPlace {
    RegisterId address = 0;
    Space space = Space::global;
    std::uint64_t bytes = 4;
};

/// Appends statements to a function and knows which registers may be read.
class Builder {
public:
    Builder(Kernel& kernel, RandomSource& random) : kernel_(kernel), random_(random) {}

    Kernel& kernel() { return kernel_; }
    RandomSource& random() { return random_; }

    /// Statements go to `body` until the returned value is given to leave().
    struct Position {
        Function* function;
        Statements* body;
        std::size_t variables, places;
    };
    Position enter(Function& function, Statements& body);
    void leave(const Position& position);
    Function& function() { return *function_; }

    RegisterId fresh(Type type);
    Statement& append(Statement::Kind kind);
    /// An operation whose result no random statement reads: addresses, conditions.
    RegisterId emit(std::string_view ptx, std::vector<Operand> sources);
    Statement& assign(RegisterId result, const Operation& operation, std::vector<Operand> sources);
    /// The same, visible from here on.
    Variable define(std::string_view ptx, std::vector<Operand> sources);
    void declare(const Variable& variable) { visible_.push_back(variable); }
    std::vector<Variable>& visible() { return visible_; }
    std::vector<OwnPlace>& places() { return places_; }

    /// A random operand that has a value.
    Operand operand(Type type);
    Operand immediate(Type type);
    /// A special register's or an immediate's value in a register; others as they are.
    Operand in_register(const Operand& operand, Type type = Type::b32);
    std::optional<Variable> variable(Type type, bool overwritable = false);
    std::optional<Variable> ranged_variable();
    [[nodiscard]] std::optional<Range> range_of(const Operand& operand) const;
    [[nodiscard]] Sharing sharing_of(const Operand& operand) const;
    [[nodiscard]] const Variable* find(RegisterId reg) const;
    unsigned add_site();

    bool in_irregular = false;

private:
    [[nodiscard]] std::optional<Range> range_of_special(Special special) const;

    Kernel& kernel_;
    RandomSource& random_;
    Function* function_ = nullptr;
    Statements* body_ = nullptr;
    std::vector<Variable> visible_;
    std::vector<OwnPlace> places_;
};

/// The range of an operation's result, where it is followed.
[[nodiscard]] std::optional<Range> result_range(const Operation& operation,
                                                const std::vector<std::optional<Range>>& sources);

}  // namespace wideload::fuzz
