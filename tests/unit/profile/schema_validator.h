// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wideload::profile::test {

/// What of a document a JSON Schema forbids, each with its place; empty where it is valid. Covers
/// the keywords that docs/profile.schema.json uses and reports any other, so that the schema cannot
/// outgrow its test.
[[nodiscard]] std::vector<std::string> violations(const nlohmann::json& schema,
                                                  const nlohmann::json& document);

}  // namespace wideload::profile::test
