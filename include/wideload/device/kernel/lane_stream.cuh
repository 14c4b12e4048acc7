// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/element.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>
#include <wideload/warp/aos.cuh>
#include <wideload/warp/shifted_load.cuh>
#include <wideload/warp/shifted_store.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// In place of a `warp::KnownShift`: a tile is at a multiple of its accesses.
struct Aligned {};

template <class Policy, int Access, int Units>
class AlignedUnits {
public:
    WIDELOAD_DEVICE void fetch(const char* tile, const warp::Misalignment&, int lane) {
        warp::aos_detail::load_units<Policy>(units_, tile, lane);
    }
    WIDELOAD_DEVICE void value(access_word_t<Access> (&units)[Units], int) const {
        std::memcpy(units, units_, sizeof(units_));
    }

private:
    access_word_t<Access> units_[Units];
};

/// A lane's word of 1 to 8 bytes; from 4 on it is put together from the two aligned ones around it,
/// of which the second is the next lane's first, so that L1 serves it.
template <class Policy, int Bytes>
class ShiftedWord {
    static constexpr int kParts = Bytes / 4;

public:
    WIDELOAD_DEVICE void fetch(const char* tile, const warp::Misalignment& misaligned, int lane) {
        const char* own = tile + lane * Bytes;
        shift_bytes_ = misaligned.shift_bytes;
        if constexpr (kParts == 0) {
            if (shift_bytes_ == 0) {
                load_bytes<Bytes, Bytes, Policy>(own, parts_);
            } else {
                load_bytes<Bytes, 1, Policy>(own, parts_);
            }
        } else {
            load_bytes<Bytes, Bytes, Policy>(own - shift_bytes_, parts_);
            if (shift_bytes_ != 0)
                load_bytes<Bytes, Bytes, Policy>(own - shift_bytes_ + Bytes, parts_ + kParts);
        }
    }

    WIDELOAD_DEVICE void value(access_word_t<Bytes> (&word)[1], int) {
        if constexpr (kParts == 2) {
            const bool by_one = shift_bytes_ & 4;
#pragma unroll
            for (int i = 0; i < 3; ++i) parts_[i] = by_one ? parts_[i + 1] : parts_[i];
        }
        const unsigned bits = (shift_bytes_ & 3) * 8;
#pragma unroll
        for (int i = 0; i < kParts; ++i)
            parts_[i] = __funnelshift_r(parts_[i], parts_[i + 1], bits);
        std::memcpy(word, parts_, Bytes);
    }

private:
    std::uint32_t parts_[kParts == 0 ? 1 : 2 * kParts] = {};
    unsigned shift_bytes_;
};

/// `Elements` consecutive elements per lane of the warp's tile, read by accesses of `Access` bytes,
/// in two steps, so that the loads of several inputs and tiles are in flight together. What is more
/// than one access goes through the exchange of warp/aos.cuh.
///
/// @tparam Shift  `Aligned`, or what is known of a shift; words of less than 16 bytes that lanes
/// exchange are never shifted
template <class T, int Elements, int Access, class Policy, class Shift>
class LaneStream {
    static constexpr int kBytes = static_cast<int>(sizeof(T)) * Elements;
    static constexpr int kUnits = kBytes / Access;
    static constexpr bool kWide = Access == kWideBytes;

public:
    /// @param tile        the warp's first element
    /// @param misaligned  against a multiple of `Access`; unused where it is `Aligned`
    WIDELOAD_DEVICE void fetch(const T* tile, const warp::Misalignment& misaligned, int lane) {
        fetched_.fetch(reinterpret_cast<const char*>(tile), misaligned, lane);
    }

    WIDELOAD_DEVICE vec<T, Elements> values(int lane) {
        access_word_t<Access> units[kUnits];
        fetched_.value(units, lane);
        warp::striped_to_blocked(units, lane);
        vec<T, Elements> result;
        std::memcpy(&result, units, kBytes);
        return result;
    }

private:
    using Shifted = std::conditional_t<kWide, warp::ShiftedRows<Policy, kUnits, Shift>,
                                       ShiftedWord<Policy, Access>>;
    std::conditional_t<std::is_same_v<Shift, Aligned> || (!kWide && kUnits > 1),
                       AlignedUnits<Policy, Access, kUnits>, Shifted>
        fetched_;
};

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

/// The same to a tile that begins at no word of 16 bytes, of which each lane's elements fill some.
template <class T, int Elements, class Policy>
WIDELOAD_DEVICE void store_shifted_elements(T* tile, const vec<T, Elements>& values, int lane) {
    uint4 units[static_cast<int>(sizeof(T)) * Elements / kWideBytes];
    std::memcpy(units, &values, sizeof(units));
    warp::blocked_to_striped(units, lane);
    const unsigned past = reinterpret_cast<std::uintptr_t>(tile) % kWideBytes;
    warp::store_shifted<Policy>(units, reinterpret_cast<char*>(tile) - past, past, lane);
}

}  // namespace wideload::WIDELOAD_DETAIL
