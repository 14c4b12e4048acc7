// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "report/fold.h"

/// What machine code adds to a profile's report.
namespace wideload::report {

/// "sm_90: 16 registers, no spills; global 4 B × 2, 16 B × 1, shared 4 B × 3"
[[nodiscard]] std::string machine_words(const profile::MachineCode& code);

/// How machine code does what a site does in PTX.
enum class Carriage : std::uint8_t {
    unknown,     ///< its instructions are not known to be of this PTX's lines
    as_in_ptx,   ///< one instruction of the site's width for each of PTX
    otherwise,   ///< more, fewer, wider or narrower ones
    by_another,  ///< none of its lines, but ptxas may have put it into one of another line
    by_none,     ///< ptxas found that it is not needed
};
[[nodiscard]] Carriage carriage(const FoldedSite& site, const profile::MachineCode& code);

/// "LDG.E.128 × 4", the instructions at the site's lines; empty where none is there.
[[nodiscard]] std::string carrier_words(const FoldedSite& site, const profile::MachineCode& code);

/// "LDG.E.128 × 4 for 16 instructions of PTX"; empty where that is unknown.
[[nodiscard]] std::string carriage_words(const FoldedSite& site, const profile::MachineCode& code);

}  // namespace wideload::report
