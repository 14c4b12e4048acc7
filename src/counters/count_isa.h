// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "counters/count.h"

/// What count.cpp chooses from. Each is compiled with its extension's flags; on other hosts those
/// of x86-64 are missing.
namespace wideload::counters {

[[nodiscard]] const CountFunctions& portable_count_functions();
[[nodiscard]] const CountFunctions& avx2_count_functions();
[[nodiscard]] const CountFunctions& avx512_count_functions();

}  // namespace wideload::counters
