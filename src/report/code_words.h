// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sass/kernel_code.h"

namespace wideload::report {

/// "16 registers, no spills, no stack, 1,024 B shared, 1 barrier, 548 B constant"
[[nodiscard]] std::string resource_words(const sass::KernelCode& kernel);

/// "spills: 3 stores (12 B) and 5 loads (20 B)"
[[nodiscard]] std::string spill_words(const sass::SpillTotals& spills);

/// "52 instructions: 20 integer, 14 control, 6 global"
[[nodiscard]] std::string mix_words(const sass::KernelCode& kernel);

/// "global load"; "spill store" of what puts a register aside
[[nodiscard]] std::string access_words(const sass::Access& access);

}  // namespace wideload::report
