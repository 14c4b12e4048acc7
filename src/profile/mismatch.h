// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace wideload::profile {

/// Adds those of `times` equal launches, or of other copies of the same instruction: counts are
/// sums, the first is that of `sum`.
void add_mismatches(std::vector<Mismatch>& sum, std::span<const Mismatch> part,
                    std::uint64_t times);

/// "lane 5", "lanes 0 to 3 and 16 to 31"
[[nodiscard]] std::string lanes_in_words(std::uint32_t lanes);

/// What is wrong, as one sentence without a full stop, and what to do about it.
[[nodiscard]] std::string describe(const Mismatch& mismatch);
[[nodiscard]] std::string fix(const Mismatch& mismatch);

}  // namespace wideload::profile
