// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace wideload::isa {

/// What hardware computed for a form: tests/data/isa_h200.txt.
struct GoldenRow {
    std::string text;
    std::uint64_t digest = 0;  ///< FNV-1a of all results
    std::string first;         ///< results in hexadecimal, parted by blanks
};
/// By the forms' names.
[[nodiscard]] const std::map<std::string, GoldenRow>& golden_rows();

/// A form that stands in no vector of hardware, by name: tests/data/isa_unrecorded.txt.
struct Unrecorded {
    std::string text, reason;
};
[[nodiscard]] const std::map<std::string, Unrecorded>& unrecorded_forms();

/// The names in either list of the forms of a test ("Integer.Addition") from a number on.
[[nodiscard]] std::vector<std::string> listed_forms(const std::string& test, unsigned from);

/// The mnemonics of all statements that the tests execute: "add.rn.f32". Those of forms that were
/// run on hardware, and of those that are listed as not.
[[nodiscard]] const std::set<std::string, std::less<>>& executed_mnemonics();

}  // namespace wideload::isa
