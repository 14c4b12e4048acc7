// SPDX-License-Identifier: Apache-2.0
// set and setp of every type, relation and combination with a predicate, into every type.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "exact_float.h"
#include "harness.h"
#include "together.h"

namespace wideload::isa {
namespace {

/// What is compared.
struct ComparedType {
    std::string name;
    bool is_float = false, is_signed = false, has_order = true, ftz = false;
    FloatFormat format{};
    unsigned parts = 1;
    std::vector<std::string> results{};  ///< of set

    [[nodiscard]] unsigned width() const { return width_of(name) / parts; }
};

std::vector<ComparedType> compared_types() {
    const std::vector<std::string> from_numbers{"u32", "s32", "f32", "f16", "bf16"};
    std::vector<ComparedType> all;
    for (const char* width : {"16", "32", "64"}) {
        for (const char* sign : {"u", "s", "b"}) {
            all.push_back({std::string(sign) + width, false, *sign == 's', *sign != 'b'});
            all.back().results = from_numbers;
        }
    }
    const auto add = [&](const char* name, bool ftz, FloatFormat format,
                         std::vector<std::string> results, unsigned parts = 1) {
        all.push_back({name, true, true, true, ftz, format, parts, std::move(results)});
    };
    add("f32", false, kF32, from_numbers);
    add("f32", true, kF32, {"u32", "s32", "f32", "f16"});
    add("f64", false, kF64, from_numbers);
    add("f16", false, kF16, {"u16", "s16", "u32", "s32", "f16", "bf16"});
    add("f16", true, kF16, {"u16", "s16", "u32", "s32", "f16"});
    add("bf16", false, kBf16, {"u16", "s16", "u32", "s32", "bf16"});
    add("f16x2", false, kF16, {"f16x2", "u32", "s32"}, 2);
    add("f16x2", true, kF16, {"f16x2", "u32", "s32"}, 2);
    add("bf16x2", false, kBf16, {"bf16x2", "u32", "s32"}, 2);
    return all;
}

/// What set writes where the relation holds, of each part.
Bits true_value(const std::string& type, unsigned parts) {
    if (type.starts_with("f16")) return 0x3c00;
    if (type.starts_with("bf16")) return 0x3f80;
    if (type == "f32") return 0x3f800000;
    return width_of(type) / parts == 16 ? 0xffff : 0xffffffff;
}

/// -1, 0, 1, or 2 where one of them is NaN.
int lie_of(const ComparedType& source, Bits a, Bits b) {
    if (source.is_float) {
        const auto rank = [&](Bits bits) {
            if (source.ftz) bits = source.format.flushed(bits);
            const auto magnitude = static_cast<std::int64_t>(source.format.magnitude(bits));
            return source.format.is_negative(bits) ? -magnitude : magnitude;
        };
        if (source.format.is_nan(a) || source.format.is_nan(b)) return 2;
        return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
    }
    // With signs turned, signed numbers lie as unsigned ones do.
    const Bits sign = source.is_signed ? Bits{1} << (source.width() - 1) : 0;
    a ^= sign;
    b ^= sign;
    return a < b ? -1 : a > b ? 1 : 0;
}

struct SetRelation {
    const char* name;
    bool (*holds)(int lie);
    enum Kind : std::uint8_t { equality, ordered, unsigned_only, float_only } kind;
};
constexpr std::array kSetRelations{
    SetRelation{"eq", [](int o) { return o == 0; }, SetRelation::equality},
    SetRelation{"ne", [](int o) { return o == -1 || o == 1; }, SetRelation::equality},
    SetRelation{"lt", [](int o) { return o == -1; }, SetRelation::ordered},
    SetRelation{"le", [](int o) { return o == -1 || o == 0; }, SetRelation::ordered},
    SetRelation{"gt", [](int o) { return o == 1; }, SetRelation::ordered},
    SetRelation{"ge", [](int o) { return o == 1 || o == 0; }, SetRelation::ordered},
    SetRelation{"lo", [](int o) { return o == -1; }, SetRelation::unsigned_only},
    SetRelation{"ls", [](int o) { return o <= 0; }, SetRelation::unsigned_only},
    SetRelation{"hi", [](int o) { return o == 1; }, SetRelation::unsigned_only},
    SetRelation{"hs", [](int o) { return o >= 0; }, SetRelation::unsigned_only},
    SetRelation{"equ", [](int o) { return o == 0 || o == 2; }, SetRelation::float_only},
    SetRelation{"neu", [](int o) { return o != 0; }, SetRelation::float_only},
    SetRelation{"ltu", [](int o) { return o == -1 || o == 2; }, SetRelation::float_only},
    SetRelation{"leu", [](int o) { return o != 1; }, SetRelation::float_only},
    SetRelation{"gtu", [](int o) { return o > 0; }, SetRelation::float_only},
    SetRelation{"geu", [](int o) { return o >= 0; }, SetRelation::float_only},
    SetRelation{"num", [](int o) { return o != 2; }, SetRelation::float_only},
    SetRelation{"nan", [](int o) { return o == 2; }, SetRelation::float_only}};

bool has_relation(const ComparedType& source, const SetRelation& relation) {
    switch (relation.kind) {
        case SetRelation::equality:
            return true;
        case SetRelation::ordered:
            return source.has_order;
        case SetRelation::unsigned_only:
            return source.has_order && !source.is_signed;
        default:
            return source.is_float;
    }
}

struct Combination {
    const char* name;
    bool (*combine)(bool, bool);
};
constexpr std::array kCombinations{
    Combination{"", [](bool held, bool) { return held; }},
    Combination{".and", [](bool held, bool c) { return held && c; }},
    Combination{".or", [](bool held, bool c) { return held || c; }},
    Combination{".xor", [](bool held, bool c) { return held != c; }}};

/// Whether the relation holds between part `part` of $a and $b.
bool holds(const ComparedType& source, const SetRelation& relation, const std::vector<Bits>& v,
           unsigned part) {
    const Bits ones = ~Bits{0} >> (64 - source.width());
    const unsigned shift = part * source.width();
    return relation.holds(lie_of(source, v[0] >> shift & ones, v[1] >> shift & ones));
}

Form set_form(const ComparedType& source, const SetRelation& relation,
              const Combination& combination, const std::string& result) {
    const bool combines = *combination.name != 0;
    const unsigned parts = result == "f16" || result == "bf16" ? 1 : source.parts;
    const Bits value = true_value(result, parts);
    return {fmt::format("set.{}{}{}.{}.{} $d, $a, $b{};", relation.name, combination.name,
                        source.ftz ? ".ftz" : "", result, source.name, combines ? ", $c" : ""),
            {result},
            {source.name, source.name, "pred"},
            by_bits([=](const auto& v) {
                Bits bits = 0;
                for (unsigned part = 0; part < parts; ++part) {
                    const bool held = holds(source, relation, v, part);
                    if (combination.combine(held, v[2] != 0)) bits |= value << 16 * part;
                }
                return bits;
            })};
}

/// Of single values p and its opposite, but for 16-bit floats, which have p alone; of packed ones
/// one predicate a part.
Form setp_form(const ComparedType& source, const SetRelation& relation,
               const Combination& combination) {
    const bool combines = *combination.name != 0;
    const bool single = source.is_float && source.parts == 1 && source.width() == 16;
    return {fmt::format("setp.{}{}{}.{} $d{}, $a, $b{};", relation.name, combination.name,
                        source.ftz ? ".ftz" : "", source.name, single ? "" : "|$e",
                        combines ? ", $c" : ""),
            std::vector<std::string>(single ? 1 : 2, "pred"),
            {source.name, source.name, "pred"},
            by_results([=](const auto& v) {
                const bool p = holds(source, relation, v, 0);
                const bool q = source.parts == 2 ? holds(source, relation, v, 1) : !p;
                return std::vector<Bits>{combination.combine(p, v[2] != 0) ? 1u : 0u,
                                         combination.combine(q, v[2] != 0) ? 1u : 0u};
            })};
}

class Comparisons : public testing::TestWithParam<ComparedType> {};
INSTANTIATE_TEST_SUITE_P(Isa, Comparisons, testing::ValuesIn(compared_types()),
                         [](const auto& source) {
                             return source.param.name + (source.param.ftz ? "_ftz" : "");
                         });

TEST_P(Comparisons, IntoValues) {
    const ComparedType& source = GetParam();
    std::vector<Form> forms;
    for (const SetRelation& relation : kSetRelations) {
        if (!has_relation(source, relation)) continue;
        for (const std::string& result : source.results) {
            for (const Combination& combination : kCombinations) {
                forms.push_back(set_form(source, relation, combination, result));
                forms.back().guard_lost_on_hardware = true;
            }
        }
    }
    check(together(forms));
}

TEST_P(Comparisons, IntoPredicates) {
    const ComparedType& source = GetParam();
    std::vector<Form> forms;
    for (const SetRelation& relation : kSetRelations) {
        if (!has_relation(source, relation)) continue;
        for (const Combination& combination : kCombinations) {
            forms.push_back(setp_form(source, relation, combination));
        }
    }
    check(together(forms));
}

}  // namespace
}  // namespace wideload::isa
