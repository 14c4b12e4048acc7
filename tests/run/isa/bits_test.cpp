// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields and counts: references go bit by bit, as the PTX manual's pseudocode
// does.
#include <gtest/gtest.h>

#include "harness.h"
#include "types.h"

namespace wideload::isa {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;

template <class T>
std::string bits_name() {
    return "b" + std::to_string(kWidth<T>);
}

template <class T>
bool bit(T value, std::uint64_t position) {
    return position < kWidth<T> && (static_cast<std::uint64_t>(value) >> position & 1) != 0;
}

/// A value of `width` bits from a function of their positions.
template <class T, class Function>
T from_bits(Function function) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < kWidth<T>; ++i) value |= std::uint64_t{function(i) ? 1u : 0u} << i;
    return static_cast<T>(value);
}

template <class T>
std::vector<Form> logic() {
    const std::string type = bits_name<T>();
    const std::vector<std::string> one{type}, two{type, type};
    std::vector<Form> forms{
        {"and." + type + " $d, $a, $b;", one, two,
         by_lane([](T a, T b) { return static_cast<T>(a & b); })},
        {"or." + type + " $d, $a, $b;", one, two,
         by_lane([](T a, T b) { return static_cast<T>(a | b); })},
        {"xor." + type + " $d, $a, $b;", one, two,
         by_lane([](T a, T b) { return static_cast<T>(a ^ b); })},
        {"not." + type + " $d, $a;", one, one, by_lane([](T a) { return static_cast<T>(~a); })},
        {"cnot." + type + " $d, $a;", one, one,
         by_lane([](T a) { return static_cast<T>(a == 0); })}};
    for (std::size_t i = 0; i < 3; ++i) forms[i].literals = {1, {0, 1, 0x1f, 0x7fff, 0xfff0}};
    return forms;
}

TEST(Bits, Logic) {
    check(logic<U16>());
    check(logic<U32>());
    check(logic<U64>());
    const std::vector<std::string> one{"pred"}, two{"pred", "pred"};
    check({{"and.pred $d, $a, $b;", one, two, by_lane([](bool a, bool b) { return a && b; })},
           {"or.pred $d, $a, $b;", one, two, by_lane([](bool a, bool b) { return a || b; })},
           {"xor.pred $d, $a, $b;", one, two, by_lane([](bool a, bool b) { return a != b; })},
           {"not.pred $d, $a;", one, one, by_lane([](bool a) { return !a; })}});
}

/// All 256 truth tables: each is one form, so operands are few.
TEST(Bits, AnyFunctionOfThreeInputs) {
    for (unsigned table = 0; table < 256; ++table) {
        check({{"lop3.b32 $d, $a, $b, $c, " + std::to_string(table) + ";",
                {"b32"},
                {"b32", "b32", "b32"},
                by_lane([table](U32 a, U32 b, U32 c) {
                    return from_bits<U32>([&](unsigned i) {
                        const unsigned entry = bit(a, i) * 4u + bit(b, i) * 2u + bit(c, i) * 1u;
                        return bit(table, entry);
                    });
                })}});
    }
}

TEST(Bits, ThreeInputsWithPredicate) {
    const auto combined = [](auto function) {
        return by_lane([function](U32 a, U32 b, U32 c, bool h) {
            const U32 result = (a & b) ^ c;
            return std::tuple(result, function(result != 0, h));
        });
    };
    const std::vector<std::string> results{"b32", "pred"}, operands{"b32", "b32", "b32", "pred"};
    check({{"lop3.and.b32 $d|$e, $a, $b, $c, 0x6a, $h;", results, operands,
            combined([](bool x, bool y) { return x && y; })},
           {"lop3.or.b32 $d|$e, $a, $b, $c, 0x6a, $h;", results, operands,
            combined([](bool x, bool y) { return x || y; })},
           {"lop3.or.b32 $d|$e, $a, $b, $c, 0x6a, !$h;", results, operands,
            combined([](bool x, bool y) { return x || !y; })},
           {"lop3.and.b32 _|$d, $a, $b, $c, 0x6a, $h;",
            {"pred"},
            operands,
            by_lane([](U32 a, U32 b, U32 c, bool h) { return ((a & b) ^ c) != 0 && h; })}});
}

