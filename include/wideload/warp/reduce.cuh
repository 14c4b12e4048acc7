// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>
#include <wideload/warp/redux.cuh>

#include <cstring>

namespace wideload::warp {

namespace detail {

/// A value whose words of 4 bytes `exchange` has replaced, one by one.
template <class T, class Exchange>
WIDELOAD_DEVICE T exchange_words(const T& value, const Exchange& exchange) {
    static_assert(is_bitwise_copyable_v<T>,
                  "warp::shuffle moves raw bytes: T must be trivially copyable");
    constexpr int kWords = static_cast<int>((sizeof(T) + 3) / 4);
    std::uint32_t words[kWords] = {};
    std::memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = exchange(words[i]);
    T result;
    std::memcpy(&result, words, sizeof(T));
    return result;
}

}  // namespace detail

/// Values of any trivially copyable type with a default constructor change lanes 4 bytes at a time.
template <class T>
WIDELOAD_DEVICE T shuffle(const T& value, int source_lane) {
    return detail::exchange_words(
        value, [=](std::uint32_t word) { return __shfl_sync(kFullWarp, word, source_lane); });
}

/// `shuffle` between lanes whose numbers differ in the bits of `mask`.
template <class T>
WIDELOAD_DEVICE T shuffle_xor(const T& value, int mask) {
    return detail::exchange_words(
        value, [=](std::uint32_t word) { return __shfl_xor_sync(kFullWarp, word, mask); });
}

/// `shuffle` from lane + distance, or where there is none from the own one.
template <class T>
WIDELOAD_DEVICE T shuffle_down(const T& value, int distance) {
    return detail::exchange_words(value, [=](std::uint32_t word) {
        return __shfl_down_sync(kFullWarp, word, static_cast<unsigned>(distance));
    });
}

/// `first ? a : b`, 4 bytes at a time: an object chosen by its address would lie in local memory.
template <class T>
WIDELOAD_DEVICE T select(bool first, const T& a, const T& b) {
    constexpr int kWords = static_cast<int>((sizeof(T) + 3) / 4);
    std::uint32_t of_a[kWords] = {}, of_b[kWords] = {};
    std::memcpy(of_a, &a, sizeof(T));
    std::memcpy(of_b, &b, sizeof(T));
#pragma unroll
    for (int i = 0; i < kWords; ++i) of_a[i] = first ? of_a[i] : of_b[i];
    T result;
    std::memcpy(&result, of_a, sizeof(T));
    return result;
}

/// Combines the values of the first `valid_lanes` of every `Lanes` neighbouring lanes, a power of
/// two; the first of them holds the result if there is a value, other lanes' is unspecified. The
/// order of combination depends on `valid_lanes` alone, which each group has of its own. The whole
/// warp must call; `operation` need not commute.
/// Cost: a shuffle per 4 bytes of the value for every doubling, five for 32 lanes.
/// Source: J. Luitjens, "Faster parallel reductions on Kepler", NVIDIA Technical Blog, 2014.
template <int Lanes = kWarpLanes, class T, class Operation>
WIDELOAD_DEVICE T reduce(T value, Operation operation, int lane, int valid_lanes = Lanes) {
    static_assert(is_power_of_two(Lanes) && Lanes <= kWarpLanes,
                  "warp::reduce combines a power of two of lanes, at most 32");
    const int own = Lanes == kWarpLanes ? lane : lane & (Lanes - 1);
#pragma unroll
    for (int distance = 1; distance < Lanes; distance *= 2) {
        const T other = shuffle(value, (lane + distance) & (kWarpLanes - 1));
        if (own + distance < valid_lanes && (own & (2 * distance - 1)) == 0)
            value = operation(value, other);
    }
    return value;
}

/// The same of all lanes, without tests: what other lanes combine is of no use, but made of the
/// warp's values.
template <int Lanes = kWarpLanes, class T, class Operation>
WIDELOAD_DEVICE T reduce(T value, Operation operation) {
    static_assert(is_power_of_two(Lanes) && Lanes <= kWarpLanes,
                  "warp::reduce combines a power of two of lanes, at most 32");
#pragma unroll
    for (int distance = 1; distance < Lanes; distance *= 2)
        value = operation(value, shuffle_down(value, distance));
    return value;
}

/// Combines the values of every `Lanes` neighbouring lanes, a power of two; each of them holds the
/// result, to the same bit. The whole warp must call; `operation` must commute.
/// Cost: as of `reduce`, without its tests; of all lanes from sm_80 on one instruction for `plus`,
/// `minimum`, `maximum` and the bitwise operations on integers of up to 4 bytes and for the extrema
/// of floats, two for the extrema and bits of 8 bytes; libcu++'s operations count as these.
/// Source: recursive doubling, as in W. Hillis, G. Steele, "Data parallel algorithms", 1986.
template <int Lanes = kWarpLanes, class T, class Operation>
WIDELOAD_DEVICE T all_reduce(T value, Operation operation) {
    static_assert(is_power_of_two(Lanes) && Lanes <= kWarpLanes,
                  "warp::all_reduce combines a power of two of lanes, at most 32");
    using Known = wideload::detail::known_operation_t<Operation, T>;
    if constexpr (Lanes == kWarpLanes && detail::kRedux<Known, T>) {
        return detail::redux<Known>(value);
    } else {
#pragma unroll
        for (int distance = Lanes / 2; distance >= 1; distance /= 2)
            value = operation(value, shuffle_xor(value, distance));
        return value;
    }
}

namespace detail {

/// A value of one's own combined with that which the lane at this distance sends, the lower lane's
/// first.
template <class T, class Operation>
WIDELOAD_DEVICE T meet(const T& own, const T& sent, Operation& operation, int lane, int distance) {
    const T other = shuffle_xor(sent, distance);
    const bool upper = lane & distance;
    return operation(select(upper, other, own), select(upper, own, other));
}

/// The lower lanes of every pair keep the first `Half` rows, the upper ones the `Half` behind, then
/// half of those at the next distance. A recursion, since rows that a loop numbers lie in local
/// memory.
template <int Half, int Rows, class T, class Operation>
WIDELOAD_DEVICE void halve_rows(T (&rows)[Rows], Operation& operation, int lane) {
    if constexpr (Half >= 1) {
        constexpr int kDistance = Rows / 2 / Half;
        const bool upper = lane & kDistance;
#pragma unroll
        for (int i = 0; i < Half; ++i) {
            rows[i] = meet(select(upper, rows[i + Half], rows[i]),
                           select(upper, rows[i], rows[i + Half]), operation, lane, kDistance);
        }
        halve_rows<Half / 2>(rows, operation, lane);
    }
}

}  // namespace detail

/// Combines 32 * Rows striped values, number 32 * r + l in register r of lane l, in that order; all
/// lanes hold the result. The whole warp must call; `operation` need not commute. At the first
/// distances each lane keeps half of its rows and hands the other half to its neighbour.
/// Cost: Rows + 4 shuffles per 4 bytes of the value: 8 for 4 rows, where a reduction each takes 20.
/// Source: recursive halving, as of reductions over processes in R. Thakur, R. Rabenseifner, W.
/// Gropp, "Optimization of collective communication operations in MPICH", 2005.
///
/// @tparam Rows  a power of two, 32 at most
/// @param rows   used up
template <int Rows, class T, class Operation>
WIDELOAD_DEVICE T reduce_striped(T (&rows)[Rows], Operation operation, int lane) {
    static_assert(is_power_of_two(Rows) && Rows <= kWarpLanes,
                  "warp::reduce_striped takes a power of two of rows, at most 32");
    detail::halve_rows<Rows / 2>(rows, operation, lane);
    // A lane has one row now, of its group of `Rows` lanes: the groups, then the rows.
#pragma unroll
    for (int distance = Rows; distance < kWarpLanes; distance *= 2)
        rows[0] = detail::meet(rows[0], rows[0], operation, lane, distance);
#pragma unroll
    for (int distance = Rows / 2; distance >= 1; distance /= 2)
        rows[0] = detail::meet(rows[0], rows[0], operation, lane, distance);
    return rows[0];
}

/// Lane l receives the combination of lanes `begin`, which each lane has of its own, to l; those in
/// front of theirs keep what they have. The whole warp must call; `operation` need not commute.
/// Cost: five shuffles per 4 bytes of the value.
/// Source: W. Hillis, G. Steele, "Data parallel algorithms", 1986.
template <class T, class Operation>
WIDELOAD_DEVICE T inclusive_scan(T value, Operation operation, int lane, int begin = 0) {
#pragma unroll
    for (int distance = 1; distance < kWarpLanes; distance *= 2) {
        const T other = shuffle(value, (lane - distance) & (kWarpLanes - 1));
        if (lane >= begin + distance) value = operation(other, value);
    }
    return value;
}

/// Lane l receives the combination of `first` and lanes 0 to l - 1. Otherwise as `inclusive_scan`.
/// Cost: six shuffles per 4 bytes of the value.
template <class T, class Operation>
WIDELOAD_DEVICE T exclusive_scan(T value, Operation operation, wideload::detail::same_t<T> first,
                                 int lane) {
    const T inclusive = inclusive_scan(value, operation, lane);
    const T before = shuffle(inclusive, (lane - 1) & (kWarpLanes - 1));
    return lane == 0 ? first : operation(first, before);
}

}  // namespace wideload::warp
