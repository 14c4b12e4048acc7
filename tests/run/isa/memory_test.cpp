// SPDX-License-Identifier: Apache-2.0
// Loads and stores of every space, type, width and cache operator: each lane stores into a place
// of its own, amid bytes that must stay as they are, and loads it again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness.h"
#include "place.h"
#include "types.h"

namespace wideload::isa {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

std::vector<std::string> spaces() {
    return {"global", "shared", "local", "generic_global", "generic_shared", "generic_local"};
}

/// 16 of "s16".
unsigned width_in(const std::string& type) {
    return static_cast<unsigned>(std::stoul(type.substr(1)));
}

/// A value of `type`, of 8 to 64 bits, as a load puts it into a register of `bits` bits.
U64 widened(const std::string& type, U64 value, unsigned bits) {
    const unsigned width = width_in(type);
    const U64 low = width == 64 ? value : value & ((U64{1} << width) - 1);
    if (type[0] != 's' || width == 64) return low;
    const U64 sign = U64{1} << (width - 1);
    const U64 extended = (low ^ sign) - sign;
    return bits == 64 ? extended : extended & ((U64{1} << bits) - 1);
}

/// $a is stored as `type` over the bytes of $b from `offset` on, and loaded; $e is what all eight
/// bytes then hold. Registers of `bits` bits, which may be wider than the type.
Form round_trip(const Place& place, const std::string& store, const std::string& load,
                const std::string& type, unsigned bits, unsigned offset = 0) {
    const unsigned width = width_in(type);
    Form form;
    form.declarations = place.declarations;
    form.text = fmt::format(
        "{{ {} st{}.b64 [%at], $b; st{}.{} [%at+{}], $a; ld{}.{} $d, [%at+{}]; ld{}.b64 $e, [%at]; "
        "}}",
        place.code, place.suffix, store, type, offset, load, type, offset, place.suffix);
    form.results = {fmt::format("b{}", bits), "b64"};
    form.operands = {fmt::format("b{}", bits), "b64"};
    form.reference = by_lane([=](U64 a, U64 b) {
        const U64 mask = width == 64 ? ~U64{0} : ((U64{1} << width) - 1) << (8 * offset);
        const U64 whole = (b & ~mask) | (a << (8 * offset) & mask);
        return std::tuple(widened(type, a, bits), whole);
    });
    return form;
}

class Memory : public testing::TestWithParam<std::string> {};

TEST_P(Memory, TypesAndWidths) {
    const Place place = private_place(GetParam());
    for (const std::string sign : {"b", "u", "s"}) {
        for (const unsigned bits : {16u, 32u, 64u}) {
            for (unsigned width = 8; width <= bits; width *= 2) {
                const std::string type = fmt::format("{}{}", sign, width);
                for (const unsigned offset : {0u, 8 - width / 8}) {
                    check({round_trip(place, place.suffix, place.suffix, type, bits, offset)});
                    if (width == 64) break;
                }
            }
        }
    }
    for (const unsigned bits : {32u, 64u}) {
        check({round_trip(place, place.suffix, place.suffix, fmt::format("f{}", bits), bits)});
    }
}

TEST_P(Memory, Of128Bits) {
    const Place place = private_place(GetParam());
    const std::string text = fmt::format(
        "{{ .reg .b128 %q, %back; {0} mov.b128 %q, {{$a, $b}}; st{1}.b128 [%at], %q; ld{1}.b128 "
        "%back, [%at]; mov.b128 {{$d, $e}}, %back; ld{1}.b64 $f, [%at+8]; }}",
        place.code, place.suffix);
    Form form{text, {"b64", "b64", "b64"}, {"b64", "b64"}, by_lane([](U64 a, U64 b) {
                  return std::tuple(a, b, b);
              })};
    form.declarations = place.declarations;
    check({form});
}

/// What vectors are made of, and the bits of the registers that hold it.
struct Element {
    std::string type;
    unsigned width = width_in(type), bits = std::max(width, 16u);
};

std::vector<Element> elements() {
    std::vector<Element> all;
    for (const char* type : {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32",
                             "b64", "u64", "s64", "f64"}) {
        all.push_back({type});
    }
    return all;
}

/// With four results, and as many operands as are stored.
Form vector_form(const Place& place, const Element& element, std::size_t stored) {
    const std::string held = fmt::format("b{}", element.bits);
    Form form;
    form.declarations = place.declarations;
    form.results.assign(4, held);
    form.operands.assign(stored, held);
    return form;
}

TEST_P(Memory, VectorsOfTwo) {
    const Place place = private_place(GetParam());
    for (const Element& element : elements()) {
        const auto& [type, width, bits] = element;
        Form form = vector_form(place, element, 2);
        form.text = fmt::format(
            "{{ {0} st{1}.v2.{2} [%at], {{$a, $b}}; ld{1}.v2.{2} {{$d, $e}}, [%at]; ld{1}.{2} $f, "
            "[%at+{3}]; ld{1}.v2.{2} {{_, $g}}, [%at]; }}",
            place.code, place.suffix, type, width / 8);
        form.reference = by_lane([=](U64 a, U64 b) {
            const U64 second = widened(type, b, bits);
            return std::tuple(widened(type, a, bits), second, second, second);
        });
        check({form});
    }
}

TEST_P(Memory, VectorsOfFour) {
    const Place place = private_place(GetParam());
    for (const Element& element : elements()) {
        const auto& [type, width, bits] = element;
        if (width == 64 && !place.is_global) continue;
        Form form = vector_form(place, element, 4);
        form.needs_sm100 = width == 64;
        form.text = fmt::format(
            "{{ {0} st{1}.v4.{2} [%at], {{$a, $b, $c, $h}}; ld{1}.v4.{2} {{$d, $e, $f, $g}}, "
            "[%at]; "
            "}}",
            place.code, place.suffix, type);
        form.reference = by_lane([=](U64 a, U64 b, U64 c, U64 h) {
            return std::tuple(widened(type, a, bits), widened(type, b, bits),
                              widened(type, c, bits), widened(type, h, bits));
        });
        check({form});
    }
}

/// 32 bytes a lane, of global memory alone: each half is also read and written by itself, which
/// tells the elements' order. Once amid other bytes, and once with all lanes' in a row.
void check_wide(const std::string& vector, const std::string& type, unsigned count) {
    const std::string bits = fmt::format("b{}", width_in(type));
    const std::string_view stored = kOperandNames.substr(0, count);
    const std::string_view loaded = kResultNames.substr(0, count);
    const std::string half = fmt::format(".v{}.{}", count / 2, bits);
    for (const unsigned apart : {128u, 32u}) {
        const Place place = private_place("global", "at", apart);
        Form form;
        form.declarations = place.declarations;
        form.results.assign(count, bits);
        form.operands.assign(count, bits);
        form.needs_sm100 = true;
        form.reference = [](const WarpInput& input, WarpResults& results) {
            std::copy(input.operands.begin(), input.operands.end(), results.begin());
        };
        const std::string whole = vector + "." + type;
        form.text = fmt::format(
            "{{ {} st.global{} [%at], {}; ld.global{} {}, [%at]; ld.global{} {}, [%at+16]; }}",
            place.code, whole, vector_of(stored), half, vector_of(loaded.substr(0, count / 2)),
            half, vector_of(loaded.substr(count / 2)));
        check({form});
        form.text = fmt::format(
            "{{ {} st.global{} [%at], {}; st.global{} [%at+16], {}; ld.global{} {}, [%at]; }}",
            place.code, half, vector_of(stored.substr(0, count / 2)), half,
            vector_of(stored.substr(count / 2)), whole, vector_of(loaded));
        check({form});
    }
}

TEST(MemoryWide, VectorsOfEight) {
    for (const char* type : {"b32", "u32", "s32", "f32"}) check_wide(".v8", type, 8);
}

TEST(MemoryWide, VectorsOfFour) {
    for (const char* type : {"b64", "u64", "s64", "f64"}) check_wide(".v4", type, 4);
}

/// What nobody wants of a vector is `_`.
TEST(MemoryWide, SomeOfEight) {
    const Place place = private_place("global");
    Form form{fmt::format("{{ {} st.global.v4.b32 [%at], {{$a, $a, $b, $b}}; st.global.v4.b32 "
                          "[%at+16], {{$c, $c, $h, $h}}; ld.global.v8.b32 {{_, $d, $e, _, _, $f, "
                          "$g, _}}, [%at]; }}",
                          place.code),
              {"b32", "b32", "b32", "b32"},
              {"b32", "b32", "b32", "b32"},
              by_lane([](U32 a, U32 b, U32 c, U32 h) { return std::tuple(a, b, c, h); })};
    form.declarations = place.declarations;
    form.needs_sm100 = true;
    check({form});
}

INSTANTIATE_TEST_SUITE_P(Isa, Memory, testing::ValuesIn(spaces()),
                         [](const auto& space) { return space.param; });

/// Words after `st` and `ld` that order or cache an access, and leave what it moves as it is.
TEST(MemoryOrder, StoresAndLoads) {
    const std::vector<std::string> stores{
        ".weak",        ".volatile",    ".relaxed.cta",     ".relaxed.cluster", ".relaxed.gpu",
        ".relaxed.sys", ".release.cta", ".release.cluster", ".release.gpu",     ".release.sys"};
    const std::vector<std::string> loads{
        ".weak",        ".volatile",    ".relaxed.cta",     ".relaxed.cluster", ".relaxed.gpu",
        ".relaxed.sys", ".acquire.cta", ".acquire.cluster", ".acquire.gpu",     ".acquire.sys"};
    for (const std::string space : {"global", "shared", "generic_global", "generic_shared"}) {
        const Place place = private_place(space);
        for (std::size_t i = 0; i < stores.size(); ++i) {
            check({round_trip(place, stores[i] + place.suffix, loads[i] + place.suffix, "u32", 32),
                   round_trip(place, stores[i] + place.suffix, loads[i] + place.suffix, "s16", 64,
                              2)});
        }
    }
}

TEST(MemoryOrder, MappedIo) {
    const Place place = private_place("global");
    check({round_trip(place, ".mmio.relaxed.sys.global", ".mmio.relaxed.sys.global", "u32", 32),
           round_trip(place, ".mmio.relaxed.sys.global", ".mmio.relaxed.sys.global", "b64", 64)});
}

TEST(MemoryCache, Operators) {
    for (const std::string space : {"global", "local", "shared", "generic_global"}) {
        const Place place = private_place(space);
        for (const std::string store : {".wb", ".cg", ".cs", ".wt"}) {
            check({round_trip(place, place.suffix + store, place.suffix, "b32", 32, 4)});
        }
        for (const std::string load : {".ca", ".cg", ".cs", ".lu", ".cv"}) {
            check({round_trip(place, place.suffix, place.suffix + load, "b32", 32, 4)});
        }
    }
}

TEST(MemoryCache, Hints) {
    const Place place = private_place("global");
    for (const std::string hint : {".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first",
                                   ".L1::evict_last", ".L1::no_allocate"}) {
        check({round_trip(place, ".global" + hint, ".global" + hint, "b32", 32)});
    }
    for (const std::string hint : {".L2::64B", ".L2::128B", ".L2::256B"}) {
        check({round_trip(place, ".global", ".global" + hint, "b64", 64)});
    }
    Form policy{fmt::format("{{ .reg .b64 %policy; {} createpolicy.fractional.L2::evict_last.b64 "
                            "%policy, 0f3f000000; st.global.L2::cache_hint.b32 [%at], $a, %policy; "
                            "ld.global.L2::cache_hint.b32 $d, [%at], %policy; }}",
                            place.code),
                {"b32"},
                {"b32"},
                by_lane([](U32 a) { return a; })};
    policy.declarations = place.declarations;
    check({policy});
}

/// What says something to the caches alone; discard may lose what was there, so a store follows.
TEST(MemoryCache, Management) {
    const Place place = private_place("global");
    for (const std::string instruction :
         {"prefetch.global.L1 [%at]", "prefetch.global.L2 [%at]", "prefetch.L1 [%any]",
          "prefetch.global.L2::evict_last [%at]", "prefetch.global.L2::evict_normal [%at]",
          "prefetchu.L1 [%any]", "applypriority.global.L2::evict_normal [%at], 128",
          "discard.global.L2 [%at], 128", "prefetch.L2 [%any]", "prefetch.L2::evict_last [%any]",
          "prefetch.L2::evict_normal [%any]"}) {
        Form form{fmt::format("{{ .reg .b64 %any; {} cvta.global.u64 %any, %at; {}; st.global.b32 "
                              "[%at], $a; ld.global.b32 $d, [%at]; }}",
                              place.code, instruction),
                  {"b32"},
                  {"b32"},
                  by_lane([](U32 a) { return a; })};
        form.declarations = place.declarations;
        check({form});
    }
}

/// Memory that no one writes: of each of 16 words, by index.
TEST(MemoryReadOnly, Tables) {
    std::string table = "{1";
    for (unsigned i = 1; i < 16; ++i) table += fmt::format(", {}", i * i * 0x01030507 + 1);
    table += "}";
    const auto value = [](U32 index) { return index * index * 0x01030507u + 1; };
    const auto form = [&](const std::string& space, const std::string& load) {
        Form f{fmt::format("{{ .reg .b64 %at, %index; mov.b64 %at, table; cvt.u64.u32 %index, $a; "
                           "and.b64 %index, %index, 15; mad.lo.u64 %at, %index, 4, %at; {} $d, "
                           "[%at]; }}",
                           load),
               {"b32"},
               {"b32"},
               by_lane([=](U32 a) { return value(a & 15); })};
        f.declarations = fmt::format(".{} .align 16 .b32 table[16] = {};", space, table);
        return f;
    };
    for (const std::string load : {"ld.global.nc.b32", "ld.global.ca.nc.b32", "ld.global.cg.nc.u32",
                                   "ld.global.nc.L1::no_allocate.L2::128B.s32", "ldu.global.b32"}) {
        check({form("global", load)});
    }
    check({form("const", "ld.const.b32"), form("const", "ld.const.s32")});
}

TEST(MemoryReadOnly, Vectors) {
    const auto form = [](const std::string& load) {
        Form f{fmt::format("{{ .reg .b64 %at; mov.b64 %at, table; {} {{$d, $e, $f, $g}}, [%at+16]; "
                           "}}",
                           load),
               {"b32", "b32", "b32", "b32"},
               {},
               by_lane([] { return std::tuple(U32{5}, U32{6}, U32{7}, U32{8}); })};
        const bool constant = load.find("const") != std::string::npos;
        f.declarations = fmt::format(".{} .align 16 .b32 table[8] = {{1, 2, 3, 4, 5, 6, 7, 8}};",
                                     constant ? "const" : "global");
        return f;
    };
    check({form("ld.global.nc.v4.b32"), form("ldu.global.v4.b32"), form("ld.const.v4.u32")});
}

}  // namespace
}  // namespace wideload::isa
