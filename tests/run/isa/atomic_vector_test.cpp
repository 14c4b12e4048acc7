// SPDX-License-Identifier: Apache-2.0
// Atomic operations on vectors, which global memory alone has: each lane on a place of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_float.h"
#include "harness.h"
#include "place.h"

namespace wideload::isa {
namespace {

using U64 = std::uint64_t;

struct VectorCase {
    std::string type;
    FloatFormat format;
    unsigned halves;  ///< numbers in one element
};

/// The numbers of an element, each joined by `function`.
template <class Function>
U64 join(const VectorCase& c, U64 a, U64 b, Function function) {
    const unsigned width = c.format.width();
    const U64 mask = (U64{1} << width) - 1;
    U64 result = 0;
    for (unsigned i = 0; i < c.halves; ++i) {
        result |= function(a >> (i * width) & mask, b >> (i * width) & mask) << (i * width);
    }
    return result;
}

/// Two elements of $a, $b on those of $c, $h.
void check_pairs(const VectorCase& c, const std::string& operation) {
    const Place place = private_place("global");
    const std::string bits = fmt::format("b{}", width_of(c.type));
    const auto sum = [=](U64 old, U64 value) {
        // As single ones: f32 in global memory has no subnormal values.
        return join(c, old, value, [&](U64 x, U64 y) {
            return exact_add(c.format, Mode::nearest, x, y, c.format.width() == 32);
        });
    };
    Form atom;
    atom.declarations = place.declarations;
    atom.text = fmt::format(
        "{{ {0} st.global.v2.{1} [%at], {{$c, $h}}; atom.global.v2.{2}.{3} {{$d, $e}}, [%at], "
        "{{$a, "
        "$b}}; ld.global.v2.{1} {{$f, $g}}, [%at]; }}",
        place.code, bits, c.type, operation);
    atom.results = {bits, bits, bits, bits};
    atom.operands = {c.type, c.type, c.type, c.type};
    atom.judge = any_nan(c.type);
    atom.reference = by_lane([=](U64 a, U64 b, U64 old_a, U64 old_b) {
        return std::tuple(old_a, old_b, sum(old_a, a), sum(old_b, b));
    });
    Form red = atom;
    red.text = fmt::format(
        "{{ {0} st.global.v2.{1} [%at], {{$c, $h}}; red.global.v2.{2}.{3} [%at], {{$a, $b}}; "
        "ld.global.v2.{1} {{$d, $e}}, [%at]; }}",
        place.code, bits, c.type, operation);
    red.results = {bits, bits};
    red.reference = by_lane([=](U64 a, U64 b, U64 old_a, U64 old_b) {
        return std::tuple(sum(old_a, a), sum(old_b, b));
    });
    check({atom, red});
}

/// Four times $a on four times $b.
void check_fours(const VectorCase& c, const std::string& operation) {
    const Place place = private_place("global");
    const std::string bits = fmt::format("b{}", width_of(c.type));
    Form form;
    form.declarations = place.declarations;
    form.text = fmt::format(
        "{{ {0} st.global.v4.{1} [%at], {{$b, $a, $b, $a}}; red.global.v4.{2}.{3} [%at], {{$a, $a, "
        "$b, $b}}; ld.global.v4.{1} {{$d, $e, $f, $g}}, [%at]; }}",
        place.code, bits, c.type, operation);
    form.results = {bits, bits, bits, bits};
    form.operands = {c.type, c.type};
    form.judge = any_nan(c.type);
    form.reference = by_lane([=](U64 a, U64 b) {
        const auto sum = [&](U64 x, U64 y) {
            return join(c, x, y, [&](U64 p, U64 q) {
                return exact_add(c.format, Mode::nearest, p, q, c.format.width() == 32);
            });
        };
        return std::tuple(sum(b, a), sum(a, a), sum(b, b), sum(a, b));
    });
    check({form});
}

const std::vector<VectorCase> kVectorCases{{"f32", kF32, 1},
                                           {"f16", kF16, 1},
                                           {"bf16", kBf16, 1},
                                           {"f16x2", kF16, 2},
                                           {"bf16x2", kBf16, 2}};

TEST(AtomicVector, Sums) {
    for (const VectorCase& c : kVectorCases) {
        const std::string operation = c.type == "f32" ? "add" : "add.noftz";
        check_pairs(c, operation);
        check_fours(c, operation);
    }
}

/// "{%new0, %new1, ...}"
std::string eight(const std::string& name) {
    std::string text;
    for (unsigned i = 0; i < 8; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
    return "{" + text + "}";
}

/// `count` elements, the first operands, on as many that stand there, the others. Eights are of 16
/// bits: registers hold two of them, which `begin` and `end` take apart and join.
template <class Function>
void check_vector(const VectorCase& c, unsigned count, const std::string& operation,
                  Function function, const std::string& space = "global") {
    const Place place = private_place(space);
    const bool in_pairs = count == 8;
    const VectorCase held = in_pairs ? VectorCase{c.type + "x2", c.format, 2} : c;
    const unsigned registers = in_pairs ? 4 : count;
    const std::string plain =
        fmt::format("{}.v{}.b{}", place.suffix, registers, width_of(held.type));
    const std::string name = fmt::format("{}.v{}.{}.{}", place.suffix, count, c.type, operation);
    std::string values = vector_of(kOperandNames.substr(0, registers));
    std::string old = vector_of(kResultNames.substr(0, registers)), begin, end;
    if (in_pairs) {
        begin = ".reg .b16 %new<8>, %old<8>; ";
        for (unsigned i = 0; i < registers; ++i) {
            begin += fmt::format("mov.b32 {{%new{}, %new{}}}, ${}; ", 2 * i, 2 * i + 1,
                                 kOperandNames[i]);
            end +=
                fmt::format(" mov.b32 ${}, {{%old{}, %old{}}};", kResultNames[i], 2 * i, 2 * i + 1);
        }
        values = eight("new");
        old = eight("old");
    }
    const std::string stood = vector_of(kOperandNames.substr(registers, registers));
    const auto form = [&](const std::string& text, unsigned returned) {
        Form f;
        f.declarations = place.declarations;
        f.text =
            fmt::format("{{ {} {}st{} [%at], {}; {} ld{} {}, [%at]; }}", place.code, begin, plain,
                        stood, text, plain, vector_of(kResultNames.substr(returned, registers)));
        f.results.assign(returned + registers, fmt::format("b{}", width_of(held.type)));
        f.operands.assign(2 * registers, held.type);
        f.judge = any_nan(held.type);
        f.reference = [=](const WarpInput& input, WarpResults& results) {
            for (unsigned i = 0; i < registers; ++i) {
                const Lanes &value = input.operands[i], &before = input.operands[registers + i];
                if (returned > 0) results[i] = before;
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    results[returned + i][lane] = join(held, before[lane], value[lane], function);
                }
            }
        };
        return f;
    };
    check({form(fmt::format("atom{} {}, [%at], {};{}", name, old, values, end), registers),
           form(fmt::format("red{} [%at], {};", name, values), 0)});
}

void check_sums(const VectorCase& c, unsigned count, const std::string& space = "global") {
    const bool is_f32 = c.type == "f32";
    check_vector(
        c, count, is_f32 ? "add" : "add.noftz",
        [=](Bits a, Bits b) { return exact_add(c.format, Mode::nearest, a, b, is_f32); }, space);
}

TEST(AtomicVector, SumsOfFour) {
    for (const VectorCase& c : kVectorCases) check_sums(c, 4);
}

TEST(AtomicVector, SumsOfEight) {
    for (const VectorCase& c : kVectorCases) {
        if (width_of(c.type) == 16) check_sums(c, 8);
    }
}

void check_extrema(const std::string& space) {
    for (const VectorCase& c : kVectorCases) {
        if (c.type == "f32") continue;
        for (const bool minimum : {true, false}) {
            for (const unsigned count : {2u, 4u, 8u}) {
                if (count == 8 && width_of(c.type) != 16) continue;
                check_vector(
                    c, count, minimum ? "min.noftz" : "max.noftz",
                    [=](Bits a, Bits b) { return exact_extremum(c.format, minimum, false, a, b); },
                    space);
            }
        }
    }
}

TEST(AtomicVector, Extrema) { check_extrema("global"); }

TEST(AtomicVector, OfGenericAddresses) {
    for (const VectorCase& c : kVectorCases) {
        for (const unsigned count : {2u, 4u, 8u}) {
            if (count < 8 || width_of(c.type) == 16) check_sums(c, count, "generic_global");
        }
    }
    check_extrema("generic_global");
}

}  // namespace
}  // namespace wideload::isa
