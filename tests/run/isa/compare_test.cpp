// SPDX-License-Identifier: Apache-2.0
// Comparisons of every type and relation, and what is selected by them.
#include <gtest/gtest.h>

#include <cmath>

#include "harness.h"
#include "types.h"

namespace wideload::isa {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;

/// How two values lie to each other.
enum class Order { less, equal, greater, unordered };

template <class T>
Order order(T a, T b) {
    if (a < b) return Order::less;
    if (a > b) return Order::greater;
    return a == b ? Order::equal : Order::unordered;
}

struct Relation {
    std::string name;
    bool less, equal, greater, unordered;
    [[nodiscard]] bool holds(Order found) const {
        return found == Order::less      ? less
               : found == Order::equal   ? equal
               : found == Order::greater ? greater
                                         : unordered;
    }
};

const std::vector<Relation> kOrdered{
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false}};
const std::vector<Relation> kUnsigned{{"lo", true, false, false, false},
                                      {"ls", true, true, false, false},
                                      {"hi", false, false, true, false},
                                      {"hs", false, true, true, false}};
const std::vector<Relation> kUnordered{
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true}};

std::vector<Relation> joined(const std::vector<Relation>& a, const std::vector<Relation>& b) {
    std::vector<Relation> all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
}

/// `set` is several instructions on a GPU.
void check_comparisons(std::vector<Form> forms) {
    for (Form& form : forms) form.guard_lost_on_hardware = form.text.starts_with("set.");
    check(forms);
}

/// p, its opposite, both combined with another predicate, and what `set` writes.
template <class T, class Compare>
std::vector<Form> comparisons(const std::string& type, const Relation& relation, Compare compare,
                              const std::string& modifiers = "") {
    const std::string suffix = "." + type + " ", name = "." + relation.name;
    const auto holds = [relation, compare](T a, T b) { return relation.holds(compare(a, b)); };
    Form plain{"setp" + name + modifiers + suffix + "$d|$e, $a, $b;",
               {"pred", "pred"},
               {type, type},
               by_lane([=](T a, T b) { return std::tuple(holds(a, b), !holds(a, b)); })};
    if (type.find('f') == std::string::npos) plain.literals = {1, {0, 1, 0x7fff}};
    Form as_float{"set" + name + ".or" + modifiers + ".f32" + suffix + "$d, $a, $b, !$c;",
                  {"f32"},
                  {type, type, "pred"},
                  by_lane([=](T a, T b, bool c) { return holds(a, b) || !c ? 1.0f : 0.0f; })};
    return {plain,
            as_float,
            {"setp" + name + ".and" + modifiers + suffix + "$d|$e, $a, $b, $c;",
             {"pred", "pred"},
             {type, type, "pred"},
             by_lane([=](T a, T b, bool c) {
                 return std::tuple(holds(a, b) && c, !holds(a, b) && c);
             })},
            {"set" + name + modifiers + ".u32" + suffix + "$d, $a, $b;",
             {"u32"},
             {type, type},
             by_lane([=](T a, T b) { return holds(a, b) ? ~0u : 0u; })}};
}

template <class T>
void check_integers(const std::string& type, const std::vector<Relation>& relations) {
    for (const Relation& relation : relations)
        check_comparisons(comparisons<T>(type, relation, order<T>));
}

TEST(Compare, Integers) {
    check_integers<std::int16_t>("s16", kOrdered);
    check_integers<std::int32_t>("s32", kOrdered);
    check_integers<std::int64_t>("s64", kOrdered);
    check_integers<std::uint16_t>("u16", joined(kOrdered, kUnsigned));
    check_integers<std::uint32_t>("u32", joined(kOrdered, kUnsigned));
    check_integers<std::uint64_t>("u64", joined(kOrdered, kUnsigned));
    const std::vector<Relation> equality(kOrdered.begin(), kOrdered.begin() + 2);
    check_integers<std::uint16_t>("b16", equality);
    check_integers<std::uint32_t>("b32", equality);
    check_integers<std::uint64_t>("b64", equality);
}

