// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "support/result.h"

/// What NVIDIA's profiler, ncu, counts of launches on a real GPU: how it is asked, and what it
/// answers.
namespace wideload::lab {

/// What ncu is asked to count.
enum class Asked : std::uint8_t {
    every_counter,  ///< each launch is run again for every few metrics
    dram            ///< what DRAM read and wrote: a launch is run once
};

/// ncu's own arguments, for counting every launch of a program; the program and its arguments come
/// behind.
/// @param log  where it writes its answer
[[nodiscard]] std::vector<std::string> ncu_arguments(const std::string& log,
                                                     Asked asked = Asked::every_counter);

/// The launches of such a log, in order, with the counters of profiles (docs/profile.md).
/// @param source  for the errors
[[nodiscard]] Result<profile::Profile> parse_ncu_log(std::string_view text,
                                                     const std::string& source);

/// The first error that ncu itself tells in its log; empty: none.
[[nodiscard]] std::string ncu_error(std::string_view log);

/// Whether an error of ncu says that this user may not read the GPU's counters.
[[nodiscard]] bool is_not_permitted(std::string_view error);

}  // namespace wideload::lab
