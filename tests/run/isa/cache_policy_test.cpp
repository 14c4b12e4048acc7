// SPDX-License-Identifier: Apache-2.0
// What speaks to caches alone, prefetches and policies: memory stays what it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness.h"
#include "place.h"
#include "together.h"

namespace wideload::isa {
namespace {

using U32 = std::uint32_t;

Form round_trip(const Place& place, const std::string& between) {
    Form form{fmt::format("{{ {} st{}.b32 [%at], $a; {}; ld{}.b32 $d, [%at]; }}", place.code,
                          place.suffix, between, place.suffix),
              {"b32"},
              {"b32"},
              by_lane([](U32 a) { return a; })};
    form.declarations = place.declarations;
    return form;
}

TEST(CachePolicy, Prefetches) {
    const Place local = private_place("local"), generic = private_place("generic_global");
    check({round_trip(local, "prefetch.local.L1 [%at]"),
           round_trip(local, "prefetch.local.L2 [%at]"),
           round_trip(generic, "applypriority.L2::evict_normal [%at], 128")});
    // What is discarded is anything until it is written again.
    Form discard{fmt::format("{{ {} discard.L2 [%at], 128; st.b32 [%at], $a; ld.b32 $d, [%at]; }}",
                             generic.code),
                 {"b32"},
                 {"b32"},
                 by_lane([](U32 a) { return a; })};
    discard.declarations = generic.declarations;
    check({discard});
}

/// `.L2::evict_first` and the like, with and without a second for the rest.
std::vector<std::string> evictions() {
    std::vector<std::string> all;
    for (const std::string first : {"last", "normal", "first", "unchanged"}) {
        for (const std::string rest : {"", ".L2::evict_first", ".L2::evict_unchanged"}) {
            all.push_back(".L2::evict_" + first + rest);
        }
    }
    return all;
}

/// A word is stored and loaded under a policy.
Form under_policy(const std::string& policy) {
    const Place place = private_place("global");
    Form form{fmt::format("{{ .reg .b64 %policy; .reg .f32 %half; mov.f32 %half, 0f3f000000; {} "
                          "createpolicy.{}; st.global.L2::cache_hint.b32 [%at], $a, %policy; "
                          "ld.global.L2::cache_hint.b32 $d, [%at], %policy; }}",
                          place.code, policy),
              {"b32"},
              {"b32"},
              by_lane([](U32 a) { return a; })};
    form.declarations = place.declarations;
    return form;
}

TEST(CachePolicy, OfAFraction) {
    std::vector<Form> forms;
    for (const std::string& eviction : evictions()) {
        for (const std::string fraction : {"", ", 0f3f800000", ", 0f3e800000", ", %half"}) {
            forms.push_back(
                under_policy(fmt::format("fractional{}.b64 %policy{}", eviction, fraction)));
        }
    }
    check(together(forms));
}

TEST(CachePolicy, OfARange) {
    std::vector<Form> forms;
    for (const std::string& eviction : evictions()) {
        for (const std::string space : {"", ".global"}) {
            forms.push_back(under_policy(
                fmt::format("range{}{}.b64 %policy, [%at], 64, 128", space, eviction)));
        }
    }
    check(together(forms));
}

/// From what a program's cudaAccessPolicyWindow would hold: here it is of the usual kind.
TEST(CachePolicy, OfAnAccessProperty) {
    const Place place = private_place("global");
    check({round_trip(place,
                      ".reg .b64 %property, %policy; mov.b64 %property, 0x1000000000000000; "
                      "createpolicy.cvt.L2.b64 %policy, %property")});
}

}  // namespace
}  // namespace wideload::isa
