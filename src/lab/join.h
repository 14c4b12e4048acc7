// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/record.h"
#include "profile/profile.h"
#include "support/result.h"

namespace wideload::lab {

/// Gives each point the counters of its launches: those between the program's two marks.
/// @returns what did not fit: points without launches, marks without points
[[nodiscard]] Diagnostics join(Results& results, const profile::Profile& profile);

/// Tells timed points, whose launches nobody saw, which kernel they launched: that of the counted
/// point of equal parameters, or of their series where it has only one kernel (sizes may differ).
void name_kernels(Results& timed, const Results& counted);

/// A counter that is not what its formula says, or a result that is wrong.
struct Difference {
    std::size_t point = 0;
    std::string counter;  ///< empty: the program found its own result wrong
    std::uint64_t expected = 0;
    std::optional<std::uint64_t> found;  ///< nothing: it was not counted
};

/// Every difference between what points expect and what was counted: exactly on the virtual GPU,
/// where no lower bound is all that a launch gives; on
/// hardware what PTX and machine code have alike. Points without joined
/// counters (a run that was only timed) are held to their results alone.
[[nodiscard]] std::vector<Difference> differences(const Results& results);

/// How many counters differences() looks at.
[[nodiscard]] std::size_t checked_counts(const Results& results);

/// "neighbours read 128 bytes apart, 262,144 elements: global_ld_sectors is 5, expected 4 (warps ×
/// 4)"
[[nodiscard]] std::string words(const Difference& difference, const Outcome& outcome);

}  // namespace wideload::lab
