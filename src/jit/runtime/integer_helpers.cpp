// SPDX-License-Identifier: Apache-2.0
// Integer operations on 32 lanes that no vector instruction offers. Lanes that do not execute hold
// anything.
#include <array>
#include <cstdint>

#include "jit/abi.h"
#include "jit/runtime/helpers.h"

namespace wideload::jit {
namespace {

/// Divisors are not 0, and none is -1 where the dividend is the smallest integer.
template <class T>
void divide(T* quotient, const T* a, const T* b) {
    for (unsigned lane = 0; lane < kLanes; ++lane) quotient[lane] = a[lane] / b[lane];
}

/// fns: the position of the |offset|-th set bit of `mask` from bit `base` on, upwards or downwards.
std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
    constexpr std::uint32_t kNotFound = ~0u;
    if (base >= 32) return kNotFound;
    if (offset == 0) return (mask >> base & 1) != 0 ? base : kNotFound;
    const int step = offset > 0 ? 1 : -1;
    std::int64_t missing = offset > 0 ? std::int64_t{offset} : -std::int64_t{offset};
    for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step) {
        if ((mask >> position & 1) != 0 && --missing == 0)
            return static_cast<std::uint32_t>(position);
    }
    return kNotFound;
}

void find_nth_set_lanes(std::uint32_t* result, const std::uint32_t* mask, const std::uint32_t* base,
                        const std::int32_t* offset) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        result[lane] = find_nth_set(mask[lane], base[lane], offset[lane]);
    }
}

}  // namespace

std::span<const Helper> integer_helpers() {
    static const std::array table = {
        helper("wl_divide_u64", &divide<std::uint64_t>),
        helper("wl_divide_s64", &divide<std::int64_t>),
        helper("wl_find_nth_set", &find_nth_set_lanes),
    };
    return table;
}

}  // namespace wideload::jit
