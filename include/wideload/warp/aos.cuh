// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/thread/aligned_ptr.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/warp/exchange.cuh>

namespace wideload::warp {

/// The fewest structs of `T` that fill whole 16-byte words: 4 of 12 bytes, 2 of 24, 16 of 3, 1 of
/// 16 or 32.
template <class T>
inline constexpr int kStructsPerLane =
    kWideBytes / greatest_common_divisor<int>(sizeof(T), kWideBytes);

namespace aos_detail {

/// The 16-byte words of one lane's `Count` structs.
template <class T, int Count>
inline constexpr int kUnits = static_cast<int>(sizeof(T)) * Count / kWideBytes;

template <class T, int Count>
struct check {
    static_assert(sizeof(T) * Count % kWideBytes == 0,
                  "warp::load_aos, store_aos: the structs of one lane must fill whole 16-byte "
                  "words; use kStructsPerLane<T>");
};

/// Reads `Units` striped words of the warp's tile, which is aligned to them.
template <class Policy, int Units, class Unit>
WIDELOAD_DEVICE void load_units(Unit (&units)[Units], const char* tile, int lane) {
    constexpr int kBytes = static_cast<int>(sizeof(Unit));
#pragma unroll
    for (int r = 0; r < Units; ++r) {
        units[r] = wideload::detail::access<Policy>::template load<kBytes>(
            tile + (r * kWarpLanes + lane) * kBytes);
    }
}

/// Writes `Units` striped words to the warp's tile, which is aligned to them.
template <class Policy, int Units, class Unit>
WIDELOAD_DEVICE void store_units(char* tile, const Unit (&units)[Units], int lane) {
    constexpr int kBytes = static_cast<int>(sizeof(Unit));
#pragma unroll
    for (int r = 0; r < Units; ++r) {
        wideload::detail::access<Policy>::template store<kBytes>(
            tile + (r * kWarpLanes + lane) * kBytes, units[r]);
    }
}

}  // namespace aos_detail

/// Loads the warp's tile of 32 * Count consecutive structs, so that lane l receives structs Count *
/// l to Count * l + Count - 1. Every access moves 16 bytes a lane from consecutive addresses,
/// whatever the size of the struct; the words then change lanes by shuffle, one per 4 bytes. No
/// shared memory. What an array has behind its last whole tile is read struct by struct.
///
/// @tparam Count   structs per lane; `Count * sizeof(T)` must be a multiple of 16 (the default is
/// the least). The last argument: `load_aos<Policy, T, Alignment, Count>`
/// @tparam Policy  a cache policy with a load
/// @param tile     the warp's first struct, the same in all lanes, aligned to 16 bytes
/// @param lane     this thread's lane; the whole warp must call
/// Cost: 32 * Count * sizeof(T) bytes. Source: see exchange.cuh.
template <class Policy = cached, class T, std::size_t Alignment,
          int Count = kStructsPerLane<std::remove_cv_t<T>>>
WIDELOAD_DEVICE vec<std::remove_cv_t<T>, Count> load_aos(aligned_ptr<T, Alignment> tile, int lane) {
    static_assert(Alignment >= kWideBytes,
                  "warp::load_aos: the tile must be known to be aligned to 16 bytes");
    using Struct = std::remove_cv_t<T>;
    (void)aos_detail::check<Struct, Count>{};
    uint4 units[aos_detail::kUnits<Struct, Count>];
    aos_detail::load_units<Policy>(units, reinterpret_cast<const char*>(tile.get()), lane);
    striped_to_blocked(units, lane);
    wideload::detail::Loaded<vec<Struct, Count>> structs;
    std::memcpy(&structs.value, units, sizeof(units));
    return structs.value;
}

/// Stores the warp's tile of 32 * Count consecutive structs: the inverse of `load_aos`.
///
/// @tparam Policy  a cache policy with a store
/// @param tile     the warp's first struct, the same in all lanes, aligned to 16 bytes; not const
template <class Policy = cached, class T, std::size_t Alignment, int Count>
WIDELOAD_DEVICE void store_aos(aligned_ptr<T, Alignment> tile, const vec<T, Count>& structs,
                               int lane) {
    static_assert(Alignment >= kWideBytes,
                  "warp::store_aos: the tile must be known to be aligned to 16 bytes");
    static_assert(wideload::detail::has_store<Policy>,
                  "warp::store_aos: this cache policy is for loads only");
    (void)aos_detail::check<T, Count>{};
    uint4 units[aos_detail::kUnits<T, Count>];
    std::memcpy(units, &structs, sizeof(units));
    blocked_to_striped(units, lane);
    if constexpr (wideload::detail::has_store<Policy>)
        aos_detail::store_units<Policy>(reinterpret_cast<char*>(tile.get()), units, lane);
}

}  // namespace wideload::warp
