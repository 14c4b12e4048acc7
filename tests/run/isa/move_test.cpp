// SPDX-License-Identifier: Apache-2.0
// Moves: whole, packed and taken apart; and what tells spaces of memory apart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness.h"
#include "types.h"

namespace wideload::isa {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class T>
Form plain(const std::string& type) {
    Form form{"mov." + type + " $d, $a;", {type}, {type}, by_lane([](T a) { return a; })};
    if (type[0] != 'f') form.literals = {0, {0, 1, 0x1234}};
    return form;
}

TEST(Move, Whole) {
    for (const std::string type : {"b16", "u16", "s16"}) check({plain<U16>(type)});
    for (const std::string type : {"b32", "u32", "s32", "f32"}) check({plain<U32>(type)});
    for (const std::string type : {"b64", "u64", "s64", "f64"}) check({plain<U64>(type)});
    check({{"mov.pred $d, $a;", {"pred"}, {"pred"}, by_lane([](bool a) { return a; })}});
    check({{"mov.f32 $d, 0f3fc00000;", {"f32"}, {}, by_lane([] { return 1.5f; })},
           {"mov.f64 $d, 0dc000000000000000;", {"f64"}, {}, by_lane([] { return -2.0; })}});
}

TEST(Move, Packed) {
    check({{"mov.b32 $d, {$a, $b};", {"b32"}, {"b16", "b16"}, by_lane([](U16 a, U16 b) {
                return U32{a} | U32{b} << 16;
            })},
           {"mov.b64 $d, {$a, $b};", {"b64"}, {"b32", "b32"}, by_lane([](U32 a, U32 b) {
                return U64{a} | U64{b} << 32;
            })},
           {"mov.b64 $d, {$a, $b, $c, $h};",
            {"b64"},
            {"b16", "b16", "b16", "b16"},
            by_lane([](U16 a, U16 b, U16 c, U16 h) {
                return U64{a} | U64{b} << 16 | U64{c} << 32 | U64{h} << 48;
            })}});
}

TEST(Move, TakenApart) {
    check({{"mov.b32 {$d, $e}, $a;", {"b16", "b16"}, {"b32"}, by_lane([](U32 a) {
                return std::tuple(U16(a), U16(a >> 16));
            })},
           {"mov.b64 {$d, $e}, $a;", {"b32", "b32"}, {"b64"}, by_lane([](U64 a) {
                return std::tuple(U32(a), U32(a >> 32));
            })},
           {"mov.b64 {$d, $e, $f, $g}, $a;",
            {"b16", "b16", "b16", "b16"},
            {"b64"},
            by_lane([](U64 a) {
                return std::tuple(U16(a), U16(a >> 16), U16(a >> 32), U16(a >> 48));
            })},
           {"mov.b64 {_, $d}, $a;", {"b32"}, {"b64"}, by_lane([](U64 a) { return U32(a >> 32); })},
           {"mov.b32 {$d, _}, $a;", {"b16"}, {"b32"}, by_lane([](U32 a) { return U16(a); })}});
}

/// Through a register of 128 bits and back.
TEST(Move, Of128Bits) {
    check({{"{ .reg .b128 %q; mov.b128 %q, {$a, $b}; mov.b128 {$d, $e}, %q; }",
            {"b64", "b64"},
            {"b64", "b64"},
            by_lane([](U64 a, U64 b) { return std::tuple(a, b); })}});
}

/// A register packed with itself exchanged: both are read before either is written.
TEST(Move, Exchange) {
    check({{"mov.b64 $d, {$a, $b}; mov.b64 {$e, $f}, $d; mov.b64 $d, {$f, $e};",
            {"b64", "b32", "b32"},
            {"b32", "b32"},
            by_lane([](U32 a, U32 b) { return std::tuple(U64{b} | U64{a} << 32, a, b); })}});
}

/// Addresses of global memory lie in no window, those of a block's or a thread's own variables in
/// one each; and a generic address leads back to the space's own.
TEST(Move, SpacesOfAddresses) {
    const auto form = [](const std::string& declaration, const std::string& space, bool shared,
                         bool local) {
        return Form{
            "{ " + declaration +
                " .reg .b64 %own, %any, %back; mov.b64 %own, variable; "
                "add.u64 %own, %own, $a; cvta." +
                space +
                ".u64 %any, %own; "
                "isspacep.shared $d, %any; isspacep.local $e, %any; isspacep.global $f, %any; "
                "cvta.to." +
                space + ".u64 %back, %any; sub.u64 $g, %back, %own; }",
            {"pred", "pred", "pred", "u64"},
            {"u64"},
            by_lane([=](U64) { return std::tuple(shared, local, !shared && !local, U64{0}); }),
            {{0, 4, 60}},
            {true}};
    };
    check({form(".shared .align 4 .b8 variable[64];", "shared", true, false),
           form(".local .align 4 .b8 variable[64];", "local", false, true)});
}

/// Constants have a space of their own, which is not global memory; loads find them by generic
/// addresses as well as by the space's.
TEST(Move, ConstantsAndGlobals) {
    for (const bool constant : {true, false}) {
        const std::string space = constant ? "const" : "global";
        Form kept{fmt::format("{{ .reg .b64 %own, %any, %back; mov.b64 %own, variable; add.u64 "
                              "%own, %own, $a; cvta.{0}.u64 %any, %own; isspacep.const $d, %any; "
                              "isspacep.global $e, %any; isspacep.shared $f, %any; isspacep.local "
                              "$g, %any; cvta.to.{0}.u64 %back, %any; sub.u64 $i, %back, %own; "
                              "ld.b32 $j, [%any]; ld.{0}.b32 $k, [%back]; }}",
                              space),
                  {"pred", "pred", "pred", "pred", "u64", "u32", "u32"},
                  {"u64"},
                  by_lane([=](U64 a) {
                      const auto value = static_cast<U32>(a / 4 * 3 + 1);
                      return std::tuple(constant, !constant, false, false, U64{0}, value, value);
                  }),
                  {{0, 4, 12}},
                  {true}};
        kept.declarations = fmt::format(".{} .align 4 .u32 variable[4] = {{1, 4, 7, 10}};", space);
        check({kept});
    }
    Form neither{
        "{ .shared .align 4 .b8 own[64]; .reg .b64 %own, %any; mov.b64 %own, own; add.u64 "
        "%own, %own, $a; cvta.shared.u64 %any, %own; isspacep.const $d, %any; }",
        {"pred"},
        {"u64"},
        by_lane([](U64) { return false; }),
        {{0, 4, 60}},
        {true}};
    neither.declarations = ".const .align 4 .u32 constant[4] = {1, 2, 3, 4};";
    check({neither});
}

}  // namespace
}  // namespace wideload::isa
