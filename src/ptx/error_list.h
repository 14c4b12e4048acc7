// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ptx/token.h"
#include "support/diagnostic.h"

namespace wideload::ptx {

/// The errors found in one text, each with its source line, up to a limit beyond which more would
/// only be noise.
class ErrorList {
public:
    static constexpr std::size_t kLimit = 20;

    ErrorList(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

    void add(const Token& where, std::string message, std::string hint = {});
    /// One whose line and column are known, but not yet its text.
    void add(Diagnostic diagnostic);

    [[nodiscard]] bool empty() const { return errors_.empty(); }
    [[nodiscard]] bool full() const { return errors_.size() >= kLimit; }
    [[nodiscard]] Diagnostics take() { return std::move(errors_); }

private:
    [[nodiscard]] std::string line_around(std::size_t position, std::uint32_t column) const;
    [[nodiscard]] std::size_t start_of_line(std::uint32_t line) const;

    std::string_view text_;
    std::string name_;
    Diagnostics errors_;
};

}  // namespace wideload::ptx
