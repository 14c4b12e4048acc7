// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/programs.h"
#include "lab/record.h"

namespace wideload::lab {

struct TerminalLook {
    bool colour = false;
    std::size_t columns = 100;
};

/// One line for each experiment.
[[nodiscard]] std::string terminal_list(const std::vector<Program>& programs,
                                        const TerminalLook& look);

/// An experiment for a reader: question, what was launched on what, the table, its first chart as
/// bars, the sentences, and every difference from the formulas.
[[nodiscard]] std::string terminal_text(const Outcome& outcome, const TerminalLook& look);

/// The kernels of all these experiments on the roofline of the GPU that they ran on, and what DRAM
/// moved of them where that was counted; empty where none can be placed.
[[nodiscard]] std::string roofline_text(const std::vector<Outcome>& outcomes,
                                        const TerminalLook& look);

}  // namespace wideload::lab
