// SPDX-License-Identifier: Apache-2.0
#include "exact_float.h"

namespace wideload::isa {
namespace {

int exponent_of(Bits field, FloatFormat format) {
    return static_cast<int>(field == 0 ? 1 : field) - format.bias() -
           static_cast<int>(format.mantissa_bits);
}

}  // namespace

Exact::Exact(bool negative, std::uint64_t mantissa, int exponent) : negative_(negative) {
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

Exact Exact::of(Bits value, FloatFormat format) {
    const Bits field = format.magnitude(value) >> format.mantissa_bits;
    Bits mantissa = value & ((Bits{1} << format.mantissa_bits) - 1);
    if (field != 0) mantissa |= Bits{1} << format.mantissa_bits;
    return {format.is_negative(value), mantissa, exponent_of(field, format)};
}

Exact Exact::product(Bits a, Bits b, FloatFormat format) {
    const Bits field_a = format.magnitude(a) >> format.mantissa_bits;
    const Bits field_b = format.magnitude(b) >> format.mantissa_bits;
    const Bits ones = (Bits{1} << format.mantissa_bits) - 1;
    const Bits mantissa_a = (a & ones) | (field_a != 0 ? ones + 1 : 0);
    const Bits mantissa_b = (b & ones) | (field_b != 0 ? ones + 1 : 0);
    return {format.is_negative(a) != format.is_negative(b), mantissa_a * mantissa_b,
            exponent_of(field_a, format) + exponent_of(field_b, format)};
}

bool Exact::is_zero() const { return limbs_ == Limbs{}; }

Exact operator+(const Exact& a, const Exact& b) {
    if (a.negative_ == b.negative_) {
        Exact sum = a;
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < Exact::kLimbs; ++i) {
            carry += std::uint64_t{a.limbs_[i]} + b.limbs_[i];
            sum.limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        return sum;
    }
    const bool swap = Exact::less(a.limbs_, b.limbs_);
    const Exact& greater = swap ? b : a;
    const Exact& smaller = swap ? a : b;
    Exact difference = greater;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < Exact::kLimbs; ++i) {
        borrow += std::int64_t{greater.limbs_[i]} - smaller.limbs_[i];
        difference.limbs_[i] = static_cast<std::uint32_t>(borrow);
        borrow >>= 32;
    }
    return difference;
}

Bits Exact::round(FloatFormat format, Mode mode, bool flush) const {
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
    const bool away = mode == Mode::nearest       ? half && (rest || (kept & 1) != 0)
                      : mode == Mode::toward_zero ? false
                                                  : inexact && (mode == Mode::down) == negative_;
    const Bits rounded = kept + (away ? 1 : 0);
    if (unit < least) {
        const bool reaches_normal = unit == least - 1 && rounded >> (format.mantissa_bits + 1) != 0;
        return sign | (reaches_normal ? Bits{1} << format.mantissa_bits : 0);
    }
    const Bits bits = (static_cast<Bits>(unit - least) << format.mantissa_bits) + rounded;
    if (bits < format.infinity()) return sign | bits;
    const bool infinite =
        mode == Mode::nearest || (mode != Mode::toward_zero && (mode == Mode::down) == negative_);
    return sign | (infinite ? format.infinity() : format.infinity() - 1);
}

bool Exact::less(const Limbs& a, const Limbs& b) {
    for (std::size_t i = kLimbs; i-- > 0;) {
        if (a[i] != b[i]) return a[i] < b[i];
    }
    return false;
}

Bits Exact::from(int place) const {
    const std::size_t first = place > 0 ? static_cast<std::size_t>(place) / 32 : 0;
    Bits bits = 0;
    for (std::size_t i = first; i < std::min(first + 3, kLimbs); ++i) {
        const int shift = static_cast<int>(i) * 32 - place;
        if (shift < 64) bits |= shift < 0 ? limbs_[i] >> -shift : Bits{limbs_[i]} << shift;
    }
    return bits;
}

bool Exact::test(int bit) const {
    return bit >= 0 && (limbs_.at(static_cast<unsigned>(bit) / 32) >> bit % 32 & 1) != 0;
}

int Exact::highest_bit() const {
    for (std::size_t i = kLimbs; i-- > 0;) {
        if (limbs_[i] != 0) return static_cast<int>(i) * 32 + std::bit_width(limbs_[i]) - 1;
    }
    return -1;
}

int Exact::lowest_bit() const {
    std::size_t i = 0;
    while (limbs_.at(i) == 0) ++i;
    return static_cast<int>(i) * 32 + std::countr_zero(limbs_[i]);
}

Bits round_sum(const Exact& a, const Exact& b, FloatFormat format, Mode mode, bool flush) {
    const Exact sum = a + b;
    if (!sum.is_zero()) return sum.round(format, mode, flush);
    const bool negative = a.is_negative() == b.is_negative() ? a.is_negative() : mode == Mode::down;
    return negative ? format.sign() : 0;
}

Bits exact_fma(FloatFormat format, Mode mode, Bits a, Bits b, Bits c, bool flush) {
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

Bits exact_mul(FloatFormat format, Mode mode, Bits a, Bits b, bool flush) {
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

Bits exact_add(FloatFormat format, Mode mode, Bits a, Bits b, bool flush) {
    const Bits one = static_cast<Bits>(format.bias()) << format.mantissa_bits;
    return exact_fma(format, mode, a, one, b, flush);
}

Bits exact_extremum(FloatFormat format, bool minimum, bool propagate, Bits a, Bits b) {
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

Bits convert_exactly(Bits value, FloatFormat from, FloatFormat to, Mode mode, bool flush_result) {
    if (from.is_nan(value)) return to.nan();
    if (from.is_infinite(value)) return (from.is_negative(value) ? to.sign() : 0) | to.infinity();
    return Exact::of(value, from).round(to, mode, flush_result);
}

Bits saturated(FloatFormat format, Bits value) {
    const Bits one = static_cast<Bits>(format.bias()) << format.mantissa_bits;
    if (format.is_nan(value) || format.is_negative(value)) return 0;
    return std::min(value, one);
}

Operation in_pairs(unsigned width, Operation operation) {
    return [width, operation = std::move(operation)](const std::vector<Bits>& v) {
        Bits result = 0;
        std::vector<Bits> part(v.size());
        for (const unsigned shift : {0u, width}) {
            for (std::size_t i = 0; i < v.size(); ++i) {
                part[i] = v[i] >> shift & ((Bits{1} << width) - 1);
            }
            result |= operation(part) << shift;
        }
        return result;
    };
}

WarpReference by_bits(Operation operation) {
    return [operation = std::move(operation)](const WarpInput& input, WarpResults& results) {
        std::vector<Bits> operands(input.operands.size());
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = input.operands[i][lane];
            results[0][lane] = operation(operands);
        }
    };
}

}  // namespace wideload::isa