const std::vector<Bits> kAmounts{
    0,  1,  2,  7,   8,   15,  16,  17,      31,      32,         33,         47,         48,
    63, 64, 65, 127, 128, 255, 256, 0x10000, 0x10001, 0x80000000, 0xffffffff, 0x00010005, 0x100000};

Form with_amounts(Form form, std::size_t operand, Bits greatest_literal = 0xffffffff) {
    form.values.resize(form.operands.size());
    form.values[operand] = kAmounts;
    form.literals = {static_cast<unsigned>(operand),
                     {0, 1, 5, 16, 31, 32, 33, 64, greatest_literal}};
    return form;
}

template <class T>
std::vector<Form> shifts() {
    using U = std::make_unsigned_t<T>;
    const std::string bits = bits_name<T>(), type = type_name<T>();
    return {with_amounts(
                {"shl." + bits + " $d, $a, $b;", {bits}, {bits, "u32"}, by_lane([](T a, U32 b) {
                     return from_bits<U>([&](unsigned i) { return i >= b && bit(a, i - b); });
                 })},
                1),
            with_amounts(
                {"shr." + type + " $d, $a, $b;", {type}, {type, "u32"}, by_lane([](T a, U32 b) {
                     return from_bits<U>([&](unsigned i) {
                         const std::uint64_t from = std::uint64_t{i} + b;
                         return from < kWidth<T> ? bit(a, from) : a < 0;
                     });
                 })},
                1)};
}

TEST(Bits, Shifts) {
    check(shifts<std::uint16_t>());
    check(shifts<std::uint32_t>());
    check(shifts<std::uint64_t>());
    check(shifts<std::int16_t>());
    check(shifts<std::int32_t>());
    check(shifts<std::int64_t>());
}

TEST(Bits, FunnelShifts) {
    const auto form = [](const std::string& mode, auto amount, bool left) {
        return with_amounts({"shf" + mode + ".b32 $d, $a, $b, $c;",
                             {"b32"},
                             {"b32", "b32", "u32"},
                             by_lane([=](U32 a, U32 b, U32 c) {
                                 const U64 whole = U64{b} << 32 | a;
                                 const U32 n = amount(c);
                                 const U64 moved =
                                     left ? (n == 0 ? whole : whole << n) >> 32 : whole >> n;
                                 return static_cast<U32>(moved);
                             })},
                            2);
    };
    const auto clamp = [](U32 c) { return c < 32 ? c : 32; };
    const auto wrap = [](U32 c) { return c & 31; };
    check({form(".l.clamp", clamp, true), form(".l.wrap", wrap, true),
           form(".r.clamp", clamp, false), form(".r.wrap", wrap, false)});
}

/// A position or length: 32-bit instructions look at its lowest byte, 64-bit ones at all of it.
template <class T>
unsigned field_operand(U32 value) {
    return kWidth<T> == 32 ? value & 0xff : std::min(value, 255u);
}

template <class T>
Form extract() {
    return with_amounts(
        {"bfe." + type_name<T>() + " $d, $a, $b, $c;",
         {type_name<T>()},
         {type_name<T>(), "u32", "u32"},
         by_lane([](T a, U32 b, U32 c) {
             const unsigned position = field_operand<T>(b), length = field_operand<T>(c);
             const unsigned top = kWidth<T> - 1;
             const bool sign =
                 std::is_signed_v<T> && length != 0 && bit(a, std::min(position + length - 1, top));
             return from_bits<T>([&](unsigned i) {
                 return i < length && position + i <= top ? bit(a, position + i) : sign;
             });
         }),
         {{}, kAmounts, kAmounts}},
        1, 255);
}

template <class T>
Form insert() {
    const std::string type = bits_name<T>();
    return {"bfi." + type + " $d, $a, $b, $c, $h;",
            {type},
            {type, type, "u32", "u32"},
            by_lane([](T a, T b, U32 c, U32 h) {
                const unsigned position = field_operand<T>(c), length = field_operand<T>(h);
                return from_bits<T>([&](unsigned i) {
                    return i >= position && i < position + length ? bit(a, i - position)
                                                                  : bit(b, i);
                });
            }),
            {{}, {}, kAmounts, kAmounts}};
}

