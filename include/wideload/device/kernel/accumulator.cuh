// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/operations.cuh>
#include <wideload/warp/redux.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Operations that are known to take no registers to speak of.
template <class Result, class Operation>
inline constexpr bool kLightOperation =
    std::is_arithmetic_v<Result> &&
    (std::is_same_v<Operation, plus> || warp::detail::kIsExtremum<Operation>);

/// A running combination that may still be empty. Operations with an identity start from that
/// instead.
template <class Result, class Operation>
class Accumulator {
public:
    WIDELOAD_DEVICE Accumulator() {
        if constexpr (kIdentity) value_ = Operation::template identity<Result>();
    }
    WIDELOAD_DEVICE void add(const Result& value, Operation& operation) {
        if constexpr (kIdentity) {
            value_ = operation(value_, value);
        } else {
            value_ = has_value_ ? static_cast<Result>(operation(value_, value)) : value;
            has_value_ = true;
        }
    }
    WIDELOAD_DEVICE void add(const Accumulator& other, Operation& operation) {
        if (kIdentity || other.has_value_) add(other.value_, operation);
    }
    WIDELOAD_DEVICE const Result& value() const { return value_; }

private:
    static constexpr bool kIdentity = has_identity<Operation, Result>::value;
    Result value_;
    bool has_value_ = false;
};

}  // namespace wideload::WIDELOAD_DETAIL
