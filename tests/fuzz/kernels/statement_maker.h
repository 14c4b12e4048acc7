// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "builder.h"
#include "generator.h"

namespace wideload::fuzz {

/// Random statements, and what they must respect where they stand.
class StatementMaker {
public:
    StatementMaker(Kernel& kernel, RandomSource& random, Stage stage, bool is_large);

    /// The kernel's entry and functions, complete.
    void make_kernel();

private:
    /// Where statements stand.
    struct Place {
        bool all_threads = true;         ///< every thread of the block that still runs is here
        std::optional<Operand> members;  ///< the lanes of the warp that are here, where known
        unsigned loops = 0;              ///< around it, that may be left
        unsigned depth = 0;
        bool in_function = false;
        bool may_leave_function = true;
    };

    // generator.cpp
    void make_function();
    void make_prologue();
    void make_indices();
    void make_epilogue();
    void make_statements(unsigned count, const Place& place);
    void make_statement(const Place& place);
    void make_operation();
    std::optional<Guard> random_guard(unsigned percent);
    /// A value of which every bit is known: which NaN an operation on f64 makes is open, so none
    /// may become data.
    Operand settled(const Operand& operand, Type type);
    Operand condition();
    Operand shared_condition(Sharing sharing);

    // memory_statements.cpp
    struct Access {
        unsigned element_bytes, width;
        [[nodiscard]] unsigned bytes() const { return element_bytes * width; }
    };
    Access random_access(unsigned most_bytes);
    /// @return the first element's register
    RegisterId load(Space space, RegisterId address, std::int64_t offset, const Access& access,
                    std::optional<Guard> guard, std::string modifier = {});
    void store(Space space, RegisterId address, std::int64_t offset, const Access& access,
               std::optional<Guard> guard, std::string modifier = {});
    Operand index();
    void load_input();
    void load_input_checked();
    void load_input_masked();
    void load_constant();
    void access_local();
    void load_shared();
    void access_own();
    OwnPlace new_output_place();
    void store_by_one_thread();
    RegisterId shared_address(const Operand& byte_offset, std::uint64_t start);

    // control_statements.cpp
    void make_branch(const Place& place);
    void make_loop(const Place& place);
    void make_choice(const Place& place);
    void make_irregular(const Place& place);
    void make_leave(const Place& place);
    void make_leave_loop(const Place& place);
    Statements make_body(unsigned count, const Place& place,
                         const std::function<void()>& first = {});

    // warp_statements.cpp
    void make_collective(const Place& place);
    void make_shuffle(const Operand& members);
    void make_exchange();
    void make_reduction();
    void make_call(const Place& place);

    Kernel& kernel_;
    RandomSource& random_;
    Stage stage_;
    bool is_large_;
    bool prefers_f32_;  ///< half of its operations make f32
    Builder b_;

    // What every statement may use; in functions they are absent.
    Variable input_, output_, totals_;
    Variable thread_, block_thread_, warp_, lane_;  ///< of the grid, of the block; within
    bool uses_shared_ = false, uses_local_ = false;
    unsigned slot_bytes_ = 4;  ///< of a thread in each of the two shared arrays
    unsigned leaves_ = 0;
    unsigned budget_ = 0;  ///< statements still to make
    std::uint64_t threads_ = 0;
    struct Callee {
        bool is_converged;  ///< all lanes must come
    };
    std::vector<Callee> callees_;
};

}  // namespace wideload::fuzz
