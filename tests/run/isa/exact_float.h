// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "form.h"

/// Reference arithmetic of floating-point formats: sums and products as integers of 768 bits,
/// rounded once.
namespace wideload::isa {

struct FloatFormat {
    unsigned exponent_bits, mantissa_bits;

    [[nodiscard]] constexpr unsigned width() const { return 1 + exponent_bits + mantissa_bits; }
    [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    [[nodiscard]] constexpr Bits sign() const { return Bits{1} << (width() - 1); }
    [[nodiscard]] constexpr Bits infinity() const { return sign() - (Bits{1} << mantissa_bits); }
    /// PTX's canonical NaN.
    [[nodiscard]] constexpr Bits nan() const { return sign() - 1; }
    [[nodiscard]] constexpr Bits magnitude(Bits value) const { return value & (sign() - 1); }
    [[nodiscard]] constexpr bool is_negative(Bits value) const { return (value & sign()) != 0; }
    [[nodiscard]] constexpr bool is_nan(Bits value) const { return magnitude(value) > infinity(); }
    [[nodiscard]] constexpr bool is_infinite(Bits value) const {
        return magnitude(value) == infinity();
    }
    [[nodiscard]] constexpr bool is_zero(Bits value) const { return magnitude(value) == 0; }
    [[nodiscard]] constexpr bool is_subnormal(Bits value) const {
        return !is_zero(value) && magnitude(value) >> mantissa_bits == 0;
    }
    /// Subnormal numbers as zeros of their sign.
    [[nodiscard]] constexpr Bits flushed(Bits value) const {
        return is_subnormal(value) ? value & sign() : value;
    }
};
inline constexpr FloatFormat kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kF64{11, 52};

enum class Mode { nearest, toward_zero, down, up };
inline constexpr std::array kModes{Mode::nearest, Mode::toward_zero, Mode::down, Mode::up};
/// "rz"
inline const char* ptx_name(Mode mode) {
    return std::array{"rn", "rz", "rm", "rp"}.at(static_cast<std::size_t>(mode));
}

/// A finite number in steps of 2^-320. What is smaller counts as one step, what exceeds 2^400 as
/// 2^400: neither changes what rounding to 32 bits or fewer yields.
class Exact {
public:
    Exact() = default;
    Exact(bool negative, std::uint64_t mantissa, int exponent) : negative_(negative) {
        if (mantissa == 0) return;
        int place = exponent + kScale;
        if (place < 0 && place > -64 && std::countr_zero(mantissa) >= -place) {
            mantissa >>= -place;
            place = 0;
        }
        if (place < 0) {
            mantissa = 1;
            place = 0;
        }
        if (place > 400 + kScale) {
            mantissa = 1;
            place = 400 + kScale;
        }
        const auto first = static_cast<std::size_t>(place) / 32;
        const int shift = place % 32;
        limbs_.at(first) = static_cast<std::uint32_t>(mantissa << shift);
        limbs_.at(first + 1) = static_cast<std::uint32_t>(mantissa >> (32 - shift));
        if (shift != 0) limbs_.at(first + 2) = static_cast<std::uint32_t>(mantissa >> (64 - shift));
    }

    static Exact of(Bits value, FloatFormat format) {
        const Bits field = format.magnitude(value) >> format.mantissa_bits;
        Bits mantissa = value & ((Bits{1} << format.mantissa_bits) - 1);
        if (field != 0) mantissa |= Bits{1} << format.mantissa_bits;
        return {format.is_negative(value), mantissa, exponent_of(field, format)};
    }

    /// Of numbers of 32 bits or fewer.
    static Exact product(Bits a, Bits b, FloatFormat format) {
        const Bits field_a = format.magnitude(a) >> format.mantissa_bits;
        const Bits field_b = format.magnitude(b) >> format.mantissa_bits;
        const Bits ones = (Bits{1} << format.mantissa_bits) - 1;
        const Bits mantissa_a = (a & ones) | (field_a != 0 ? ones + 1 : 0);
        const Bits mantissa_b = (b & ones) | (field_b != 0 ? ones + 1 : 0);
        return {format.is_negative(a) != format.is_negative(b), mantissa_a * mantissa_b,
                exponent_of(field_a, format) + exponent_of(field_b, format)};
    }

    [[nodiscard]] bool is_zero() const { return limbs_ == decltype(limbs_){}; }
    [[nodiscard]] bool is_negative() const { return negative_; }

