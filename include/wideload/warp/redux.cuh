// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/operations.cuh>

#include <cstring>

/// What a warp combines by the one instruction that sm_80 has for integers of 4 bytes.
namespace wideload::warp::detail {

template <class Operation>
inline constexpr bool kIsExtremum =
    std::is_same_v<Operation, minimum> || std::is_same_v<Operation, maximum>;

template <class Operation>
inline constexpr bool kIsBitwise =
    std::is_same_v<Operation, bit_and> || std::is_same_v<Operation, bit_or> ||
    std::is_same_v<Operation, bit_xor>;

/// Whether that instruction, once or twice, combines values of a type: sums of integers of up to 4
/// bytes, bits of those of up to 8, the least and the greatest of all numbers of up to 8.
template <class Operation, class T>
inline constexpr bool kReduxCombines =
    (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8 &&
     ((sizeof(T) <= 4 && (std::is_same_v<Operation, plus> || kIsExtremum<Operation>)) ||
      kIsBitwise<Operation>)) ||
    (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && kIsExtremum<Operation>);

/// `kReduxCombines` on the architecture being compiled for.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
template <class Operation, class T>
inline constexpr bool kRedux = false;
#else
template <class Operation, class T>
inline constexpr bool kRedux = kReduxCombines<Operation, T>;
#endif

/// The integer of 4 or 8 bytes in whose order values of a type are. The bits of a floating-point
/// number are in its order, but for those behind the sign of a negative one.
template <class T>
using redux_key_t =
    std::conditional_t<sizeof(T) == 8,
                       std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>,
                       std::conditional_t<std::is_unsigned_v<T>, std::uint32_t, std::int32_t>>;

template <class To, class From>
WIDELOAD_DEVICE To redux_convert(const From& from) {
    if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        return static_cast<To>(from);
    } else {
        using Key = std::conditional_t<std::is_integral_v<To>, To, From>;
        Key bits;
        std::memcpy(&bits, &from, sizeof(bits));
        bits ^= bits >> (sizeof(Key) * 8 - 1) & wideload::detail::kGreatest<Key>;
        To to;
        std::memcpy(&to, &bits, sizeof(to));
        return to;
    }
}

/// The combination of a key of every lane.
template <class Operation, class Key>
WIDELOAD_DEVICE Key redux_keys(Key key) {
    if constexpr (sizeof(Key) == 8 && kIsBitwise<Operation>) {
        const auto bits = static_cast<std::uint64_t>(key);
        const auto upper = redux_keys<Operation>(static_cast<std::uint32_t>(bits >> 32));
        const auto lower = redux_keys<Operation>(static_cast<std::uint32_t>(bits));
        return static_cast<Key>(static_cast<std::uint64_t>(upper) << 32 | lower);
    } else if constexpr (sizeof(Key) == 8) {
        // The upper halves, then the lower ones of those lanes that have what they came to.
        using Upper = std::conditional_t<std::is_signed_v<Key>, std::int32_t, std::uint32_t>;
        const auto upper = static_cast<Upper>(key >> 32);
        const Upper best = redux_keys<Operation>(upper);
        std::uint32_t lower = Operation::template identity<std::uint32_t>();
        if (upper == best) lower = static_cast<std::uint32_t>(key);
        return static_cast<Key>(static_cast<std::uint64_t>(best) << 32 |
                                redux_keys<Operation>(lower));
    } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        if constexpr (std::is_same_v<Operation, plus>) {
            key = __reduce_add_sync(kFullWarp, key);
        } else if constexpr (std::is_same_v<Operation, minimum>) {
            key = __reduce_min_sync(kFullWarp, key);
        } else if constexpr (std::is_same_v<Operation, maximum>) {
            key = __reduce_max_sync(kFullWarp, key);
        } else if constexpr (std::is_same_v<Operation, bit_and>) {
            key = static_cast<Key>(__reduce_and_sync(kFullWarp, static_cast<unsigned>(key)));
        } else if constexpr (std::is_same_v<Operation, bit_or>) {
            key = static_cast<Key>(__reduce_or_sync(kFullWarp, static_cast<unsigned>(key)));
        } else {
            key = static_cast<Key>(__reduce_xor_sync(kFullWarp, static_cast<unsigned>(key)));
        }
#endif
        return key;
    }
}

/// The combination of a value of every lane, the same in all of them. `kRedux` must hold.
template <class Operation, class T>
WIDELOAD_DEVICE T redux(const T& value) {
    using Key = redux_key_t<T>;
    return redux_convert<T>(redux_keys<Operation>(redux_convert<Key>(value)));
}

}  // namespace wideload::warp::detail
