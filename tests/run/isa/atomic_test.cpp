// SPDX-License-Identifier: Apache-2.0
// Atomic operations and reductions: each lane on a place of its own, where what was there before
// and what is there after follow from the operands; and all lanes of a warp on one place.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "exact_float.h"
#include "harness.h"
#include "place.h"
#include "types.h"

namespace wideload::isa {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

/// `atom` gives what was there, `red` nothing: both leave f($b, $a).
template <class Function>
void check_on_own_place(const Place& place, const std::string& operation, const std::string& type,
                        Function function, const std::string& order = "", bool reduces = true,
                        const Judge& judge = {}) {
    const std::string bits = fmt::format("b{}", width_of(type));
    Form atom;
    atom.declarations = place.declarations;
    atom.results = {bits, bits};
    atom.operands = {type, type};
    atom.text = fmt::format(
        "{{ {0} st{1}.{2} [%at], $b; atom{3}{1}.{4}.{5} $d, [%at], $a; ld{1}.{2} $e, [%at]; }}",
        place.code, place.suffix, bits, order, operation, type);
    atom.reference = by_lane([=](U64 a, U64 b) { return std::tuple(b, U64{function(b, a)}); });
    atom.judge = judge;
    check({atom});
    if (!reduces) return;
    Form red = atom;
    red.results = {bits};
    red.text = fmt::format(
        "{{ {0} st{1}.{2} [%at], $b; red{3}{1}.{4}.{5} [%at], $a; ld{1}.{2} $d, [%at]; }}",
        place.code, place.suffix, bits, order, operation, type);
    red.reference = by_lane([=](U64 a, U64 b) { return U64{function(b, a)}; });
    check({red});
}

template <class T>
void check_extrema(const Place& place) {
    const auto as = [](U64 value) { return static_cast<T>(value); };
    const auto bits = [](T value) { return U64{static_cast<std::make_unsigned_t<T>>(value)}; };
    check_on_own_place(place, "min", type_name<T>(),
                       [=](U64 a, U64 b) { return bits(std::min(as(a), as(b))); });
    check_on_own_place(place, "max", type_name<T>(),
                       [=](U64 a, U64 b) { return bits(std::max(as(a), as(b))); });
}

class Atomic : public testing::TestWithParam<std::string> {
protected:
    Place place_ = private_place(GetParam());
};

TEST_P(Atomic, Sums) {
    const auto sum = [](U64 a, U64 b) { return a + b; };
    const auto low_sum = [](U64 a, U64 b) { return U64{static_cast<U32>(a + b)}; };
    check_on_own_place(place_, "add", "u32", low_sum);
    check_on_own_place(place_, "add", "s32", low_sum);
    check_on_own_place(place_, "add", "u64", sum);
    // inc and dec run in circles: 0 .. operand.
    check_on_own_place(place_, "inc", "u32", [](U64 old, U64 b) { return old >= b ? 0 : old + 1; });
    check_on_own_place(place_, "dec", "u32",
                       [](U64 old, U64 b) { return old == 0 || old > b ? b : old - 1; });
}

TEST_P(Atomic, Extrema) {
    check_extrema<U32>(place_);
    check_extrema<std::int32_t>(place_);
    check_extrema<U64>(place_);
    check_extrema<std::int64_t>(place_);
}

TEST_P(Atomic, Logic) {
    for (const std::string type : {"b32", "b64"}) {
        check_on_own_place(place_, "and", type, [](U64 a, U64 b) { return a & b; });
        check_on_own_place(place_, "or", type, [](U64 a, U64 b) { return a | b; });
        check_on_own_place(place_, "xor", type, [](U64 a, U64 b) { return a ^ b; });
        check_on_own_place(place_, "exch", type, [](U64, U64 b) { return b; }, "", false);
    }
}

/// $a is put in place of $c where $b, one of the three, is what is there.
TEST_P(Atomic, CompareAndSwap) {
    for (const std::string type : {"b16", "b32", "b64"}) {
        for (const bool fits : {true, false}) {
            Form form;
            form.declarations = place_.declarations;
            form.text = fmt::format(
                "{{ {0} st{1}.{2} [%at], $c; atom{1}.cas.{2} $d, [%at], {3}, $a; ld{1}.{2} $e, "
                "[%at]; }}",
                place_.code, place_.suffix, type, fits ? "$c" : "$b");
            form.results = {type, type};
            form.operands = {type, type, type};
            form.reference =
                by_lane([=](U64 a, U64 b, U64 c) { return std::tuple(c, fits || b == c ? a : c); });
            check({form});
        }
    }
}

TEST_P(Atomic, Of128Bits) {
    const std::string begin = fmt::format(
        "{{ .reg .b128 %q, %old, %new; {0} st{1}.v2.b64 [%at], {{$a, $b}}; mov.b128 %q, {{$a, "
        "$b}}; mov.b128 %new, {{$c, $h}}; ",
        place_.code, place_.suffix);
    const std::string end =
        fmt::format(" mov.b128 {{$d, $e}}, %old; ld{}.v2.b64 {{$f, $g}}, [%at]; }}", place_.suffix);
    Form form;
    form.declarations = place_.declarations;
    form.results = form.operands = {"b64", "b64", "b64", "b64"};
    form.text = begin + fmt::format("atom{}.exch.b128 %old, [%at], %new;", place_.suffix) + end;
    form.reference = by_lane([](U64 a, U64 b, U64 c, U64 h) { return std::tuple(a, b, c, h); });
    check({form});
    form.text = begin + fmt::format("atom{}.cas.b128 %old, [%at], %q, %new;", place_.suffix) + end;
    check({form});
    form.text = begin + fmt::format("atom{}.cas.b128 %old, [%at], %new, %q;", place_.suffix) + end;
    form.reference = by_lane([](U64 a, U64 b, U64, U64) { return std::tuple(a, b, a, b); });
    check({form});
}

/// On global memory f32 takes and leaves no subnormal values, elsewhere it does.
TEST_P(Atomic, SumsOfFloats) {
    const bool flushes = place_.is_global;
    check_on_own_place(
        place_, "add", "f32",
        [=](U64 a, U64 b) { return exact_add(kF32, Mode::nearest, a, b, flushes); }, "", true,
        any_nan("f32"));
    check_on_own_place(
        place_, "add", "f64",
        [](U64 a, U64 b) {
            return std::bit_cast<U64>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
        },
        "", true, any_nan("f64"));
}

TEST_P(Atomic, SumsOfHalves) {
    for (const auto& [name, format] : {std::pair{"f16", kF16}, std::pair{"bf16", kBf16}}) {
        const FloatFormat kind = format;
        const auto add = [=](U64 a, U64 b) { return exact_add(kind, Mode::nearest, a, b, false); };
        const auto add_both = [=](U64 a, U64 b) {
            return add(a & 0xffff, b & 0xffff) | add(a >> 16, b >> 16) << 16;
        };
        const std::string single = name, packed = single + "x2";
        check_on_own_place(place_, "add.noftz", single, add, "", true, any_nan(single));
        check_on_own_place(place_, "add.noftz", packed, add_both, "", true, any_nan(packed));
    }
}

INSTANTIATE_TEST_SUITE_P(Isa, Atomic,
                         testing::Values("global", "shared", "generic_global", "generic_shared"),
                         [](const auto& space) { return space.param; });

TEST(AtomicOrder, SemanticsAndScopes) {
    const auto sum = [](U64 a, U64 b) { return U64{static_cast<U32>(a + b)}; };
    for (const std::string space : {"global", "shared", "generic_global", "generic_shared"}) {
        const Place place = private_place(space);
        for (const std::string order : {".relaxed", ".acquire", ".release", ".acq_rel"}) {
            for (const std::string scope : {".cta", ".cluster", ".gpu", ".sys"}) {
                const bool reduces = order == ".relaxed" || order == ".release";
                check_on_own_place(place, "add", "u32", sum, order + scope, reduces);
            }
        }
    }
}

/// All lanes that execute work on one word: `text` names it %at.
Form of_one_place(const std::string& space, const std::string& text, U32 (*function)(U32, U32)) {
    const Place place = warp_place(space);
    Form form;
    form.declarations = place.declarations;
    form.text = fmt::format(
        "{{ {0} st{1}.b32 [%at], 0; bar.warp.sync $m; {2}; bar.warp.sync $m; ld{1}.b32 $d, [%at]; "
        "bar.warp.sync $m; }}",
        place.code, place.suffix, fmt::format(fmt::runtime(text), place.suffix));
    form.results = form.operands = {"b32"};
    form.reference = [=](const WarpInput& input, WarpResults& results) {
        U32 value = 0;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((input.active >> lane & 1) == 0) continue;
            value = function(value, static_cast<U32>(input.operands[0][lane]));
        }
        results[0].fill(value);
    };
    return form;
}

TEST(AtomicOrder, OnePlaceForAWarp) {
    for (const std::string space : {"global", "shared", "generic_global", "generic_shared"}) {
        for (const std::string begin : {"red{0}", "atom{0}"}) {
            const auto text = [&](const std::string& operation) {
                return begin + "." + operation + (begin[0] == 'r' ? " [%at], $a" : " _, [%at], $a");
            };
            check(
                {of_one_place(space, text("add.u32"), [](U32 a, U32 b) { return a + b; }),
                 of_one_place(space, text("max.u32"), [](U32 a, U32 b) { return std::max(a, b); }),
                 of_one_place(space, text("or.b32"), [](U32 a, U32 b) { return a | b; }),
                 of_one_place(space, text("xor.b32"), [](U32 a, U32 b) { return a ^ b; })});
        }
    }
}

}  // namespace
}  // namespace wideload::isa
