// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/record.h"

namespace wideload::lab {

/// Results as comma-separated values, a row for each point: what it is, its time where it was
/// taken, its facts, its counters (those of single sites left out), and its notes. Lines that begin
/// with # in front describe the machines.
[[nodiscard]] std::string csv(const std::vector<Outcome>& outcomes);

}  // namespace wideload::lab