    friend Exact operator+(const Exact& a, const Exact& b) {
        if (a.negative_ == b.negative_) {
            Exact sum = a;
            std::uint64_t carry = 0;
            for (std::size_t i = 0; i < kLimbs; ++i) {
                carry += std::uint64_t{a.limbs_[i]} + b.limbs_[i];
                sum.limbs_[i] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            return sum;
        }
        const bool swap = less(a.limbs_, b.limbs_);
        const Exact& greater = swap ? b : a;
        const Exact& smaller = swap ? a : b;
        Exact difference = greater;
        std::int64_t borrow = 0;
        for (std::size_t i = 0; i < kLimbs; ++i) {
            borrow += std::int64_t{greater.limbs_[i]} - smaller.limbs_[i];
            difference.limbs_[i] = static_cast<std::uint32_t>(borrow);
            borrow >>= 32;
        }
        return difference;
    }

    /// A zero has the sign of the number. With `flush`, numbers that are too small to be normal
    /// when rounded to the format's precision, but any exponent, become zeros (so does an H200).
    [[nodiscard]] Bits round(FloatFormat format, Mode mode, bool flush = false) const {
        const Bits sign = negative_ ? format.sign() : 0;
        const int top = highest_bit();
        if (top < 0) return sign;
        const int least = 1 - format.bias() - static_cast<int>(format.mantissa_bits);
        const int own_unit = top - kScale - static_cast<int>(format.mantissa_bits);
        const int unit = flush ? own_unit : std::max(own_unit, least);
        const int place = unit + kScale;
        const Bits kept = from(place);
        const bool half = test(place - 1);
        const bool rest = lowest_bit() < place - 1;
        const bool inexact = half || rest;
        const bool away = mode == Mode::nearest ? half && (rest || (kept & 1) != 0)
                          : mode == Mode::toward_zero
                              ? false
                              : inexact && (mode == Mode::down) == negative_;
        const Bits rounded = kept + (away ? 1 : 0);
        if (unit < least) {
            const bool reaches_normal =
                unit == least - 1 && rounded >> (format.mantissa_bits + 1) != 0;
            return sign | (reaches_normal ? Bits{1} << format.mantissa_bits : 0);
        }
        const Bits bits = (static_cast<Bits>(unit - least) << format.mantissa_bits) + rounded;
        if (bits < format.infinity()) return sign | bits;
        const bool infinite = mode == Mode::nearest ||
                              (mode != Mode::toward_zero && (mode == Mode::down) == negative_);
        return sign | (infinite ? format.infinity() : format.infinity() - 1);
    }

private:
    static constexpr int kScale = 320;
    static constexpr std::size_t kLimbs = 26;
    using Limbs = std::array<std::uint32_t, kLimbs>;

    static int exponent_of(Bits field, FloatFormat format) {
        return static_cast<int>(field == 0 ? 1 : field) - format.bias() -
               static_cast<int>(format.mantissa_bits);
    }
    static bool less(const Limbs& a, const Limbs& b) {
        for (std::size_t i = kLimbs; i-- > 0;) {
            if (a[i] != b[i]) return a[i] < b[i];
        }
        return false;
    }
    /// The bits from a place on, where the highest is less than 64 above it.
    [[nodiscard]] Bits from(int place) const {
        const std::size_t first = place > 0 ? static_cast<std::size_t>(place) / 32 : 0;
        Bits bits = 0;
        for (std::size_t i = first; i < std::min(first + 3, kLimbs); ++i) {
            const int shift = static_cast<int>(i) * 32 - place;
            if (shift < 64) bits |= shift < 0 ? limbs_[i] >> -shift : Bits{limbs_[i]} << shift;
        }
        return bits;
    }
    [[nodiscard]] bool test(int bit) const {
        return bit >= 0 && (limbs_.at(static_cast<unsigned>(bit) / 32) >> bit % 32 & 1) != 0;
    }
    [[nodiscard]] int highest_bit() const {
        for (std::size_t i = kLimbs; i-- > 0;) {
            if (limbs_[i] != 0) return static_cast<int>(i) * 32 + std::bit_width(limbs_[i]) - 1;
        }
        return -1;
    }
    /// Of a number other than zero.
    [[nodiscard]] int lowest_bit() const {
        std::size_t i = 0;
        while (limbs_.at(i) == 0) ++i;
        return static_cast<int>(i) * 32 + std::countr_zero(limbs_[i]);
    }

    bool negative_ = false;
    Limbs limbs_{};
};

/// An exact sum's sign, where it is zero, is that of its terms, or, where they differ, + (- when
/// rounding down).
inline Bits round_sum(const Exact& a, const Exact& b, FloatFormat format, Mode mode, bool flush) {
    const Exact sum = a + b;
    if (!sum.is_zero()) return sum.round(format, mode, flush);
    const bool negative = a.is_negative() == b.is_negative() ? a.is_negative() : mode == Mode::down;
    return negative ? format.sign() : 0;
}

/// With `flush`, subnormal operands and results are zeros of their sign.
inline Bits exact_fma(FloatFormat format, Mode mode, Bits a, Bits b, Bits c, bool flush = false) {
    if (flush) {
        for (Bits* operand : {&a, &b, &c}) *operand = format.flushed(*operand);
    }
    if (format.is_nan(a) || format.is_nan(b) || format.is_nan(c)) return format.nan();
    const Bits product_sign = (a ^ b) & format.sign();
    if (format.is_infinite(a) || format.is_infinite(b)) {
        const bool undefined = format.is_zero(a) || format.is_zero(b) ||
                               (format.is_infinite(c) && (c & format.sign()) != product_sign);
        return undefined ? format.nan() : product_sign | format.infinity();
    }
    if (format.is_infinite(c)) return c;
    return round_sum(Exact::product(a, b, format), Exact::of(c, format), format, mode, flush);
}

inline Bits exact_mul(FloatFormat format, Mode mode, Bits a, Bits b, bool flush = false) {
    if (flush) {
        a = format.flushed(a);
        b = format.flushed(b);
    }
    const Bits zero = (a ^ b) & format.sign();  // a zero that changes no product
    if (mode == Mode::down && zero == 0 && (format.is_zero(a) || format.is_zero(b)) &&
        !format.is_nan(a) && !format.is_nan(b) && !format.is_infinite(a) &&
        !format.is_infinite(b)) {
        return 0;
    }
    return exact_fma(format, mode, a, b, zero, flush);
}

inline Bits exact_add(FloatFormat format, Mode mode, Bits a, Bits b, bool flush = false) {
    const Bits one = static_cast<Bits>(format.bias()) << format.mantissa_bits;
    return exact_fma(format, mode, a, one, b, flush);
}

/// -0 is below +0; one NaN gives way to a number, unless NaNs are to propagate.
inline Bits exact_extremum(FloatFormat format, bool minimum, bool propagate, Bits a, Bits b) {
    if (format.is_nan(a) && format.is_nan(b)) return format.nan();
    if (format.is_nan(a) || format.is_nan(b)) {
        return propagate ? format.nan() : format.is_nan(a) ? b : a;
    }
    const auto rank = [format](Bits value) {
        const auto magnitude = static_cast<std::int64_t>(format.magnitude(value));
        return format.is_negative(value) ? -magnitude - 1 : magnitude;
    };
    return (rank(a) < rank(b)) == minimum ? a : b;
}

/// A value of one format in another.
inline Bits convert_exactly(Bits value, FloatFormat from, FloatFormat to, Mode mode,
                            bool flush_result = false) {
    if (from.is_nan(value)) return to.nan();
    if (from.is_infinite(value)) return (from.is_negative(value) ? to.sign() : 0) | to.infinity();
    return Exact::of(value, from).round(to, mode, flush_result);
}

/// .sat: clamped to [0, 1], NaN as +0.
inline Bits saturated(FloatFormat format, Bits value) {
    const Bits one = static_cast<Bits>(format.bias()) << format.mantissa_bits;
    if (format.is_nan(value) || format.is_negative(value)) return 0;
    return std::min(value, one);
}

/// Runs `operation` with the host's rounding set.
template <class Operation>
auto in_mode(Mode mode, Operation operation) {
    constexpr std::array kHostModes{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kHostModes.at(static_cast<std::size_t>(mode)));
    const auto result = operation();
    std::fesetround(FE_TONEAREST);
    return result;
}

/// A value that the compiler knows nothing of, so that it computes with it where it is told to.
template <class T>
T opaque(T value) {
    volatile T hidden = value;
    return hidden;
}

inline float as_f32(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
inline double as_f64(Bits bits) { return std::bit_cast<double>(bits); }
inline Bits bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
inline Bits bits_of(double value) { return std::bit_cast<Bits>(value); }

/// Operands and result of one instruction, as bits.
using Operation = std::function<Bits(const std::vector<Bits>&)>;

/// The operation on each of two parts of `width` bits.
inline Operation in_pairs(unsigned width, Operation operation) {
    return [width, operation = std::move(operation)](const std::vector<Bits>& v) {
        Bits result = 0;
        for (const unsigned shift : {0u, width}) {
            std::vector<Bits> part;
            for (const Bits value : v) part.push_back(value >> shift & ((Bits{1} << width) - 1));
            result |= operation(part) << shift;
        }
        return result;
    };
}

/// A lane's reference that depends on nothing but its operands.
inline WarpReference by_bits(Operation operation) {
    return [operation = std::move(operation)](const WarpInput& input, WarpResults& results) {
        std::vector<Bits> operands(input.operands.size());
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = input.operands[i][lane];
            results[0][lane] = operation(operands);
        }
    };
}

}  // namespace wideload::isa
