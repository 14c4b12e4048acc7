// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wideload::sass {

/// What an instruction is for: the classes of the instruction mix. Of memory, the address space.
enum class Category : std::uint8_t {
    global,
    generic,  ///< through a pointer of no known space
    shared,
    local,
    constant,
    texture,  ///< and surfaces
    tensor,   ///< matrix multiplication
    fp64,
    fp32,
    fp16,
    integer,  ///< and logic
    conversion,
    special,  ///< reciprocals, roots, sines
    move,     ///< selections and permutations too
    warp,     ///< shuffles, votes, reductions of a warp
    control,
    synchronization,
    other,  ///< not in the table
};
inline constexpr std::size_t kCategories = static_cast<std::size_t>(Category::other) + 1;

/// "global", "integer"
[[nodiscard]] std::string_view name(Category category);

/// What a memory instruction does there.
enum class Action : std::uint8_t {
    none,
    load,
    store,
    atomic,
    reduce,  ///< an atomic whose result is not asked for
    copy,    ///< global to shared memory past the registers (LDGSTS), or a block of memory (UBLKCP)
};

/// "load"
[[nodiscard]] std::string_view name(Action action);

struct Opcode {
    Category category = Category::other;
    Action action = Action::none;
    /// That one lane moves; 0 where registers or a descriptor say how many, and of what is no
    /// memory access.
    std::uint32_t bytes = 0;

    [[nodiscard]] bool accesses_memory() const { return action != Action::none; }
};

/// @param opcode as nvdisasm spells it, with its modifiers: "LDG.E.128.CONSTANT"
[[nodiscard]] Opcode classify(std::string_view opcode);

/// Of one of the accesses of a kernel: whether `space` is reported line by line.
[[nodiscard]] constexpr bool is_listed(Category space) {
    return space == Category::global || space == Category::generic || space == Category::shared ||
           space == Category::local;
}

}  // namespace wideload::sass
