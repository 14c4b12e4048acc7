// SPDX-License-Identifier: Apache-2.0
// Loads and stores of every type and width from memory that other tests leave out: read-only data,
// parameters, and vectors of 32 bytes through generic addresses; and the names that shared memory
// has as well.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness.h"
#include "machine.h"
#include "place.h"
#include "together.h"

namespace wideload::isa {
namespace {

const std::vector<std::string> kNarrowTypes{"b8", "u8", "s8", "b16", "u16", "s16"};
const std::vector<std::string> kWordTypes{"b32", "u32", "s32", "f32"};
const std::vector<std::string> kLongTypes{"b64", "u64", "s64", "f64"};

std::vector<std::string> joined_types(std::initializer_list<std::vector<std::string>> lists) {
    std::vector<std::string> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

unsigned bytes_of(const std::string& type) {
    return static_cast<unsigned>(std::stoul(type.substr(1))) / 8;
}
std::string held_in(const std::string& type) {
    return fmt::format("b{}", std::max(8 * bytes_of(type), 16u));
}
/// What a load of `type` puts into its register: 8 bits are extended to 16.
Bits loaded(const std::string& type, Bits value) {
    if (bytes_of(type) > 1) return value;
    value &= 0xff;
    return type[0] == 's' && value > 0x7f ? value | 0xff00 : value;
}

/// ".v4" of 4, nothing of 1.
std::string vector_word(unsigned count) { return count == 1 ? "" : fmt::format(".v{}", count); }
std::string register_list(std::string_view names, unsigned count) {
    return count == 1 ? fmt::format("${}", names[0]) : vector_of(names.substr(0, count));
}

struct VectorShape {
    unsigned count;
    std::vector<std::string> types;
    bool needs_sm100 = false;
};
const std::vector<VectorShape> kVectorShapes{
    {1, joined_types({kNarrowTypes, kWordTypes, kLongTypes})},
    {2, joined_types({kNarrowTypes, kWordTypes, kLongTypes})},
    {4, joined_types({kNarrowTypes, kWordTypes})}};

// Read-only data.

constexpr unsigned kTableBytes = 64;
Bits table_byte(unsigned index) { return (index * 73 + 41) & 0xff; }

Bits table_value(Bits offset, unsigned bytes) {
    Bits value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        value |= table_byte(static_cast<unsigned>(offset) + i) << 8 * i;
    }
    return value;
}

/// A place in the table, by $a: the low bits of it count steps of `step` bytes.
std::string table_address(bool generic, const std::string& space, unsigned step) {
    return fmt::format(
        ".reg .b64 %at, %index; mov.b64 %at, table; cvt.u64.u32 %index, $a; and.b64 %index, "
        "%index, {}; mad.lo.u64 %at, %index, {}, %at; {}",
        kTableBytes / step - 1, step, generic ? fmt::format("cvta.{}.u64 %at, %at; ", space) : "");
}

Form table_form(const std::string& load, const std::string& space, const std::string& type,
                unsigned count) {
    const unsigned bytes = bytes_of(type), step = std::max(bytes * count, 16u);
    return {fmt::format("{{ {}{}{}.{} {}, [%at]; }}", table_address(load == "ldu", space, step),
                        load, vector_word(count), type, register_list(kResultNames, count)),
            std::vector<std::string>(count, held_in(type)),
            {"b32"},
            by_results([=](const auto& v) {
                const Bits offset = (v[0] & (kTableBytes / step - 1)) * step;
                std::vector<Bits> values;
                for (unsigned i = 0; i < count; ++i) {
                    values.push_back(loaded(type, table_value(offset + i * bytes, bytes)));
                }
                return values;
            })};
}

Form table_form_of_128_bits(const std::string& load, const std::string& space) {
    return {fmt::format("{{ .reg .b128 %whole; {}{}.b128 %whole, [%at]; mov.b128 {{$d, $e}}, "
                        "%whole; }}",
                        table_address(load == "ldu", space, 16), load),
            {"b64", "b64"},
            {"b32"},
            by_results([](const auto& v) {
                const Bits offset = (v[0] & 3) * 16;
                return std::vector<Bits>{table_value(offset, 8), table_value(offset + 8, 8)};
            })};
}

void check_tables(const std::string& load, const std::string& space,
                  const std::vector<VectorShape>& shapes) {
    std::string bytes;
    for (unsigned i = 0; i < kTableBytes; ++i) {
        bytes += fmt::format("{}{}", i == 0 ? "" : ", ", table_byte(i));
    }
    const auto check_all = [&](std::vector<Form> forms, bool needs_sm100) {
        for (Form& form : forms) {
            form.declarations =
                fmt::format(".{} .align 32 .b8 table[{}] = {{{}}};", space, kTableBytes, bytes);
            form.needs_sm100 = needs_sm100;
        }
        check(together(forms));
    };
    check_all({table_form_of_128_bits(load, space)}, false);
    for (const VectorShape& shape : shapes) {
        std::vector<Form> forms;
        for (const std::string& type : shape.types) {
            forms.push_back(table_form(load, space, type, shape.count));
        }
        check_all(forms, shape.needs_sm100);
    }
}

std::vector<VectorShape> with(std::vector<VectorShape> shapes,
                              const std::vector<VectorShape>& more) {
    shapes.insert(shapes.end(), more.begin(), more.end());
    return shapes;
}

TEST(MemoryForms, Constants) { check_tables("ld.const", "const", kVectorShapes); }
TEST(MemoryForms, ReadOnlyGlobals) {
    check_tables("ld.global.nc", "global",
                 with(kVectorShapes, {{8, kWordTypes, true}, {4, kLongTypes, true}}));
}
TEST(MemoryForms, UniformLoads) { check_tables("ldu.global", "global", kVectorShapes); }
TEST(MemoryForms, UniformLoadsOfGenericAddresses) { check_tables("ldu", "global", kVectorShapes); }

// Vectors of 32 bytes through generic addresses.

Form vector_trip(const Place& place, const std::string& type, unsigned count) {
    Form form{
        fmt::format("{{ {0} st{1}.v{2}.{3} [%at], {4}; ld{1}.v{2}.{3} {5}, [%at]; }}", place.code,
                    place.suffix, count, type, vector_of(kOperandNames.substr(0, count)),
                    vector_of(kResultNames.substr(0, count))),
        std::vector<std::string>(count, held_in(type)),
        std::vector<std::string>(count, held_in(type)), by_results([=](const auto& v) {
            std::vector<Bits> values;
            for (const Bits value : v) values.push_back(loaded(type, value));
            return values;
        })};
    form.declarations = place.declarations;
    form.needs_sm100 = true;
    return form;
}

TEST(MemoryForms, ThirtyTwoBytesOfGenericAddresses) {
    const Place place = private_place("generic_global");
    for (const std::string& type : kWordTypes) check({vector_trip(place, type, 8)});
    for (const std::string& type : kLongTypes) check({vector_trip(place, type, 4)});
}

// Parameters.

constexpr const char* kSame =
    ".func (.param .align 16 .b8 out[16]) same(.param .align 16 .b8 in[16])\n"
    "{ .reg .b64 %x, %y; ld.param.v2.b64 {%x, %y}, [in]; st.param.v2.b64 [out], {%x, %y}; ret; }";

/// Operands go through a function that returns what it gets.
Form parameter_form(const std::string& type, unsigned count, const std::string& space) {
    std::string registers, moves;
    for (unsigned i = 0; i < count; ++i) {
        registers += fmt::format("{}%back{}", i == 0 ? "" : ", ", i);
        moves += fmt::format(" mov.{} ${}, %back{};", held_in(type), kResultNames[i], i);
    }
    Form form{fmt::format("{{ .param .align 16 .b8 in[16]; .param .align 16 .b8 out[16]; .reg .{} "
                          "{}; st.{}{}.{} [in], {}; call (out), same, (in); ld.{}{}.{} {}, "
                          "[out];{} }}",
                          held_in(type), registers, space, vector_word(count), type,
                          register_list(kOperandNames, count), space, vector_word(count), type,
                          count == 1 ? registers : "{" + registers + "}", moves),
              std::vector<std::string>(count, held_in(type)),
              std::vector<std::string>(count, held_in(type)), by_results([=](const auto& v) {
                  std::vector<Bits> values;
                  for (const Bits value : v) values.push_back(loaded(type, value));
                  return values;
              })};
    form.declarations = kSame;
    return form;
}

class ParametersOf : public testing::TestWithParam<VectorShape> {};
INSTANTIATE_TEST_SUITE_P(Isa, ParametersOf, testing::ValuesIn(kVectorShapes),
                         [](const auto& shape) { return fmt::format("v{}", shape.param.count); });

TEST_P(ParametersOf, Functions) {
    for (const std::string& type : GetParam().types) {
        check({parameter_form(type, GetParam().count, "param")});
    }
}

TEST(MemoryForms, ParametersOfFunctions) { check({parameter_form("u32", 1, "param::func")}); }

TEST(MemoryForms, WholeParametersOfFunctions) {
    if (machine().is_hardware()) GTEST_SKIP() << "ends in cudaErrorMisalignedAddress there";
    Form whole{
        "{ .param .align 16 .b8 in[16]; .param .align 16 .b8 out[16]; .reg .b128 %x, %back; "
        "mov.b128 %x, {$a, $b}; st.param.b128 [in], %x; call (out), same, (in); ld.param.b128 "
        "%back, [out]; mov.b128 {$d, $e}, %back; }",
        {"b64", "b64"},
        {"b64", "b64"},
        by_results([](const auto& v) { return v; })};
    whole.declarations = kSame;
    whole.unlike_hardware = "the upper half comes back as 0 on an H200 (ptxas 13.0, -O0)";
    check({whole});
}

/// The kernel's own: by name and by generic address.
TEST(MemoryForms, ParametersOfKernels) {
    check(
        {{"{ .reg .b64 %x, %y; ld.param::entry.b64 %x, [masks]; ld.param.b64 %y, [masks]; "
          "sub.u64 %x, %x, %y; add.u64 $d, $a, %x; }",
          {"u64"},
          {"u64"},
          by_results([](const auto& v) { return v; })}});
    for (const std::string space : {"param", "param::entry"}) {
        check({{fmt::format("{{ .reg .b64 %own, %any, %x, %y; mov.b64 %own, masks; cvta.{0}.u64 "
                            "%any, %own; isspacep.{0} $d, %any; ld.b64 %x, [%any]; cvta.to.{0}.u64 "
                            "%own, %any; ld.param.b64 %y, [%own]; sub.u64 $e, %x, %y; }}",
                            space),
                {"pred", "u64"},
                {"u64"},
                by_results([](const auto&) { return std::vector<Bits>{1, 0}; })}});
    }
}

// Shared memory by the names of a cluster's.

TEST(MemoryForms, SharedMemoryOfACluster) {
    const Place place = private_place("shared");
    for (const std::string space : {"shared::cta", "shared::cluster"}) {
        Form form{
            fmt::format("{{ .reg .b64 %any, %back; .reg .pred %is; {1} st.{0}.b32 [%at], $a; "
                        "ld.{0}.b32 $d, [%at]; atom.{0}.add.u32 $e, [%at], $b; red.{0}.add.u32 "
                        "[%at], $b; ld.{0}.b32 $f, [%at]; cvta.{0}.u64 %any, %at; isspacep.{0} $g, "
                        "%any; cvta.to.{0}.u64 %back, %any; sub.u64 $i, %back, %at; }}",
                        space, place.code),
            {"b32", "b32", "b32", "pred", "u64"},
            {"b32", "b32"},
            by_results([](const auto& v) {
                return std::vector<Bits>{v[0], v[0], (v[0] + 2 * v[1]) & 0xffffffff, 1, 0};
            })};
        form.declarations = place.declarations;
        check({form});
    }
}

/// Addresses of 32 bits, and generic ones, of a block that is a cluster of its own.
TEST(MemoryForms, RanksInACluster) {
    const Place place = private_place("shared");
    Form narrow{fmt::format("{{ .reg .b32 %near, %far; {} st.shared.b32 [%at], $a; cvt.u32.u64 "
                            "%near, %at; mapa.shared::cluster.u32 %far, %near, 0; "
                            "ld.shared::cluster.b32 $d, [%far]; getctarank.shared::cluster.u32 $e, "
                            "%far; }}",
                            place.code),
                {"b32", "b32"},
                {"b32"},
                by_results([](const auto& v) { return std::vector<Bits>{v[0], 0}; })};
    Form generic{fmt::format("{{ .reg .b64 %any, %far; {} st.shared.b32 [%at], $a; cvta.shared.u64 "
                             "%any, %at; mapa.u64 %far, %any, 0; ld.b32 $d, [%far]; getctarank.u64 "
                             "$e, %far; }}",
                             place.code),
                 {"b32", "b32"},
                 {"b32"},
                 by_results([](const auto& v) { return std::vector<Bits>{v[0], 0}; })};
    for (Form* form : {&narrow, &generic}) form->declarations = place.declarations;
    check({narrow, generic});
}

// Registers.

TEST(MemoryForms, VectorsOfRegisters) {
    for (const std::string type :
         {"b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"}) {
        std::vector<Form> forms;
        for (const unsigned count : {2u, 4u}) {
            if (count * bytes_of(type) > 16) continue;
            // Out of order, so that what is read has to be read before anything is written.
            const std::string_view names = count == 2 ? "ba" : "hcba";
            forms.push_back({fmt::format("mov.v{}.{} {}, {};", count, type,
                                         register_list(kResultNames, count), vector_of(names)),
                             std::vector<std::string>(count, held_in(type)),
                             std::vector<std::string>(4, held_in(type)),
                             by_results([count](const auto& v) {
                                 return std::vector<Bits>(v.rend() - count, v.rend());
                             })});
        }
        check(together(forms));
    }
}

}  // namespace
}  // namespace wideload::isa
