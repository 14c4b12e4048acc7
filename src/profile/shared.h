// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace wideload::profile {

/// A T that its copies share until one of them is changed, so that ten thousand equal launches take
/// the memory of one. Copies may be read from several threads at a time, as those of a T may.
template <class T>
class Shared {
public:
    Shared() = default;
    Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}

    const T& operator*() const {
        static const T kEmpty{};
        return value_ ? *value_ : kEmpty;
    }
    const T* operator->() const { return &**this; }

    /// This copy's own, to change; what the others share stays as it is.
    T& own() {
        if (!value_) {
            value_ = std::make_shared<T>();
        } else if (value_.use_count() > 1) {
            value_ = std::make_shared<T>(*value_);
        }
        return *value_;
    }

    /// Shares the other's from now on where both are equal.
    void join(const Shared& other) {
        if (*this == other) value_ = other.value_;
    }

    /// Whether it was ever given a value.
    explicit operator bool() const { return value_ != nullptr; }

    /// The same for those that share; null of an empty one.
    [[nodiscard]] const T* identity() const { return value_.get(); }

    bool operator==(const Shared& other) const {
        return value_ == other.value_ || **this == *other;
    }

private:
    std::shared_ptr<T> value_;
};

}  // namespace wideload::profile
