// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/operations.cuh>
#include <wideload/support/integer.cuh>
#include <wideload/warp/reduce.cuh>

#include <cstring>

/// Sums over blocks that lose nothing, so that the blocks may add to them in any order.
namespace wideload::detail {

/// Each 64-bit word of a sum counts the blocks in its lower bits; the rest is the sum of the
/// blocks' digits of one place, signed.
inline constexpr int kCountBits = 12;
inline constexpr unsigned kMaxCounted = 2048;

/// Where the word of a place is. Four share a sector; sectors are apart, so that several slices of
/// L2 add at a time.
WIDELOAD_HOST_DEVICE constexpr int counted_word(int place) { return place / 4 * 64 + place % 4; }

/// How a type is written in digits. `digit` gives a value's digit of one place; `value` makes a
/// value of sums of digits, of which lane i of a warp has those of the places i, i + 32, ... Types
/// without digits are not summed that way.
template <class T, class = void>
struct Digits {
    static constexpr int kCount = 0;
};

/// Integers wrap: what leaves the last digit is lost, as it should be.
template <class T>
struct Digits<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
    static constexpr int kBits = 32, kCount = sizeof(T) <= 4 ? 1 : 2;

    static WIDELOAD_DEVICE long long digit(T value, int place) {
        const auto bits = static_cast<unsigned long long>(value);
        return static_cast<std::uint32_t>(place == 0 ? bits : bits >> kBits);
    }
    static WIDELOAD_DEVICE T value(const long long (&sums)[1], int) {
        long long all = sums[0];
        if constexpr (kCount == 2) all += warp::shuffle(all, 1) << kBits;
        return static_cast<T>(all);
    }
};

/// A number of binary floating point is an integer in units of the least one, of 277 bits for
/// floats and 2098 for doubles. A last digit counts what is infinite or no number. The sum of the
/// digits is exact; `value` rounds it to a double, by two units in the last place at most, and that
/// to `T`. Source: U. Kulisch's long accumulator; digits that overlap as in S. Collange, D. Defour,
/// S. Graillat, R. Iakymchuk, "Numerical reproducibility for the parallel reduction on multi- and
/// many-core architectures", Parallel Computing 49, 2015.
template <class T, class Bits, int FractionBits, int ExponentBits>
struct FloatDigits {
    static constexpr int kBits = 40, kMaxExponent = (1 << ExponentBits) - 1;
    static constexpr int kFinite = divide_up(kMaxExponent - 1 + FractionBits, kBits);
    static constexpr int kCount = kFinite + 1, kPerLane = divide_up(kCount, kWarpLanes);

    static WIDELOAD_DEVICE long long digit(T value, int place) {
        Bits bits;
        std::memcpy(&bits, &value, sizeof(T));
        const bool negative = bits >> (FractionBits + ExponentBits) != 0;
        const int exponent = static_cast<int>(bits >> FractionBits) & kMaxExponent;
        const Bits fraction = bits & ((Bits{1} << FractionBits) - 1);
        if (place == kFinite || exponent == kMaxExponent) {
            if (place != kFinite || exponent != kMaxExponent) return 0;
            return fraction != 0 ? kNan : negative ? kNegative : kPositive;
        }
        const Bits significand = fraction | static_cast<Bits>(exponent != 0) << FractionBits;
        const int shift = (exponent == 0 ? 0 : exponent - 1) - place * kBits;
        unsigned long long magnitude = 0;
        if (shift >= 0 && shift < kBits)
            magnitude = static_cast<unsigned long long>(significand) << shift;
        if (shift < 0 && shift >= -FractionBits) magnitude = significand >> -shift;
        const auto digit = static_cast<long long>(magnitude & ((1ull << kBits) - 1));
        return negative ? -digit : digit;
    }

