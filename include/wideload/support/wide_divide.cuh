// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload {

/// As `fast_divide`, for 64-bit values: the high half of one product, and one correction. Dividends
/// must be below 2^63. Device code only; the constructor is the host's too.
class wide_divide {
public:
    using value_type = std::uint64_t;

    wide_divide() = default;
    /// @param divisor  1 to 2^62
    WIDELOAD_HOST_DEVICE explicit wide_divide(std::uint64_t divisor)
        : divisor_(divisor), multiplier_(UINT64_MAX / divisor) {}
    WIDELOAD_HOST_DEVICE std::uint64_t divisor() const { return divisor_; }
    WIDELOAD_DEVICE std::uint64_t quotient(std::uint64_t value) const {
        std::uint64_t quotient = 0;
        remainder(value, &quotient);
        return quotient;
    }
    /// `value` modulo the divisor; `*quotient_out` receives the quotient.
    WIDELOAD_DEVICE std::uint64_t remainder(std::uint64_t value,
                                            std::uint64_t* quotient_out) const {
        // The multiplier is short of 2^64 / divisor by at most 1, so the estimate is short by at
        // most 1.
        std::uint64_t estimate = __umul64hi(value, multiplier_);
        std::uint64_t rest = value - estimate * divisor_;
        if (rest >= divisor_) {
            rest -= divisor_;
            ++estimate;
        }
        *quotient_out = estimate;
        return rest;
    }

private:
    std::uint64_t divisor_ = 1;
    std::uint64_t multiplier_ = UINT64_MAX;
};

/// `value` modulo the divisor of a `fast_divide` or `wide_divide`.
template <class Divide>
WIDELOAD_DEVICE typename Divide::value_type modulo(const Divide& divide,
                                                   typename Divide::value_type value) {
    typename Divide::value_type quotient;
    return divide.remainder(value, &quotient);
}

}  // namespace wideload
