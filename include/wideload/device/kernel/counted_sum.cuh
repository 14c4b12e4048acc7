// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>
#include <wideload/thread/operations.cuh>
#include <wideload/warp/reduce.cuh>

#include <cstring>

/// Sums over blocks that lose nothing, so that the blocks may add to them in any order.
namespace wideload::WIDELOAD_DETAIL {

/// Each 64-bit word of a sum counts the blocks in its lower bits; the rest is the sum of the
/// blocks' digits of one place, signed.
inline constexpr int kCountBits = 12;
inline constexpr unsigned kMaxCounted = 2048, kCountMask = (1u << kCountBits) - 1;

/// Where the word of a place is. Four share a sector; sectors are apart, so that several slices of
/// L2 add at a time.
WIDELOAD_HOST_DEVICE constexpr unsigned counted_word(unsigned place) {
    return place / 4 * 64 + place % 4;
}

/// How a type is written in digits. `digit` gives that of one place of a value's `number`; `value`
/// makes a value of sums of digits, of which lane i of a warp has those of the places i, i + 32,
/// ... Types without digits are not summed that way.
template <class T, class = void>
struct Digits {
    static constexpr int kCount = 0;
};

/// Integers wrap: what leaves the last digit is lost, as it should be. Those of 16 bytes, which are
/// integral to nvcc's default dialect alone, are none of these.
template <class T>
struct Digits<
    T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8>> {
    static constexpr int kBits = 32, kCount = sizeof(T) <= 4 ? 1 : 2;

    static WIDELOAD_DEVICE unsigned long long number(T value) {
        return static_cast<unsigned long long>(value);
    }
    static WIDELOAD_DEVICE long long digit(unsigned long long number, int place) {
        return static_cast<std::uint32_t>(place == 0 ? number : number >> kBits);
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

    /// A value in units of the least number: +-significand * 2^shift. What is infinite or no number
    /// becomes one of the last digit.
    struct Number {
        unsigned long long significand;
        unsigned shift;
        bool negative;
    };
    static WIDELOAD_DEVICE Number number(T value) {
        Bits bits;
        std::memcpy(&bits, &value, sizeof(T));
        const bool negative = bits >> (FractionBits + ExponentBits) != 0;
        const unsigned exponent = static_cast<unsigned>(bits >> FractionBits) & kMaxExponent;
        const Bits fraction = bits & ((Bits{1} << FractionBits) - 1);
        if (exponent == kMaxExponent)
            return {fraction != 0 ? kNan
                    : negative    ? kNegative
                                  : kPositive,
                    kFinite * kBits, false};
        const Bits leading = static_cast<Bits>(exponent != 0) << FractionBits;
        return {fraction | leading, exponent != 0 ? exponent - 1 : 0, negative};
    }

    static WIDELOAD_DEVICE long long digit(const Number& number, int place) {
        const int left = static_cast<int>(number.shift) - place * kBits;
        const unsigned long long moved =
            left >= 0 ? number.significand << min(left, 63) : number.significand >> min(-left, 63);
        const auto magnitude = static_cast<long long>(moved & ((1ull << kBits) - 1));
        return number.negative ? -magnitude : magnitude;
    }

    static WIDELOAD_DEVICE T value(const long long (&sums)[kPerLane], int lane) {
        double total = 0;
        // From the top: what one addition rounds off is then never most of what is left in the end.
#pragma unroll
        for (int i = kPerLane - 1; i >= 0; --i) {
            const int place = i * kWarpLanes + lane;
            const double part =
                scaled(static_cast<double>(sums[i]), place * kBits + kLeastExponent);
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
        return rounded(total, warp::shuffle(sums[kFinite / kWarpLanes], kFinite % kWarpLanes));
    }

    /// `value`, to the last bit, where lanes 0 to `Places` - 1 have the sums of the places from
    /// `first` on and all others are 0; not where these might sum to what is infinite.
    template <int Places>
    static WIDELOAD_DEVICE T window_value(long long sum, int first, int lane) {
        const double part = static_cast<double>(sum) * power(lane * kBits);
        double total = warp::shuffle(part, Places - 1);
#pragma unroll
        for (int next = Places - 2; next >= 0; --next) total += warp::shuffle(part, next);
        return static_cast<T>(scaled(total, first * kBits + kLeastExponent));
    }
    /// Whether sums of these places may do that, or include what is no number.
    static WIDELOAD_DEVICE bool may_overflow(int last_place) {
        return last_place * kBits + kLeastExponent + 64 - kCountBits > kMaxExponent / 2;
    }

private:
    static constexpr unsigned long long kPositive = 1, kNegative = 1 << 16, kNan = 1ull << 32;
    static constexpr int kLeastExponent = 1 - kMaxExponent / 2 - FractionBits;

    /// The sum of finite values, unless `odd` counts others.
    static WIDELOAD_DEVICE T rounded(double total, unsigned long long odd) {
        if (odd != 0) {
            const bool positive = odd % kNegative != 0, negative = odd % kNan >= kNegative;
            total = power(1024);  // infinite
            if (odd >= kNan || positive == negative) total -= total;
            if (negative) total = -total;
        }
        return static_cast<T>(total);
    }

    static WIDELOAD_DEVICE double power(int exponent) {
        return __hiloint2double((1023 + exponent) << 20, 0);
    }
    /// sum * 2^exponent, where a double alone may not hold that power.
    static WIDELOAD_DEVICE double scaled(double sum, int exponent) {
        if constexpr (kLeastExponent >= -1022) return sum * power(exponent);
        return sum * power(exponent / 2) * power(exponent - exponent / 2);
    }
};

template <>
struct Digits<float> : FloatDigits<float, std::uint32_t, 23, 8> {};
template <>
struct Digits<double> : FloatDigits<double, unsigned long long, 52, 11> {};

/// Whether blocks add their results of an operation to a counted sum.
template <class Result, class Operation>
inline constexpr bool kCountedSum = std::is_same_v<Operation, plus> && (Digits<Result>::kCount > 0);

/// Where a sum has more digits than a warp has lanes, a block adds those of a window of four
/// places, which is one sector. Windows begin at every second place, so that all digits of a value
/// lie in one, and overlap: a place's sum is that of two words. A word behind them counts the
/// blocks, too.
template <class T>
struct CountedWindows {
    static constexpr unsigned kPlaces = 4, kStep = 2;
    static constexpr int kPerLane = divide_up(Digits<T>::kCount, kWarpLanes);
    static constexpr unsigned kWindows = divide_up<unsigned>(Digits<T>::kCount, kStep);
    static constexpr unsigned kBlocks = kWindows * kPlaces;  ///< the place of that word

    /// The two words of a place, or null where only one is.
    static WIDELOAD_DEVICE volatile unsigned long long* word(unsigned long long* words,
                                                             unsigned place, unsigned which) {
        const unsigned window = place / kStep - which, digit = place % kStep + which * kStep;
        return window < kWindows ? words + counted_word(window * kPlaces + digit) : nullptr;
    }

    /// Waits until `blocks` have brought their digits and takes the sums, of which a lane gets
    /// those of the places `lane`, `lane` + 32, ... Leaves the words 0.
    static WIDELOAD_DEVICE void collect(unsigned long long* words, unsigned blocks, int lane,
                                        long long (&sums)[kPerLane]) {
        unsigned long long found[2 * kPerLane];
        unsigned arrived;
        do {
            arrived = 0;
#pragma unroll
            for (int i = 0; i < 2 * kPerLane; ++i) {
                const auto* at = word(words, i / 2 * kWarpLanes + lane, i % 2);
                found[i] = at != nullptr ? *at : 0;
            }
#pragma unroll
            for (int i = 0; i < 2 * kPerLane; ++i)
                arrived += static_cast<unsigned>(found[i]) & kCountMask;
        } while (warp::all_reduce(arrived, plus{}) != blocks * kPlaces);
#pragma unroll
        for (int i = 0; i < 2 * kPerLane; ++i) {
            if (found[i] != 0) *word(words, i / 2 * kWarpLanes + lane, i % 2) = 0;
        }
#pragma unroll
        for (int i = 0; i < kPerLane; ++i) {
            sums[i] = (static_cast<long long>(found[2 * i]) >> kCountBits) +
                      (static_cast<long long>(found[2 * i + 1]) >> kCountBits);
        }
    }

    /// As `add_counted`. Mostly all blocks' values have their digits in one window: then whoever
    /// completes the first of its words has their sum. Whoever completes the word behind the
    /// windows, which need not be the same block, sees whether it was so.
    static WIDELOAD_DEVICE bool add(unsigned long long* words, T* value) {
        const unsigned lane = threadIdx.x, blocks = gridDim.x;
        const auto number = Digits<T>::number(*value);
        const unsigned window = number.shift / (kStep * Digits<T>::kBits), first = window * kStep;
        const auto digit = static_cast<unsigned long long>(
            Digits<T>::digit(number, static_cast<int>(first + lane)));
        unsigned long long* const own =
            words + counted_word((lane < kPlaces ? window : kWindows) * kPlaces) + lane % kPlaces;
        unsigned long long sum = lane < kPlaces ? (digit << kCountBits) + 1 : block_in(window);
        if (lane <= kPlaces) sum += atomicAdd(own, sum);
        const unsigned complete = __ballot_sync(kFullWarp, (sum & kCountMask) == blocks);
        const bool by_itself = !Digits<T>::may_overflow(static_cast<int>(first + kPlaces - 1));
        if (by_itself && (complete & 1) != 0) {
            while (lane < kPlaces && (sum & kCountMask) != blocks)
                sum = *static_cast<volatile unsigned long long*>(own);
            if (lane <= kPlaces && (sum & kCountMask) == blocks) *own = 0;
            __syncwarp();
            const long long digits = static_cast<long long>(sum) >> kCountBits;
            *value = Digits<T>::template window_value<kPlaces>(digits, first, lane);
            return true;
        }
        if ((complete >> kPlaces & 1) == 0) return false;
        if (lane == kPlaces) *own = 0;
        if (by_itself && __shfl_sync(kFullWarp, sum, kPlaces) == blocks * block_in(window))
            return false;
        long long digits[kPerLane];
        collect(words, blocks, lane, digits);
        *value = Digits<T>::value(digits, lane);
        return true;
    }

private:
    /// What a block adds to the word behind the windows: one, its window, and the square of that.
    /// The sum is that of as many blocks in one window only if all are in it.
    static WIDELOAD_DEVICE unsigned long long block_in(unsigned long long window) {
        constexpr unsigned kLast = kWindows - 1;
        static_assert(kMaxCounted * kLast < 1u << kWindowBits &&
                      kMaxCounted * kLast < (1ull << (64 - kCountBits - kWindowBits)) / kLast);
        return 1 + (window << kCountBits) + (window * window << (kCountBits + kWindowBits));
    }
    static constexpr int kWindowBits = 16;
};

/// The sum of what the first warp of every block brings, the same in all lanes, as `*value` of
/// thread 0 of one of them, for which true is returned. That warp calls. `words` are 0 before and
/// after.
template <class T>
WIDELOAD_DEVICE bool add_counted(unsigned long long* words, T* value) {
    constexpr int kCount = Digits<T>::kCount;
    if constexpr (kCount > kWarpLanes) {
        return CountedWindows<T>::add(words, value);
    } else {
        const int lane = threadIdx.x;
        const auto digit =
            static_cast<unsigned long long>(Digits<T>::digit(Digits<T>::number(*value), lane));
        const unsigned long long own = (digit << kCountBits) + 1;
        unsigned long long sum = 0;
        if (lane < kCount) sum = atomicAdd(words + counted_word(lane), own) + own;
        // Who completes the first word's count waits for the others, which are under way.
        const bool last = (sum & kCountMask) == gridDim.x;
        if (!(kCount > 1 ? __shfl_sync(kFullWarp, last, 0) : last)) return false;
        if (lane < kCount) {
            while ((sum & kCountMask) != gridDim.x)
                sum = static_cast<volatile unsigned long long*>(words)[counted_word(lane)];
            words[counted_word(lane)] = 0;
        }
        if (kCount > 1) __syncwarp();
        const long long digits[1] = {static_cast<long long>(sum) >> kCountBits};
        *value = Digits<T>::value(digits, lane);
        return true;
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
