// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// Bytes of the widest unit that a size is whole ones of.
template <int Size>
inline constexpr int kSharedUnit = Size <= 2        ? Size
                                   : Size % 16 == 0 ? 16
                                   : Size % 8 == 0  ? 8
                                                    : 4;

/// A value in an array of shared memory. Lanes that access neighbours, or every 2^n-th of them as
/// of words, meet in no bank: a value goes by units and takes an odd number of them.
template <class T, int UnitBytes = kSharedUnit<static_cast<int>(sizeof(T))>>
class SharedValue {
    static constexpr int kSize = static_cast<int>(sizeof(T));

public:
    /// Bytes of a unit.
    static constexpr int kUnit = UnitBytes;

    WIDELOAD_DEVICE void put(const T& value) {
        Unit units[kUsed] = {};
        std::memcpy(units, &value, sizeof(T));
#pragma unroll
        for (int i = 0; i < kUsed; ++i) units_[i] = units[i];
    }
    WIDELOAD_DEVICE T get() const {
        Unit units[kUsed];
#pragma unroll
        for (int i = 0; i < kUsed; ++i) units[i] = units_[i];
        T value;
        std::memcpy(&value, units, sizeof(T));
        return value;
    }

private:
    using Unit = access_word_t<kUnit>;
    static constexpr int kUsed = (kSize + kUnit - 1) / kUnit;
    Unit units_[kUsed | 1];
};

}  // namespace wideload::WIDELOAD_DETAIL