TEST(Bits, Fields) {
    check({extract<std::uint32_t>(), extract<std::int32_t>(), extract<std::uint64_t>(),
           extract<std::int64_t>(), insert<std::uint32_t>(), insert<std::uint64_t>()});
    Form literal = insert<std::uint32_t>();
    literal.text = "bfi.b32 $d, $a, $b, 8, $c;";
    literal.operands = {"b32", "b32", "u32"};
    literal.values = {{}, {}, kAmounts};
    literal.reference = by_lane([](U32 a, U32 b, U32 c) {
        return from_bits<U32>(
            [&](unsigned i) { return i >= 8 && i < 8 + (c & 0xff) ? bit(a, i - 8) : bit(b, i); });
    });
    literal.literals = {2, {0, 1, 8, 24, 25, 255}};
    check({literal});
}

TEST(Bits, Masks) {
    const auto mask = [](U32 start, U32 width) {
        return from_bits<U32>([&](unsigned i) { return i >= start && i - start < width; });
    };
    check({with_amounts({"bmsk.clamp.b32 $d, $a, $b;",
                         {"b32"},
                         {"u32", "u32"},
                         by_lane([=](U32 a, U32 b) { return mask(a, b); }),
                         {kAmounts, kAmounts}},
                        1),
           with_amounts({"bmsk.wrap.b32 $d, $a, $b;",
                         {"b32"},
                         {"u32", "u32"},
                         by_lane([=](U32 a, U32 b) { return mask(a & 31, b & 31); }),
                         {kAmounts, kAmounts}},
                        1)});
}

template <class T>
std::vector<Form> extensions() {
    const auto extend = [](T a, U32 width) {
        return from_bits<T>([&](unsigned i) {
            if (i < width) return bit(a, i);
            return std::is_signed_v<T> && width != 0 && bit(a, width - 1);
        });
    };
    const std::string type = type_name<T>();
    return {with_amounts({"szext.clamp." + type + " $d, $a, $b;",
                          {type},
                          {type, "u32"},
                          by_lane([=](T a, U32 b) { return extend(a, b); })},
                         1),
            with_amounts({"szext.wrap." + type + " $d, $a, $b;",
                          {type},
                          {type, "u32"},
                          by_lane([=](T a, U32 b) { return extend(a, b & 31); })},
                         1)};
}

TEST(Bits, Extensions) {
    check(extensions<std::uint32_t>());
    check(extensions<std::int32_t>());
}

template <class T>
U32 leading_bit(T value) {
    const bool ordinary = std::is_signed_v<T> && value < 0;
    for (unsigned i = kWidth<T>; i-- > 0;) {
        if (bit(value, i) != ordinary) return i;
    }
    return ~0u;
}

template <class T>
std::vector<Form> leading_bits() {
    const std::string type = type_name<T>();
    return {{"bfind." + type + " $d, $a;", {"u32"}, {type}, by_lane([](T a) {
                 return leading_bit(a);
             })},
            {"bfind.shiftamt." + type + " $d, $a;", {"u32"}, {type}, by_lane([](T a) {
                 const U32 found = leading_bit(a);
                 return found == ~0u ? found : kWidth<T> - 1 - found;
             })}};
}

template <class T>
std::vector<Form> counts() {
    const std::string type = bits_name<T>();
    return {{"popc." + type + " $d, $a;", {"u32"}, {type}, by_lane([](T a) {
                 U32 count = 0;
                 for (unsigned i = 0; i < kWidth<T>; ++i) count += bit(a, i) ? 1u : 0u;
                 return count;
             })},
            {"clz." + type + " $d, $a;", {"u32"}, {type}, by_lane([](T a) {
                 U32 count = 0;
                 while (count < kWidth<T> && !bit(a, kWidth<T> - 1 - count)) ++count;
                 return count;
             })},
            {"brev." + type + " $d, $a;", {type}, {type}, by_lane([](T a) {
                 return from_bits<T>([&](unsigned i) { return bit(a, kWidth<T> - 1 - i); });
             })}};
}

TEST(Bits, CountsAndPositions) {
    check(leading_bits<std::uint32_t>());
    check(leading_bits<std::int32_t>());
    check(leading_bits<std::uint64_t>());
    check(leading_bits<std::int64_t>());
    check(counts<std::uint32_t>());
    check(counts<std::uint64_t>());
}

