// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/element.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>
#include <wideload/warp/aos.cuh>

namespace wideload::detail {

/// Loads `Elements` consecutive elements per lane from the warp's tile, by accesses of `Access`
/// bytes. What is more than one goes through the exchange of warp/aos.cuh.
///
/// @tparam Shifted     whether the tile may be misaligned by `shift_bytes` (to a multiple of
/// `Access`); not where lanes exchange words of less than 16 bytes
/// @param tile         the warp's first element
template <class T, int Elements, int Access, class Policy, bool Shifted>
WIDELOAD_DEVICE vec<T, Elements> load_lane_elements(const T* tile, unsigned shift_bytes, int lane) {
    constexpr int kBytes = static_cast<int>(sizeof(T)) * Elements;
    const char* bytes = reinterpret_cast<const char*>(tile);
    vec<T, Elements> result;
    if constexpr (kBytes > Access || Access == kWideBytes) {
        access_word_t<Access> units[kBytes / Access];
        warp::aos_detail::load_units<Policy>(units, bytes, Shifted ? shift_bytes : 0, lane);
        warp::striped_to_blocked(units, lane);
        std::memcpy(&result, units, kBytes);
    } else {
        const char* own = bytes + lane * kBytes;
        if (!Shifted || shift_bytes == 0) {
            load_bytes<kBytes, kBytes, Policy>(own, &result);
        } else if constexpr (kBytes >= 4) {
            // Both aligned words around the lane's bytes; the second is the next lane's first, so
            // L1 serves it.
            constexpr int kWords = kBytes / 4;
            std::uint32_t words[2 * kWords];
            load_bytes<kBytes, kBytes, Policy>(own - shift_bytes, words);
            load_bytes<kBytes, kBytes, Policy>(own - shift_bytes + kBytes, words + kWords);
            if constexpr (kWords == 2) {
                const bool by_one = shift_bytes & 4;
#pragma unroll
                for (int i = 0; i < 3; ++i) words[i] = by_one ? words[i + 1] : words[i];
            }
            const unsigned bits = (shift_bytes & 3) * 8;
#pragma unroll
            for (int i = 0; i < kWords; ++i)
                words[i] = __funnelshift_r(words[i], words[i + 1], bits);
            std::memcpy(&result, words, kBytes);
        } else {
            load_bytes<kBytes, 1, Policy>(own, &result);
        }
    }
    return result;
}

/// Stores `Elements` consecutive elements per lane to the warp's tile, which is aligned.
template <class T, int Elements, int Access, class Policy>
WIDELOAD_DEVICE void store_lane_elements(T* tile, const vec<T, Elements>& values, int lane) {
    constexpr int kBytes = static_cast<int>(sizeof(T)) * Elements;
    char* bytes = reinterpret_cast<char*>(tile);
    if constexpr (kBytes > Access) {
        access_word_t<Access> units[kBytes / Access];
        std::memcpy(units, &values, kBytes);
        warp::blocked_to_striped(units, lane);
        warp::aos_detail::store_units<Policy>(bytes, units, lane);
    } else {
        store_bytes<kBytes, kBytes, Policy>(bytes + lane * kBytes, &values);
    }
}

}  // namespace wideload::detail