TEST(Compare, CombinedWithPredicates) {
    const auto form = [](const std::string& text, auto function) {
        return Form{text,
                    {"pred", "pred"},
                    {"s32", "s32", "pred"},
                    by_lane([=](std::int32_t a, std::int32_t b, bool c) {
                        return std::tuple(function(a < b, c), function(!(a < b), c));
                    })};
    };
    check({form("setp.lt.or.s32 $d|$e, $a, $b, $c;", [](bool x, bool y) { return x || y; }),
           form("setp.lt.xor.s32 $d|$e, $a, $b, $c;", [](bool x, bool y) { return x != y; }),
           form("setp.lt.and.s32 $d|$e, $a, $b, !$c;", [](bool x, bool y) { return x && !y; })});
}

float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? 0.0f : value; }

TEST(Compare, Floats) {
    for (const Relation& relation : joined(kOrdered, kUnordered)) {
        check_comparisons(comparisons<float>("f32", relation, order<float>));
        check_comparisons(comparisons<float>(
            "f32", relation, [](float a, float b) { return order(flushed(a), flushed(b)); },
            ".ftz"));
        check_comparisons(comparisons<double>("f64", relation, order<double>));
    }
}

/// The value of a 16-bit pattern with `mantissa` bits after the point.
double half_value(U16 bits, int mantissa) {
    const int exponent_bits = 15 - mantissa, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> mantissa & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << mantissa) - 1);
    double value = 0;
    if (exponent == (1 << exponent_bits) - 1) {
        value = fraction == 0 ? HUGE_VAL : std::nan("");
    } else if (exponent == 0) {
        value = std::ldexp(fraction, 1 - bias - mantissa);
    } else {
        value = std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
    }
    return (bits & 0x8000) != 0 ? -value : value;
}

Order half_order(U16 a, U16 b, int mantissa, bool flush) {
    const auto value = [&](U16 bits) {
        const bool subnormal = (bits & 0x7fff) < (1 << mantissa);
        return flush && subnormal ? 0.0 : half_value(bits, mantissa);
    };
    return order(value(a), value(b));
}

TEST(Compare, Halves) {
    for (const Relation& relation : joined(kOrdered, kUnordered)) {
        for (const bool flush : {false, true}) {
            const std::string ftz = flush ? ".ftz" : "";
            const auto compare = [=](U16 a, U16 b) {
                return relation.holds(half_order(a, b, 10, flush));
            };
            const std::string name = "." + relation.name + ftz;
            check_comparisons(
                {{"setp" + name + ".f16 $d, $a, $b;", {"pred"}, {"f16", "f16"}, by_lane(compare)},
                 {"setp." + relation.name + ".and" + ftz + ".f16x2 $d|$e, $a, $b, $c;",
                  {"pred", "pred"},
                  {"f16x2", "f16x2", "pred"},
                  by_lane([=](U32 a, U32 b, bool c) {
                      return std::tuple(compare(U16(a), U16(b)) && c,
                                        compare(U16(a >> 16), U16(b >> 16)) && c);
                  })},
                 {"set" + name + ".f16.f16 $d, $a, $b;",
                  {"f16"},
                  {"f16", "f16"},
                  by_lane([=](U16 a, U16 b) { return U16(compare(a, b) ? 0x3c00 : 0); })},
                 {"set" + name + ".u16.f16 $d, $a, $b;",
                  {"u16"},
                  {"f16", "f16"},
                  by_lane([=](U16 a, U16 b) { return U16(compare(a, b) ? 0xffff : 0); })},
                 {"set" + name + ".u32.f16 $d, $a, $b;",
                  {"u32"},
                  {"f16", "f16"},
                  by_lane([=](U16 a, U16 b) { return compare(a, b) ? ~0u : 0u; })},
                 {"set" + name + ".f16x2.f16x2 $d, $a, $b;",
                  {"f16x2"},
                  {"f16x2", "f16x2"},
                  by_lane([=](U32 a, U32 b) {
                      return (compare(U16(a), U16(b)) ? 0x3c00u : 0) |
                             (compare(U16(a >> 16), U16(b >> 16)) ? 0x3c000000u : 0);
                  })}});
        }
        const auto compare = [=](U16 a, U16 b) {
            return relation.holds(half_order(a, b, 7, false));
        };
        const std::string name = "." + relation.name;
        check_comparisons(
            {{"setp" + name + ".bf16 $d, $a, $b;", {"pred"}, {"bf16", "bf16"}, by_lane(compare)},
             {"setp" + name + ".bf16x2 $d|$e, $a, $b;",
              {"pred", "pred"},
              {"bf16x2", "bf16x2"},
              by_lane([=](U32 a, U32 b) {
                  return std::tuple(compare(U16(a), U16(b)), compare(U16(a >> 16), U16(b >> 16)));
              })},
             {"set" + name + ".bf16.bf16 $d, $a, $b;",
              {"bf16"},
              {"bf16", "bf16"},
              by_lane([=](U16 a, U16 b) { return U16(compare(a, b) ? 0x3f80 : 0); })},
             {"set" + name + ".u32.bf16x2 $d, $a, $b;",
              {"u32"},
              {"bf16x2", "bf16x2"},
              by_lane([=](U32 a, U32 b) {
                  return (compare(U16(a), U16(b)) ? 0xffffu : 0) |
                         (compare(U16(a >> 16), U16(b >> 16)) ? 0xffff0000u : 0);
              })}});
    }
}

