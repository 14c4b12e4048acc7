// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>

#include <cstring>

namespace wideload::warp {

/// Values of any trivially copyable type change lanes 4 bytes at a time.
template <class T>
WIDELOAD_DEVICE T shuffle(const T& value, int source_lane) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "warp::shuffle moves raw bytes: T must be trivially copyable");
    constexpr int kWords = static_cast<int>((sizeof(T) + 3) / 4);
    std::uint32_t words[kWords] = {};
    std::memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = __shfl_sync(kFullWarp, words[i], source_lane);
    T result;
    std::memcpy(&result, words, sizeof(T));
    return result;
}

/// Combines the values of the first `valid_lanes` lanes (at least 1); lane 0 holds the result,
/// other lanes' is unspecified. The order of combination depends on `valid_lanes` alone. The whole
/// warp must call; `operation` need not commute. Five shuffles per 4 bytes of the value.
template <class T, class Operation>
WIDELOAD_DEVICE T reduce(T value, Operation operation, int lane, int valid_lanes = kWarpLanes) {
#pragma unroll
    for (int distance = 1; distance < kWarpLanes; distance *= 2) {
        const T other = shuffle(value, (lane + distance) & (kWarpLanes - 1));
        if (lane + distance < valid_lanes && (lane & (2 * distance - 1)) == 0)
            value = operation(value, other);
    }
    return value;
}

/// Lane l receives the combination of lanes 0 to l. The whole warp must call; `operation` need not
/// commute. Source: W. Hillis, G. Steele, "Data parallel algorithms", 1986.
template <class T, class Operation>
WIDELOAD_DEVICE T inclusive_scan(T value, Operation operation, int lane) {
#pragma unroll
    for (int distance = 1; distance < kWarpLanes; distance *= 2) {
        const T other = shuffle(value, (lane - distance) & (kWarpLanes - 1));
        if (lane >= distance) value = operation(other, value);
    }
    return value;
}

/// Lane l receives the combination of lanes 0 to l - 1, lane 0 `first`.
template <class T, class Operation>
WIDELOAD_DEVICE T exclusive_scan(T value, Operation operation, T first, int lane) {
    const T inclusive = inclusive_scan(value, operation, lane);
    const T before = shuffle(inclusive, (lane - 1) & (kWarpLanes - 1));
    return lane == 0 ? first : operation(first, before);
}

}  // namespace wideload::warp
