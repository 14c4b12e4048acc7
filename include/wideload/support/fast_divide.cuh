// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload {

/// Division of 32-bit values by a number that is known before the launch but not at compile time:
/// one multiplication and one shift. Dividends must be below 2^31. Source: Granlund and Montgomery,
/// "Division by invariant integers using multiplication", PLDI 1994.
class fast_divide {
public:
    using value_type = std::uint32_t;

    fast_divide() = default;
    /// @param divisor  1 to 2^31
    WIDELOAD_HOST_DEVICE explicit fast_divide(std::uint32_t divisor) : divisor_(divisor) {
        while ((std::uint64_t{1} << shift_) < divisor) ++shift_;
        multiplier_ = static_cast<std::uint32_t>(
            ((std::uint64_t{1} << (31 + shift_)) + divisor - 1) / divisor);
    }
    WIDELOAD_HOST_DEVICE std::uint32_t divisor() const { return divisor_; }
    WIDELOAD_HOST_DEVICE std::uint32_t quotient(std::uint32_t value) const {
        return static_cast<std::uint32_t>((static_cast<std::uint64_t>(value) * multiplier_) >>
                                          (31 + shift_));
    }
    /// `value` modulo the divisor; `*quotient_out` receives the quotient.
    WIDELOAD_HOST_DEVICE std::uint32_t remainder(std::uint32_t value,
                                                 std::uint32_t* quotient_out) const {
        *quotient_out = quotient(value);
        return value - *quotient_out * divisor_;
    }

private:
    std::uint32_t divisor_ = 1;
    std::uint32_t multiplier_ = 1u << 31;
    std::uint32_t shift_ = 0;
};

}  // namespace wideload
