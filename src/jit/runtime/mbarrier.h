// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "jit/abi.h"

/// What the host functions of mbarrier and of bulk copies share.
namespace wideload::jit {

/// What an instruction does to an mbarrier object; machine code passes it as a number.
enum class MbarrierStep : std::uint32_t {
    init,
    inval,
    arrive,
    arrive_drop,
    arrive_expect,  ///< expect_tx, then one arrival
    arrive_drop_expect,
    expect,
    complete,
};

/// One instruction of a warp, as far as failing it needs.
struct WarpPlace {
    BlockContext& block;
    std::uint32_t warp;
    std::uint32_t row;       ///< of its site; ~0 where it has none
    std::uint32_t ptx_line;  ///< where it has none
};

/// Where the block's memory holds the mbarrier at a shared or generic address. A misaligned or
/// illegal one ends the launch.
[[nodiscard]] std::byte* find_mbarrier(const WarpPlace& place, unsigned lane,
                                       std::uint64_t address);

/// Takes a step. One that no mbarrier allows ends the launch. @return the state before it
std::uint64_t step_mbarrier(const WarpPlace& place, unsigned lane, std::uint64_t address,
                            MbarrierStep step, std::uint32_t value);

/// Ends the launch for an operand that the instruction does not take.
[[noreturn]] void fail_operand(const WarpPlace& place, unsigned lane, std::string complaint);

}  // namespace wideload::jit