TEST(Bits, FindNthSet) {
    std::vector<Bits> bases, offsets;
    for (unsigned i = 0; i < 32; ++i) bases.push_back(i);
    for (int i = -34; i <= 34; ++i) offsets.push_back(static_cast<U32>(i));
    Form form{"fns.b32 $d, $a, $b, $c;",
              {"u32"},
              {"b32", "u32", "s32"},
              by_lane([](U32 mask, U32 base, S32 offset) {
                  if (offset == 0) return bit(mask, base) ? base : ~0u;
                  S32 seen = 0;
                  for (S32 i = static_cast<S32>(base); i >= 0 && i < 32; i += offset > 0 ? 1 : -1) {
                      if (bit(mask, static_cast<U32>(i))) ++seen;
                      if (seen == (offset > 0 ? offset : -offset)) return static_cast<U32>(i);
                  }
                  return ~0u;
              })};
    form.values = {{}, bases, offsets};
    form.only_values = {false, true, true};
    check({form});
}

/// One byte of eight as a selector's four bits name it.
U32 selected(U32 a, U32 b, U32 nibble) {
    const U32 byte = static_cast<U32>((U64{b} << 32 | a) >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) == 0) return byte;
    return (byte & 0x80) != 0 ? 0xff : 0;
}

U32 permuted(U32 a, U32 b, std::array<U32, 4> nibbles_from_the_top) {
    U32 result = 0;
    for (const U32 nibble : nibbles_from_the_top) result = result << 8 | selected(a, b, nibble);
    return result;
}

TEST(Bits, BytePermutation) {
    Form form{"prmt.b32 $d, $a, $b, $c;",
              {"b32"},
              {"b32", "b32", "b32"},
              by_lane([](U32 a, U32 b, U32 c) {
                  return permuted(a, b, {c >> 12 & 15, c >> 8 & 15, c >> 4 & 15, c & 15});
              })};
    form.literals = {2,
                     {0x3210, 0x0123, 0x7531, 0x5410, 0x7632, 0x4440, 0x8888, 0xba98, 0x1234fedc,
                      0x6543, 0x0000}};
    check({form});
}

/// The rows of the manual's table: for control values 0 to 3 the bytes from the top.
TEST(Bits, BytePermutationModes) {
    using Row = std::array<U32, 4>;
    const std::vector<std::pair<std::string, std::array<Row, 4>>> modes{
        {"f4e", {Row{3, 2, 1, 0}, Row{4, 3, 2, 1}, Row{5, 4, 3, 2}, Row{6, 5, 4, 3}}},
        {"b4e", {Row{5, 6, 7, 0}, Row{6, 7, 0, 1}, Row{7, 0, 1, 2}, Row{0, 1, 2, 3}}},
        {"rc8", {Row{0, 0, 0, 0}, Row{1, 1, 1, 1}, Row{2, 2, 2, 2}, Row{3, 3, 3, 3}}},
        {"ecl", {Row{3, 2, 1, 0}, Row{3, 2, 1, 1}, Row{3, 2, 2, 2}, Row{3, 3, 3, 3}}},
        {"ecr", {Row{0, 0, 0, 0}, Row{1, 1, 1, 0}, Row{2, 2, 1, 0}, Row{3, 2, 1, 0}}},
        {"rc16", {Row{1, 0, 1, 0}, Row{3, 2, 3, 2}, Row{1, 0, 1, 0}, Row{3, 2, 3, 2}}}};
    for (const auto& [mode, rows] : modes) {
        Form form{
            "prmt.b32." + mode + " $d, $a, $b, $c;",
            {"b32"},
            {"b32", "b32", "b32"},
            by_lane([table = rows](U32 a, U32 b, U32 c) { return permuted(a, b, table[c & 3]); })};
        form.literals = {2, {0, 1, 2, 3, 6}};
        check({form});
    }
}

/// Bits without a sign move down as unsigned numbers do.
template <class T>
Form shift_of_bits(const std::string& type) {
    return {"shr." + type + " $d, $a, $b;", {type}, {type, "u32"}, by_lane([](T a, U32 b) {
                return b < kWidth<T> ? static_cast<T>(a >> b) : T{0};
            })};
}

TEST(Bits, ShiftsOfBits) {
    check({shift_of_bits<std::uint16_t>("b16"), shift_of_bits<std::uint32_t>("b32"),
           shift_of_bits<std::uint64_t>("b64")});
}

}  // namespace
}  // namespace wideload::isa
