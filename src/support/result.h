// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "support/diagnostic.h"

namespace wideload {

/// A value, or the diagnostics that say why there is none. Never both.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::move(value)) {}                        // NOLINT(*-explicit-*)
    Result(Diagnostics diagnostics) : state_(std::move(diagnostics)) {}  // NOLINT(*-explicit-*)
    Result(Diagnostic diagnostic)                                        // NOLINT(*-explicit-*)
        : state_(Diagnostics{std::move(diagnostic)}) {}

    [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] T& value() & { return std::get<T>(state_); }
    [[nodiscard]] const T& value() const& { return std::get<T>(state_); }
    [[nodiscard]] T&& value() && { return std::get<T>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// Only where !ok().
    [[nodiscard]] const Diagnostics& errors() const { return std::get<Diagnostics>(state_); }

private:
    std::variant<T, Diagnostics> state_;
};

/// A one-message failure without a place in a text.
inline Diagnostic failure(std::string message, std::string hint = {}) {
    return Diagnostic{{}, std::move(message), {}, std::move(hint)};
}

}  // namespace wideload
