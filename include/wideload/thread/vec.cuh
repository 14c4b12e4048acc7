// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>

namespace wideload {

/// The alignment that `Count` elements of `ElementBytes` bytes have when they lie one behind the
/// other from an address aligned for all of them: the largest power of two in their size, 32 at
/// most.
WIDELOAD_HOST_DEVICE constexpr std::size_t packed_alignment(std::size_t element_bytes,
                                                            std::size_t count) {
    const std::size_t power = lowest_power_of_two(element_bytes * count);
    return power < 32 ? power : 32;
}

/// `Elements` consecutive elements of a trivially copyable `T`, aligned so that they move with the
/// widest access that their size allows: `vec<float, 4>` is one 16-byte access, `vec<float, 3>`
/// three of 4 bytes, `vec<float, 8>` one of 32 bytes on sm_100 and two of 16 before.
template <class T, int Elements>
struct alignas(packed_alignment(sizeof(T), Elements) > alignof(T)
                   ? packed_alignment(sizeof(T), Elements)
                   : alignof(T)) vec {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::vec moves raw bytes: its element type must be trivially copyable");
    static_assert(Elements >= 1, "wideload::vec needs at least one element");

    using value_type = T;
    static constexpr int kSize = Elements;

    T values[Elements];

    WIDELOAD_HOST_DEVICE T& operator[](int index) { return values[index]; }
    WIDELOAD_HOST_DEVICE const T& operator[](int index) const { return values[index]; }
};

/// Applies `function` to each element and returns the results as a vector of the same length.
template <class T, int Elements, class Function>
WIDELOAD_DEVICE auto map(const vec<T, Elements>& input, Function function) {
    using Result = std::decay_t<decltype(function(input[0]))>;
    vec<Result, Elements> output;
#pragma unroll
    for (int i = 0; i < Elements; ++i) output[i] = function(input[i]);
    return output;
}

}  // namespace wideload