template <class T>
std::vector<Form> selections(const std::string& type) {
    return {{"selp." + type + " $d, $a, $b, $c;",
             {type},
             {type, type, "pred"},
             by_lane([](T a, T b, bool c) { return c ? a : b; })},
            {"slct." + type + ".s32 $d, $a, $b, $c;",
             {type},
             {type, type, "s32"},
             by_lane([](T a, T b, std::int32_t c) { return c >= 0 ? a : b; })},
            {"slct." + type + ".f32 $d, $a, $b, $c;",
             {type},
             {type, type, "f32"},
             by_lane([](T a, T b, float c) { return c >= 0 ? a : b; })},
            {"slct.ftz." + type + ".f32 $d, $a, $b, $c;",
             {type},
             {type, type, "f32"},
             by_lane([](T a, T b, float c) { return flushed(c) >= 0 ? a : b; })}};
}

TEST(Compare, Selections) {
    // Floating-point values are selected bit by bit, so integers stand for them.
    for (const std::string type : {"b16", "u16", "s16"}) check(selections<std::uint16_t>(type));
    for (const std::string type : {"b32", "u32", "s32", "f32"})
        check(selections<std::uint32_t>(type));
    for (const std::string type : {"b64", "u64", "s64", "f64"})
        check(selections<std::uint64_t>(type));
}

template <class T>
std::vector<Form> properties(const std::string& type) {
    const auto form = [&](const std::string& property, auto function) {
        Form made{"testp." + property + "." + type + " $d, $a;",
                  {"pred"},
                  {type},
                  by_lane([function](T a) -> bool { return function(a); })};
        made.guard_lost_on_hardware = true;
        return made;
    };
    return {form("finite", [](T a) { return std::isfinite(a); }),
            form("infinite", [](T a) { return std::isinf(a); }),
            form("number", [](T a) { return !std::isnan(a); }),
            form("notanumber", [](T a) { return std::isnan(a); }),
            // Zeros count as normal for this instruction.
            form("normal", [](T a) { return std::isnormal(a) || a == 0; }),
            form("subnormal", [](T a) { return std::fpclassify(a) == FP_SUBNORMAL; })};
}

TEST(Compare, PropertiesOfFloats) {
    check(properties<float>("f32"));
    check(properties<double>("f64"));
}

}  // namespace
}  // namespace wideload::isa
