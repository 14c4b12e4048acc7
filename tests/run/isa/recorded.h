// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

namespace wideload::isa {

/// A form that stands in no vector of hardware, by name: tests/data/isa_unrecorded.txt.
struct Unrecorded {
    std::string text, reason;
};
[[nodiscard]] const std::map<std::string, Unrecorded>& unrecorded_forms();

/// The mnemonics of all statements that the tests execute: "add.rn.f32". Those of forms that were
/// run on hardware, and of those that are listed as not.
[[nodiscard]] const std::set<std::string, std::less<>>& executed_mnemonics();

}  // namespace wideload::isa
