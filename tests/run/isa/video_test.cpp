// SPDX-License-Identifier: Apache-2.0
// Video instructions: references follow the pseudocode of the PTX manual on integers wide enough
// for every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "harness.h"
#include "types.h"

namespace wideload::isa {
namespace {

using U32 = std::uint32_t;
using Operation = std::function<Wide(Wide, Wide)>;

const std::vector<std::pair<std::string, Operation>> kOperations{
    {"vadd", [](Wide a, Wide b) { return a + b; }},
    {"vsub", [](Wide a, Wide b) { return a - b; }},
    {"vabsdiff", [](Wide a, Wide b) { return a < b ? b - a : a - b; }},
    {"vmin", [](Wide a, Wide b) { return std::min(a, b); }},
    {"vmax", [](Wide a, Wide b) { return std::max(a, b); }}};
const std::pair<std::string, Operation> kAverage{
    "vavrg", [](Wide a, Wide b) { return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1; }};

/// `bits` bits from bit `shift` on, with their sign where they have one.
Wide part(U32 value, unsigned shift, unsigned bits, bool is_signed) {
    const std::uint64_t all = (std::uint64_t{1} << bits) - 1, field = value >> shift & all;
    return is_signed && (field >> (bits - 1)) != 0 ? Wide{field} - Wide{all} - 1 : Wide{field};
}

Wide saturated(Wide value, unsigned bits, bool is_signed) {
    const Wide span = Wide{1} << (is_signed ? bits - 1 : bits);
    return std::clamp(value, is_signed ? -span : Wide{0}, span - 1);
}

std::string type_of(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

/// A part of a register and how it is written.
struct Selector {
    std::string name;
    unsigned shift, bits;
};
const std::vector<Selector> kSelectors{{"", 0, 32},    {".b0", 0, 8},  {".b2", 16, 8},
                                       {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}};

/// GPUs of today emulate these instructions, and ptxas's sequences get some forms wrong: a sum of
/// 2^32 does not saturate, a part is inserted shifted twice, the third operand counts as signed.
/// What the manual says is tested on the engine alone.
std::vector<Form> by_the_manual(std::vector<Form> forms) {
    for (Form& form : forms) form.unlike_hardware = "emulated, and differs from the manual";
    return forms;
}

const std::vector<std::string> kOne{"b32"}, kTwo{"b32", "b32"}, kThree{"b32", "b32", "b32"};

TEST(Video, Scalar) {
    for (const auto& [name, operation] : kOperations) {
        for (unsigned signs = 0; signs < 8; ++signs) {
            const bool d = (signs & 1) != 0, a_signed = (signs & 2) != 0,
                       b_signed = (signs & 4) != 0;
            const std::string types = type_of(d) + type_of(a_signed) + type_of(b_signed);
            const auto value = [=, exact = operation](U32 a, U32 b) {
                return exact(part(a, 0, 32, a_signed), part(b, 0, 32, b_signed));
            };
            check({{name + types + " $d, $a, $b;", kOne, kTwo,
                    by_lane([=](U32 a, U32 b) { return low<U32>(value(a, b)); })}});
            check(by_the_manual(
                {{name + types + ".sat $d, $a, $b;", kOne, kTwo,
                  by_lane([=](U32 a, U32 b) { return low<U32>(saturated(value(a, b), 32, d)); })},
                 {name + types + ".sat.add $d, $a, $b, $c;", kOne, kThree,
                  by_lane([=](U32 a, U32 b, U32 c) {
                      return low<U32>(saturated(value(a, b), 32, d) + c);
                  })},
                 {name + types + ".max $d, $a, $b, $c;", kOne, kThree,
                  by_lane([=](U32 a, U32 b, U32 c) {
                      return low<U32>(
                          std::max(part(low<U32>(value(a, b)), 0, 32, d), part(c, 0, 32, d)));
                  })}}));
        }
    }
}

TEST(Video, SelectedParts) {
    for (const Selector& from : kSelectors) {
        for (const Selector& to : kSelectors) {
            for (const bool is_signed : {false, true}) {
                const std::string types =
                    type_of(is_signed) + type_of(is_signed) + type_of(!is_signed);
                const auto value = [=](U32 a, U32 b) {
                    return saturated(part(a, from.shift, from.bits, is_signed) -
                                         part(b, to.shift, to.bits, !is_signed),
                                     to.bits, is_signed);
                };
                if (to.bits == 32) {
                    check(by_the_manual(
                        {{"vsub" + types + ".sat $d, $a" + from.name + ", $b;", kOne, kTwo,
                          by_lane([=](U32 a, U32 b) { return low<U32>(value(a, b)); })}}));
                    continue;
                }
                check(by_the_manual({{"vsub" + types + ".sat $d" + to.name + ", $a" + from.name +
                                          ", $b" + to.name + ", $c;",
                                      kOne, kThree, by_lane([=](U32 a, U32 b, U32 c) {
                                          const U32 mask = ((1u << to.bits) - 1) << to.shift;
                                          return (c & ~mask) |
                                                 (low<U32>(value(a, b)) << to.shift & mask);
                                      })}}));
            }
        }
    }
}

TEST(Video, Shifts) {
    for (const bool is_signed : {false, true}) {
        for (const bool wraps : {false, true}) {
            const std::string rest = type_of(is_signed) + type_of(is_signed) + ".u32";
            const std::string mode = wraps ? ".wrap" : ".clamp";
            const auto amount = [=](U32 b) { return wraps ? b & 31 : std::min(b, 32u); };
            const auto left = [=](U32 a, U32 b) {
                return part(a, 0, 32, is_signed) * (Wide{1} << amount(b));
            };
            const auto right = [=](U32 a, U32 b) { return part(a, 0, 32, is_signed) >> amount(b); };
            check({{"vshl" + rest + mode + " $d, $a, $b;", kOne, kTwo,
                    by_lane([=](U32 a, U32 b) { return low<U32>(left(a, b)); })},
                   {"vshr" + rest + mode + " $d, $a, $b;", kOne, kTwo,
                    by_lane([=](U32 a, U32 b) { return low<U32>(right(a, b)); })},
                   {"vshr" + rest + mode + ".add $d, $a.h1, $b.b1, $c;", kOne, kThree,
                    by_lane([=](U32 a, U32 b, U32 c) {
                        return low<U32>((part(a, 16, 16, is_signed) >> amount(b >> 8 & 0xff)) + c);
                    })}});
            check(by_the_manual({{"vshl" + rest + ".sat" + mode + " $d, $a, $b;", kOne, kTwo,
                                  by_lane([=](U32 a, U32 b) {
                                      return low<U32>(saturated(left(a, b), 32, is_signed));
                                  })}}));
        }
    }
}

TEST(Video, MultiplyAndAdd) {
    for (unsigned signs = 0; signs < 4; ++signs) {
        const bool a_signed = (signs & 1) != 0, b_signed = (signs & 2) != 0,
                   d = a_signed || b_signed;
        const std::string types = type_of(d) + type_of(a_signed) + type_of(b_signed);
        const auto product = [=](U32 a, U32 b, U32 c, const Selector& s) {
            return part(a, s.shift, s.bits, a_signed) * part(b, s.shift, s.bits, b_signed) +
                   part(c, 0, 32, d);
        };
        const Selector whole = kSelectors[0], byte = kSelectors[2], half = kSelectors[5];
        const std::vector<Form> forms{
            {"vmad" + types + " $d, $a, $b, $c;", kOne, kThree,
             by_lane([=](U32 a, U32 b, U32 c) { return low<U32>(product(a, b, c, whole)); })},
            {"vmad" + types + ".sat $d, $a.h1, $b.h1, $c;", kOne, kThree,
             by_lane([=](U32 a, U32 b, U32 c) {
                 return low<U32>(saturated(product(a, b, c, half), 32, d));
             })},
            {"vmad" + types + ".po.shr7 $d, $a.h1, $b.h1, $c;", kOne, kThree,
             by_lane(
                 [=](U32 a, U32 b, U32 c) { return low<U32>((product(a, b, c, half) + 1) >> 7); })},
            {"vmad" + types + ".sat.shr15 $d, $a.b2, $b.b2, $c;", kOne, kThree,
             by_lane([=](U32 a, U32 b, U32 c) {
                 return low<U32>(saturated(product(a, b, c, byte) >> 15, 32, d));
             })}};
        // Of two unsigned factors.
        check(d ? forms : by_the_manual(forms));
    }
}

struct VideoRelation {
    std::string name;
    std::function<bool(Wide, Wide)> holds;
};
const std::vector<VideoRelation> kRelations{
    {"eq", std::equal_to<Wide>()}, {"ne", std::not_equal_to<Wide>()},
    {"lt", std::less<Wide>()},     {"le", std::less_equal<Wide>()},
    {"gt", std::greater<Wide>()},  {"ge", std::greater_equal<Wide>()}};

TEST(Video, Comparisons) {
    for (const VideoRelation& relation : kRelations) {
        for (unsigned signs = 0; signs < 4; ++signs) {
            const bool a_signed = (signs & 1) != 0, b_signed = (signs & 2) != 0;
            const std::string rest = type_of(a_signed) + type_of(b_signed) + "." + relation.name;
            const auto holds = [=](U32 a, U32 b, const Selector& s) {
                return relation.holds(part(a, s.shift, s.bits, a_signed),
                                      part(b, s.shift, s.bits, b_signed))
                           ? 1u
                           : 0u;
            };
            const Selector whole = kSelectors[0], half = kSelectors[5];
            check({{"vset" + rest + " $d, $a, $b;", kOne, kTwo,
                    by_lane([=](U32 a, U32 b) { return holds(a, b, whole); })},
                   {"vset" + rest + ".add $d, $a.h1, $b.h1, $c;", kOne, kThree,
                    by_lane([=](U32 a, U32 b, U32 c) { return holds(a, b, half) + c; })},
                   {"vset" + rest + " $d.b1, $a, $b, $c;", kOne, kThree,
                    by_lane([=](U32 a, U32 b, U32 c) {
                        return (c & 0xffff00ff) | holds(a, b, whole) << 8;
                    })}});
        }
    }
}

/// The reference of a packed form: element i of the result, or nothing where the mask leaves it
/// out.
struct Packed {
    unsigned count = 2;
    std::vector<unsigned> a,
        b;  ///< by element of the result: the element of {b, a}; empty: its own
    unsigned mask = 0xf;
    bool accumulates = false;

    [[nodiscard]] unsigned bits() const { return 32 / count; }

    template <class Function>
    U32 operator()(U32 a_value, U32 b_value, U32 c, bool a_signed, bool b_signed,
                   Function function) const {
        U32 result = c;
        const auto element = [&](unsigned index, bool is_signed) {
            return part(index < count ? a_value : b_value, index % count * bits(), bits(),
                        is_signed);
        };
        for (unsigned i = 0; i < count; ++i) {
            if ((mask >> i & 1) == 0) continue;
            const Wide value = function(element(a.empty() ? i : a[i], a_signed),
                                        element(b.empty() ? count + i : b[i], b_signed));
            const U32 ones = static_cast<U32>((std::uint64_t{1} << bits()) - 1) << i * bits();
            result = accumulates ? low<U32>(result + value)
                                 : (result & ~ones) | (low<U32>(value) << i * bits() & ones);
        }
        return result;
    }
};

Form packed_form(const std::string& name, const std::string& modifiers,
                 const std::string& selectors, const Packed& packed, bool a_signed, bool b_signed,
                 const Operation& operation) {
    // selectors: of d, a and b, separated by spaces.
    const std::size_t first = selectors.find(' '), second = selectors.rfind(' ');
    const std::string text = name + std::to_string(packed.count) + modifiers + " $d" +
                             selectors.substr(0, first) + ", $a" +
                             selectors.substr(first + 1, second - first - 1) + ", $b" +
                             selectors.substr(second + 1) + ", $c;";
    return {text, kOne, kThree, by_lane([=](U32 a, U32 b, U32 c) {
                return packed(a, b, c, a_signed, b_signed, operation);
            })};
}

TEST(Video, Packed) {
    std::vector<std::pair<std::string, Operation>> operations = kOperations;
    operations.push_back(kAverage);
    for (const unsigned count : {2u, 4u}) {
        for (const auto& [name, operation] : operations) {
            for (unsigned signs = 0; signs < 8; ++signs) {
                const bool d = (signs & 1) != 0, a = (signs & 2) != 0, b = (signs & 4) != 0;
                const std::string types = type_of(d) + type_of(a) + type_of(b);
                const Packed plain{count, {}, {}, 0xf, false}, sum{count, {}, {}, 0xf, true};
                const Operation saturating = [=, exact = operation, bits = plain.bits()](Wide x,
                                                                                         Wide y) {
                    return saturated(exact(x, y), bits, d);
                };
                Form accumulating = packed_form(name, types + ".add", "  ", sum, a, b, operation);
                accumulating.guard_lost_on_hardware = true;
                check({packed_form(name, types, "  ", plain, a, b, operation),
                       packed_form(name, types + ".sat", "  ", plain, a, b, saturating),
                       accumulating});
            }
        }
    }
}

TEST(Video, PackedSelections) {
    const Operation difference = [](Wide a, Wide b) { return a - b; };
    const auto form = [&](const std::string& selectors, const Packed& packed) {
        return packed_form("vsub", ".s32.s32.u32", selectors, packed, true, false, difference);
    };
    check({form(".h1 .h23 .h01", {2, {3, 2}, {1, 0}, 0b10, false}),
           form(".h10 .h11 .h30", {2, {1, 1}, {0, 3}, 0b11, false}),
           form(".h0 .h10 .h32", {2, {0, 1}, {2, 3}, 0b01, false}),
           form(".b20 .b7654 .b0123", {4, {4, 5, 6, 7}, {3, 2, 1, 0}, 0b0101, false}),
           form(".b321 .b0246 .b7777", {4, {6, 4, 2, 0}, {7, 7, 7, 7}, 0b1110, false})});
}

TEST(Video, PackedComparisons) {
    for (const unsigned count : {2u, 4u}) {
        for (const VideoRelation& relation : kRelations) {
            for (unsigned signs = 0; signs < 4; ++signs) {
                const bool a = (signs & 1) != 0, b = (signs & 2) != 0;
                const std::string modifiers = type_of(a) + type_of(b) + "." + relation.name;
                const Operation holds = [&](Wide x, Wide y) {
                    return Wide{relation.holds(x, y) ? 1 : 0};
                };
                check(
                    {packed_form("vset", modifiers, "  ", {count, {}, {}, 0xf, false}, a, b, holds),
                     packed_form("vset", modifiers + ".add", "  ", {count, {}, {}, 0xf, true}, a, b,
                                 holds)});
            }
        }
    }
}

}  // namespace
}  // namespace wideload::isa