    static WIDELOAD_DEVICE T value(const long long (&sums)[kPerLane], int lane) {
        double total = 0;
        // From the top: what one addition rounds off is then never most of what is left in the end.
#pragma unroll
        for (int i = kPerLane - 1; i >= 0; --i) {
            const int place = i * kWarpLanes + lane;
            const double part = scaled(sums[i], place * kBits + kLeastExponent);
            if constexpr (kPerLane == 1) {
#pragma unroll
                for (int next = kFinite - 1; next >= 0; --next) total += warp::shuffle(part, next);
            } else {
                unsigned there = __ballot_sync(kFullWarp, sums[i] != 0 && place < kFinite);
                while (there != 0) {
                    const int next = kWarpLanes - 1 - __clz(static_cast<int>(there));
                    total += warp::shuffle(part, next);
                    there -= 1u << next;
                }
            }
        }
        const long long odd = warp::shuffle(sums[kFinite / kWarpLanes], kFinite % kWarpLanes);
        if (odd != 0) {
            const bool positive = odd % kNegative != 0, negative = odd % kNan >= kNegative;
            total = power(1024);  // infinite
            if (odd >= kNan || positive == negative) total -= total;
            if (negative) total = -total;
        }
        return static_cast<T>(total);
    }

private:
    static constexpr long long kPositive = 1, kNegative = 1 << 16, kNan = 1ll << 32;
    static constexpr int kLeastExponent = 1 - kMaxExponent / 2 - FractionBits;

    static WIDELOAD_DEVICE double power(int exponent) {
        return __hiloint2double((1023 + exponent) << 20, 0);
    }
    /// sum * 2^exponent, where a double alone may not hold that power.
    static WIDELOAD_DEVICE double scaled(long long sum, int exponent) {
        if constexpr (kLeastExponent >= -1022) return static_cast<double>(sum) * power(exponent);
        return static_cast<double>(sum) * power(exponent / 2) * power(exponent - exponent / 2);
    }
};

template <>
struct Digits<float> : FloatDigits<float, std::uint32_t, 23, 8> {};
template <>
struct Digits<double> : FloatDigits<double, unsigned long long, 52, 11> {};

/// Whether blocks add their results of an operation to a counted sum.
template <class Result, class Operation>
inline constexpr bool kCountedSum = std::is_same_v<Operation, plus> && (Digits<Result>::kCount > 0);

/// The sum of what the first warp of every block brings, the same in all lanes, as `*value` of
/// thread 0 of one of them, for which true is returned. That warp calls. `words` are 0 before and
/// after.
template <class T>
WIDELOAD_DEVICE bool add_counted(unsigned long long* words, T* value) {
    constexpr int kCount = Digits<T>::kCount, kPerLane = divide_up(kCount, kWarpLanes);
    constexpr unsigned long long kMask = (1u << kCountBits) - 1;
    const int lane = threadIdx.x;
    unsigned long long sums[kPerLane] = {};
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
        const int place = i * kWarpLanes + lane;
        const auto digit = static_cast<unsigned long long>(Digits<T>::digit(*value, place));
        const unsigned long long own = (digit << kCountBits) + 1;
        if (place < kCount) sums[i] = atomicAdd(words + counted_word(place), own) + own;
    }
    // Who completes the first word's count waits for the others, which are under way.
    const bool last = (sums[0] & kMask) == gridDim.x;
    if (!(kCount > 1 ? __shfl_sync(kFullWarp, last, 0) : last)) return false;
    long long digits[kPerLane];
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
        const int place = i * kWarpLanes + lane;
        if (place < kCount) {
            while ((sums[i] & kMask) != gridDim.x)
                sums[i] = static_cast<volatile unsigned long long*>(words)[counted_word(place)];
            words[counted_word(place)] = 0;
        }
        digits[i] = static_cast<long long>(sums[i]) >> kCountBits;
    }
    if (kCount > 1) __syncwarp();
    *value = Digits<T>::value(digits, lane);
    return true;
}

}  // namespace wideload::detail
