// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "form.h"

namespace wideload::isa {

/// One execution of a form's text in its kernel.
struct Section {
    enum class Lanes {
        all,
        guarded,   ///< @p in front of the instruction
        branched,  ///< inside a branch
    };
    std::string name;
    std::vector<bool> uniform;  ///< by operand: all lanes of a warp have the same value
    Lanes lanes = Lanes::all;
    std::optional<Bits> literal;  ///< in place of the operand that the form's literals name
};

[[nodiscard]] std::vector<Section> sections_of(const Form& form);

/// What results hold before an instruction that not every lane executes.
[[nodiscard]] Bits sentinel(std::string_view type);

inline constexpr std::uint32_t kBlocks = 64, kThreads = 64;
inline constexpr std::uint32_t kAllThreads = kBlocks * kThreads, kAllWarps = kAllThreads / kLanes;
inline constexpr char kKernelName[] = "instruction";

/// The kernel, `.entry instruction(varying, uniform, masks, results)`: all arrays of 8-byte
/// elements; varying[operand][thread] with one operand more that is 1 where the thread executes
/// partial sections, uniform[operand][warp], masks[warp] the same as bits,
/// results[section][result][thread].
[[nodiscard]] std::string kernel_text(const Form& form, const std::vector<Section>& sections);

}  // namespace wideload::isa
