// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload {

/// The greatest common divisor; 0 only for (0, 0).
template <class Integer>
WIDELOAD_HOST_DEVICE constexpr Integer greatest_common_divisor(Integer a, Integer b) {
    while (b != 0) {
        const Integer remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

/// The largest power of two that divides `value`; 0 for 0.
template <class Integer>
WIDELOAD_HOST_DEVICE constexpr Integer lowest_power_of_two(Integer value) {
    return value & (~value + 1);
}

WIDELOAD_HOST_DEVICE constexpr bool is_power_of_two(std::size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/// The least power of two that is not below `value`, which is at least 1.
WIDELOAD_HOST_DEVICE constexpr int power_of_two_from(int value) {
    int power = 1;
    while (power < value) power *= 2;
    return power;
}

/// The quotient rounded up. `divisor` must not be 0.
template <class Integer>
WIDELOAD_HOST_DEVICE constexpr Integer divide_up(Integer value, Integer divisor) {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

/// The inverse of an odd `value` modulo a power of two `modulus`, by Newton's iteration.
WIDELOAD_HOST_DEVICE constexpr unsigned inverse_modulo_power_of_two(unsigned value,
                                                                    unsigned modulus) {
    unsigned inverse = 1;
    for (int step = 0; step < 5; ++step) inverse *= 2 - value * inverse;
    return inverse & (modulus - 1);
}

}  // namespace wideload
