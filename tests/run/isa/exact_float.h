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
    Exact(bool negative, std::uint64_t mantissa, int exponent);

    static Exact of(Bits value, FloatFormat format);

    /// Of numbers of 32 bits or fewer.
    static Exact product(Bits a, Bits b, FloatFormat format);

    [[nodiscard]] bool is_zero() const;
    [[nodiscard]] bool is_negative() const { return negative_; }

    friend Exact operator+(const Exact& a, const Exact& b);

    /// A zero has the sign of the number. With `flush`, numbers that are too small to be normal
    /// when rounded to the format's precision, but any exponent, become zeros (so does an H200).
    [[nodiscard]] Bits round(FloatFormat format, Mode mode, bool flush = false) const;

private:
    static constexpr int kScale = 320;
    static constexpr std::size_t kLimbs = 26;
    using Limbs = std::array<std::uint32_t, kLimbs>;

    static bool less(const Limbs& a, const Limbs& b);
    /// The bits from a place on, where the highest is less than 64 above it.
    [[nodiscard]] Bits from(int place) const;
    [[nodiscard]] bool test(int bit) const;
    [[nodiscard]] int highest_bit() const;
    /// Of a number other than zero.
    [[nodiscard]] int lowest_bit() const;

    bool negative_ = false;
    Limbs limbs_{};
};

/// An exact sum's sign, where it is zero, is that of its terms, or, where they differ, + (- when
/// rounding down).
[[nodiscard]] Bits round_sum(const Exact& a, const Exact& b, FloatFormat format, Mode mode,
                             bool flush);

/// With `flush`, subnormal operands and results are zeros of their sign.
[[nodiscard]] Bits exact_fma(FloatFormat format, Mode mode, Bits a, Bits b, Bits c,
                             bool flush = false);

[[nodiscard]] Bits exact_mul(FloatFormat format, Mode mode, Bits a, Bits b, bool flush = false);

[[nodiscard]] Bits exact_add(FloatFormat format, Mode mode, Bits a, Bits b, bool flush = false);

/// -0 is below +0; one NaN gives way to a number, unless NaNs are to propagate.
[[nodiscard]] Bits exact_extremum(FloatFormat format, bool minimum, bool propagate, Bits a, Bits b);

/// A value of one format in another.
[[nodiscard]] Bits convert_exactly(Bits value, FloatFormat from, FloatFormat to, Mode mode,
                                   bool flush_result = false);

/// .sat: clamped to [0, 1], NaN as +0.
[[nodiscard]] Bits saturated(FloatFormat format, Bits value);

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
[[nodiscard]] Operation in_pairs(unsigned width, Operation operation);

/// A lane's reference that depends on nothing but its operands.
[[nodiscard]] WarpReference by_bits(Operation operation);

}  // namespace wideload::isa
