// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "lab/hardware_counters.h"
#include "lab/programs.h"
#include "lab/record.h"
#include "support/result.h"

namespace wideload::cli {

/// Runs experiments on this machine's GPU: timed with the documents' own sizes, and launched once
/// more under ncu, where there is one and it may read the GPU's counters; of what was timed the
/// largest points a third time, for what DRAM moved. What keeps it from counting is said once.
class DeviceLab {
public:
    explicit DeviceLab(const LabCommand& command);

    /// @param step  how far the whole run is: "[3 of 20] stride"
    /// @returns the timed outcome, the counted one, or both
    [[nodiscard]] Result<std::vector<lab::Outcome>> run(const lab::Program& program,
                                                        const std::string& step);
    /// Whether another experiment could be timed or counted: there is a GPU, as far as is known,
    /// and something to ask of it. Why not was said.
    [[nodiscard]] bool can_measure() const { return has_gpu_ && (wants_times_ || ncu_); }

private:
    /// Once, where ncu was not found.
    void say_no_ncu();
    [[nodiscard]] Result<lab::Outcome> time(const lab::Program& program);
    /// Nothing where counting ended for a reason that was said.
    [[nodiscard]] Result<std::optional<lab::Outcome>> count(const lab::Program& program);
    /// Gives a timed outcome the bytes that DRAM moved, where they can be counted.
    [[nodiscard]] Diagnostics add_dram_bytes(lab::Outcome& timed, const lab::Program& program);
    /// What a program launched under ncu, with what was asked of it. Nothing where counting ended
    /// for a reason that was said.
    [[nodiscard]] Result<std::optional<lab::Outcome>> run_under_ncu(
        const lab::Program& program, const std::vector<std::string>& arguments, lab::Asked asked);

    bool wants_times_, wants_counters_, shows_steps_;
    bool has_gpu_ = true;
    std::optional<std::filesystem::path> ncu_;
    Diagnostics why_no_ncu_;  ///< until it is said
};

}  // namespace wideload::cli
