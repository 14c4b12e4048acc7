// SPDX-License-Identifier: Apache-2.0
#include "operations.h"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace wideload::fuzz {
namespace {

using Bits = std::uint64_t;

std::uint32_t u32(Bits v) { return static_cast<std::uint32_t>(v); }
std::int32_t s32(Bits v) { return static_cast<std::int32_t>(u32(v)); }
std::int64_t s64(Bits v) { return static_cast<std::int64_t>(v); }
float single(Bits v) { return std::bit_cast<float>(u32(v)); }
double real(Bits v) { return std::bit_cast<double>(v); }
Bits of(std::int32_t v) { return static_cast<std::uint32_t>(v); }
Bits of(std::uint32_t v) { return v; }
Bits of(std::int64_t v) { return static_cast<Bits>(v); }
Bits of(Bits v) { return v; }
Bits of(bool v) { return v ? 1 : 0; }
/// f32 arithmetic has one NaN.
Bits of(float v) { return std::isnan(v) ? 0x7fffffff : std::bit_cast<std::uint32_t>(v); }
Bits of(double v) { return std::bit_cast<Bits>(v); }

template <class Integer>
Integer to_integer(double v) {
    if (std::isnan(v)) return 0;
    // The bounds as doubles: the upper one is the first that does not fit.
    if (v <= static_cast<double>(std::numeric_limits<Integer>::min())) {
        return std::numeric_limits<Integer>::min();
    }
    if (v >= std::ldexp(1.0, std::numeric_limits<Integer>::digits)) {
        return std::numeric_limits<Integer>::max();
    }
    return static_cast<Integer>(v);
}

template <class Float>
Float smaller(Float a, Float b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
template <class Float>
Float larger(Float a, Float b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
}

Bits extract_bits(Bits value, Bits start, Bits length, bool is_signed) {
    start &= 0xff;
    length &= 0xff;
    Bits result = 0;
    if (length == 0) return 0;
    const unsigned top = static_cast<unsigned>(std::min<Bits>(start + length - 1, 31));
    const Bits sign = is_signed ? (u32(value) >> top & 1) : 0;
    for (unsigned i = 0; i < 32; ++i) {
        const bool inside = i < length && start + i < 32;
        result |= (inside ? (u32(value) >> (start + i) & 1) : sign) << i;
    }
    return result;
}

Bits permute_bytes(Bits a, Bits b, Bits selector) {
    const Bits bytes = u32(a) | Bits{u32(b)} << 32;
    Bits result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const Bits pick = selector >> (4 * i) & 15;
        Bits byte = bytes >> (8 * (pick & 7)) & 0xff;
        if ((pick & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

Bits reverse(Bits value) {
    Bits result = 0;
    for (unsigned i = 0; i < 32; ++i) result |= (value >> i & 1) << (31 - i);
    return result;
}

#define EVALUATE(expression) [](const Bits* v) -> Bits { return of(expression); }

using enum Type;

const std::vector<Operation>& table() {
    static const std::vector<Operation> operations = {
        // 32-bit integers.
        {"mov.u32", b32, {b32}, EVALUATE(u32(v[0])), true},
        {"add.s32", b32, {b32, b32}, EVALUATE(u32(v[0]) + u32(v[1])), true},
        {"add.u32", b32, {b32, b32}, EVALUATE(u32(v[0]) + u32(v[1])), true},
        {"sub.s32", b32, {b32, b32}, EVALUATE(u32(v[0]) - u32(v[1])), true},
        {"mul.lo.s32", b32, {b32, b32}, EVALUATE(u32(v[0]) * u32(v[1])), true, -9, 40},
        {"mul.lo.u32", b32, {b32, b32}, EVALUATE(u32(v[0]) * u32(v[1])), true},
        {"mul.hi.s32",
         b32,
         {b32, b32},
         EVALUATE(u32(of(std::int64_t{s32(v[0])} * s32(v[1])) >> 32))},
        {"mul.hi.u32", b32, {b32, b32}, EVALUATE(u32(Bits{u32(v[0])} * u32(v[1]) >> 32))},
        {"mad.lo.s32", b32, {b32, b32, b32}, EVALUATE(u32(v[0]) * u32(v[1]) + u32(v[2])), true},
        {"and.b32", b32, {b32, b32}, EVALUATE(u32(v[0] & v[1])), true},
        {"or.b32", b32, {b32, b32}, EVALUATE(u32(v[0] | v[1]))},
        {"xor.b32", b32, {b32, b32}, EVALUATE(u32(v[0] ^ v[1]))},
        {"not.b32", b32, {b32}, EVALUATE(~u32(v[0]))},
        {"neg.s32", b32, {b32}, EVALUATE(0u - u32(v[0])), true},
        {"shl.b32",
         b32,
         {b32, b32},
         EVALUATE(u32(v[1]) > 31 ? 0u : u32(v[0]) << u32(v[1])),
         true,
         0,
         33},
        {"shr.u32",
         b32,
         {b32, b32},
         EVALUATE(u32(v[1]) > 31 ? 0u : u32(v[0]) >> u32(v[1])),
         true,
         0,
         33},
        {"shr.s32", b32, {b32, b32}, EVALUATE(s32(v[0]) >> std::min(u32(v[1]), 31u)), true, 0, 33},
        {"min.s32", b32, {b32, b32}, EVALUATE(std::min(s32(v[0]), s32(v[1])))},
        {"max.u32", b32, {b32, b32}, EVALUATE(std::max(u32(v[0]), u32(v[1])))},
        {"div.u32", b32, {b32, b32}, EVALUATE(u32(v[0]) / u32(v[1])), false, 1, 100},
        {"rem.s32", b32, {b32, b32}, EVALUATE(s32(v[0]) % s32(v[1])), false, 1, 100},
        {"popc.b32", b32, {b32}, EVALUATE(static_cast<std::uint32_t>(std::popcount(u32(v[0]))))},
        {"clz.b32", b32, {b32}, EVALUATE(static_cast<std::uint32_t>(std::countl_zero(u32(v[0]))))},
        {"brev.b32", b32, {b32}, EVALUATE(reverse(u32(v[0])))},
        {"bfe.u32",
         b32,
         {b32, b32, b32},
         EVALUATE(extract_bits(v[0], v[1], v[2], false)),
         false,
         0,
         40},
        {"bfe.s32",
         b32,
         {b32, b32, b32},
         EVALUATE(extract_bits(v[0], v[1], v[2], true)),
         false,
         0,
         40},
        {"prmt.b32", b32, {b32, b32, b32}, EVALUATE(permute_bytes(v[0], v[1], v[2]))},
        {"selp.b32", b32, {b32, b32, pred}, EVALUATE(v[2] != 0 ? u32(v[0]) : u32(v[1]))},
        {"cvt.u32.u64", b32, {b64}, EVALUATE(u32(v[0])), true},
        {"cvt.s32.s64", b32, {b64}, EVALUATE(u32(v[0])), true},
        {"cvt.u32.u32", b32, {b32}, EVALUATE(u32(v[0])), true},
        {"cvt.u32.u16", b32, {b32}, EVALUATE(u32(v[0]) & 0xffff)},
        {"cvt.s32.s16", b32, {b32}, EVALUATE(std::int32_t{static_cast<std::int16_t>(v[0])})},
        {"cvt.u32.u8", b32, {b32}, EVALUATE(u32(v[0]) & 0xff)},
        {"cvt.s32.s8", b32, {b32}, EVALUATE(std::int32_t{static_cast<std::int8_t>(v[0])})},
        {"cvt.u8.u8", b32, {b32}, EVALUATE(u32(v[0]) & 0xff)},
        {"cvt.s16.s16", b32, {b32}, EVALUATE(std::int32_t{static_cast<std::int16_t>(v[0])})},
        {"cvt.sat.u16.s32", b32, {b32}, EVALUATE(u32(of(std::min(std::max(s32(v[0]), 0), 65535))))},
        // 64-bit integers.
        {"mov.b64", b64, {b64}, EVALUATE(v[0]), true},
        {"add.s64", b64, {b64, b64}, EVALUATE(v[0] + v[1]), true},
        {"sub.s64", b64, {b64, b64}, EVALUATE(v[0] - v[1]), true},
        {"mul.lo.s64", b64, {b64, b64}, EVALUATE(v[0] * v[1]), true, -9, 40},
        {"mad.lo.s64", b64, {b64, b64, b64}, EVALUATE(v[0] * v[1] + v[2]), true},
        {"mul.wide.s32",
         b64,
         {b32, b32},
         EVALUATE(std::int64_t{s32(v[0])} * s32(v[1])),
         true,
         -16,
         40},
        {"mul.wide.u32", b64, {b32, b32}, EVALUATE(Bits{u32(v[0])} * u32(v[1])), true, 1, 40},
        {"mad.wide.s32",
         b64,
         {b32, b32, b64},
         EVALUATE(v[2] + of(std::int64_t{s32(v[0])} * s32(v[1]))),
         true},
        {"mad.wide.u32", b64, {b32, b32, b64}, EVALUATE(v[2] + Bits{u32(v[0])} * u32(v[1])), true},
        {"cvt.s64.s32", b64, {b32}, EVALUATE(std::int64_t{s32(v[0])}), true},
        {"cvt.u64.u32", b64, {b32}, EVALUATE(Bits{u32(v[0])}), true},
        {"cvt.u64.s32", b64, {b32}, EVALUATE(std::int64_t{s32(v[0])}), true},
        {"cvt.s64.u32", b64, {b32}, EVALUATE(Bits{u32(v[0])}), true},
        {"cvt.u64.u16", b64, {b32}, EVALUATE(v[0] & 0xffff)},
        {"and.b64", b64, {b64, b64}, EVALUATE(v[0] & v[1]), true},
        {"or.b64", b64, {b64, b64}, EVALUATE(v[0] | v[1])},
        {"xor.b64", b64, {b64, b64}, EVALUATE(v[0] ^ v[1])},
        {"shl.b64", b64, {b64, b32}, EVALUATE(u32(v[1]) > 63 ? 0 : v[0] << u32(v[1])), true, 0, 65},
        {"shr.u64", b64, {b64, b32}, EVALUATE(u32(v[1]) > 63 ? 0 : v[0] >> u32(v[1])), true, 0, 65},
        {"shr.s64", b64, {b64, b32}, EVALUATE(s64(v[0]) >> std::min(u32(v[1]), 63u)), true, 0, 65},
        {"min.u64", b64, {b64, b64}, EVALUATE(std::min(v[0], v[1]))},
        {"max.s64", b64, {b64, b64}, EVALUATE(std::max(s64(v[0]), s64(v[1])))},
        {"rem.u64", b64, {b64, b64}, EVALUATE(v[0] % v[1]), false, 1, 1000},
        {"selp.b64", b64, {b64, b64, pred}, EVALUATE(v[2] != 0 ? v[0] : v[1])},
        // Predicates.
        {"setp.eq.s32", pred, {b32, b32}, EVALUATE(u32(v[0]) == u32(v[1]))},
        {"setp.ne.b32", pred, {b32, b32}, EVALUATE(u32(v[0]) != u32(v[1]))},
        {"setp.lt.s32", pred, {b32, b32}, EVALUATE(s32(v[0]) < s32(v[1]))},
        {"setp.lt.u32", pred, {b32, b32}, EVALUATE(u32(v[0]) < u32(v[1]))},
        {"setp.ge.s32", pred, {b32, b32}, EVALUATE(s32(v[0]) >= s32(v[1]))},
        {"setp.hi.u32", pred, {b32, b32}, EVALUATE(u32(v[0]) > u32(v[1]))},
        {"setp.le.s64", pred, {b64, b64}, EVALUATE(s64(v[0]) <= s64(v[1]))},
        {"setp.lt.u64", pred, {b64, b64}, EVALUATE(v[0] < v[1])},
        {"setp.gt.f32", pred, {f32, f32}, EVALUATE(single(v[0]) > single(v[1]))},
        {"setp.neu.f32", pred, {f32, f32}, EVALUATE(!(single(v[0]) == single(v[1])))},
        {"setp.le.f64", pred, {f64, f64}, EVALUATE(real(v[0]) <= real(v[1]))},
        {"setp.num.f32",
         pred,
         {f32, f32},
         EVALUATE(!std::isnan(single(v[0])) && !std::isnan(single(v[1])))},
        {"setp.num.f64",
         pred,
         {f64, f64},
         EVALUATE(!std::isnan(real(v[0])) && !std::isnan(real(v[1])))},
        {"setp.lt.and.s32", pred, {b32, b32, pred}, EVALUATE(s32(v[0]) < s32(v[1]) && v[2] != 0)},
        {"setp.ne.xor.u32",
         pred,
         {b32, b32, pred},
         EVALUATE((u32(v[0]) != u32(v[1])) != (v[2] != 0))},
        {"and.pred", pred, {pred, pred}, EVALUATE(v[0] & v[1])},
        {"or.pred", pred, {pred, pred}, EVALUATE(v[0] | v[1])},
        {"xor.pred", pred, {pred, pred}, EVALUATE(v[0] ^ v[1])},
        {"not.pred", pred, {pred}, EVALUATE(v[0] ^ 1)},
        {"mov.pred", pred, {pred}, EVALUATE(v[0])},
        // Floating point.
        {"add.rn.f32", f32, {f32, f32}, EVALUATE(single(v[0]) + single(v[1]))},
        {"sub.rn.f32", f32, {f32, f32}, EVALUATE(single(v[0]) - single(v[1]))},
        {"mul.rn.f32", f32, {f32, f32}, EVALUATE(single(v[0]) * single(v[1]))},
        {"fma.rn.f32",
         f32,
         {f32, f32, f32},
         EVALUATE(std::fmaf(single(v[0]), single(v[1]), single(v[2])))},
        {"div.rn.f32", f32, {f32, f32}, EVALUATE(single(v[0]) / single(v[1]))},
        {"sqrt.rn.f32", f32, {f32}, EVALUATE(std::sqrt(single(v[0])))},
        {"min.f32", f32, {f32, f32}, EVALUATE(smaller(single(v[0]), single(v[1])))},
        {"max.f32", f32, {f32, f32}, EVALUATE(larger(single(v[0]), single(v[1])))},
        {"neg.f32", f32, {f32}, EVALUATE(-single(v[0]))},
        {"abs.f32", f32, {f32}, EVALUATE(std::fabs(single(v[0])))},
        {"mov.f32", f32, {f32}, EVALUATE(u32(v[0]))},
        {"selp.f32", f32, {f32, f32, pred}, EVALUATE(v[2] != 0 ? u32(v[0]) : u32(v[1]))},
        {"cvt.rn.f32.s32", f32, {b32}, EVALUATE(static_cast<float>(s32(v[0])))},
        {"cvt.rn.f32.u32", f32, {b32}, EVALUATE(static_cast<float>(u32(v[0])))},
        {"cvt.rn.f32.u64", f32, {b64}, EVALUATE(static_cast<float>(v[0]))},
        {"cvt.rn.f32.f64",
         f32,
         {f64},
         EVALUATE(std::bit_cast<std::uint32_t>(static_cast<float>(real(v[0]))))},
        {"cvt.rzi.s32.f32", b32, {f32}, EVALUATE(to_integer<std::int32_t>(single(v[0])))},
        {"cvt.rzi.u32.f32", b32, {f32}, EVALUATE(to_integer<std::uint32_t>(single(v[0])))},
        {"add.rn.f64", f64, {f64, f64}, EVALUATE(real(v[0]) + real(v[1]))},
        {"mul.rn.f64", f64, {f64, f64}, EVALUATE(real(v[0]) * real(v[1]))},
        {"fma.rn.f64",
         f64,
         {f64, f64, f64},
         EVALUATE(std::fma(real(v[0]), real(v[1]), real(v[2])))},
        {"mov.f64", f64, {f64}, EVALUATE(v[0])},
        {"max.f64", f64, {f64, f64}, EVALUATE(larger(real(v[0]), real(v[1])))},
        {"cvt.f64.f32", f64, {f32}, EVALUATE(static_cast<double>(single(v[0])))},
        {"cvt.rn.f64.s32", f64, {b32}, EVALUATE(static_cast<double>(s32(v[0])))},
        {"cvt.rn.f64.s64", f64, {b64}, EVALUATE(static_cast<double>(s64(v[0])))},
        {"cvt.rzi.s64.f64", b64, {f64}, EVALUATE(to_integer<std::int64_t>(real(v[0])))},
        {"selp.f64", f64, {f64, f64, pred}, EVALUATE(v[2] != 0 ? v[0] : v[1])},
        // Bits of one type as another.
        {"mov.b32", b32, {f32}, EVALUATE(u32(v[0]))},
        {"mov.b32 ", f32, {b32}, EVALUATE(u32(v[0]))},
        {"mov.b64 ", f64, {b64}, EVALUATE(v[0])},
        {"mov.b64  ", b64, {f64}, EVALUATE(v[0])},
    };
    return operations;
}

#undef EVALUATE

}  // namespace

std::span<const Operation> operations() { return table(); }

const Operation& operation(std::string_view ptx) {
    for (const Operation& candidate : table()) {
        if (candidate.ptx == ptx) return candidate;
    }
    throw std::logic_error("no such operation: " + std::string(ptx));
}

}  // namespace wideload::fuzz
