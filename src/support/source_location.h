// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace wideload {

/// A place in a text: 1-based line and column; 0 means unknown.
struct SourceLocation {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    auto operator<=>(const SourceLocation&) const = default;
};

}  // namespace wideload
