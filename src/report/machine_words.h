// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/fold.h"

/// What machine code adds to a profile's report.
namespace wideload::report {

/// "sm_90: 16 registers, no spills; global 4 B × 2, 16 B × 1, shared 4 B × 3"
[[nodiscard]] std::string machine_words(const profile::MachineCode& code);

/// "LDG.E.128 × 4": the machine instructions that carry a site; empty where there are none or where
/// it is unknown.
[[nodiscard]] std::string carrier_words(const FoldedSite& site, const profile::MachineCode& code);

/// Whether the machine code carries a site otherwise than PTX has it: in more, fewer, wider or
/// narrower instructions.
[[nodiscard]] bool is_carried_otherwise(const FoldedSite& site, const profile::MachineCode& code);

}  // namespace wideload::report
