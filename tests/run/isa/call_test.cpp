// SPDX-License-Identifier: Apache-2.0
// What a thread calls and where it goes: functions by name and by address, tables of branches,
// fences and waits, each with a value that tells that all of it ran, and ran once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "block.h"
#include "harness.h"
#include "place.h"
#include "together.h"

namespace wideload::isa {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr const char* kFunctions =
    ".func (.param .b32 out) twice(.param .b32 in)\n"
    "{ .reg .b32 %x; ld.param.b32 %x, [in]; add.u32 %x, %x, %x; st.param.b32 [out], %x; ret; }\n"
    ".func (.param .b32 out) next(.param .b32 in)\n"
    "{ .reg .b32 %x; ld.param.b32 %x, [in]; add.u32 %x, %x, 1; st.param.b32 [out], %x; ret; }\n"
    ".func (.param .align 16 .b8 out[16]) reversed(.param .align 16 .b8 in[16])\n"
    "{ .reg .b64 %x, %y; ld.param.v2.b64 {%x, %y}, [in]; st.param.v2.b64 [out], {%y, %x}; ret; }";

Form calling(std::string text, std::vector<std::string> results, std::vector<std::string> operands,
             WarpReference reference) {
    Form form{std::move(text), std::move(results), std::move(operands), std::move(reference)};
    form.declarations = kFunctions;
    return form;
}

TEST(Call, ByName) {
    check({calling("{ .param .b32 in; .param .b32 out; .reg .b32 %x; st.param.b32 [in], $a; "
                   "call (out), twice, (in); ld.param.b32 %x, [out]; mov.b32 $d, %x; }",
                   {"b32"}, {"b32"}, by_lane([](U32 a) { return a * 2; })),
           calling("{ .param .align 16 .b8 in[16]; .param .align 16 .b8 out[16]; .reg .b64 %x, %y; "
                   "st.param.v2.b64 [in], {$a, $b}; call (out), reversed, (in); "
                   "ld.param.v2.b64 {%x, %y}, [out]; mov.b64 $d, %x; mov.b64 $e, %y; }",
                   {"b64", "b64"}, {"b64", "b64"},
                   by_lane([](U64 a, U64 b) { return std::tuple(b, a); }))});
}

/// One of two functions, by each lane's own choice.
TEST(Call, ByAddress) {
    check({calling(
        "{ .param .b32 in; .param .b32 out; .reg .b32 %x; .reg .b64 %f, %other; "
        ".reg .pred %p; "
        "mov.b64 %f, twice; mov.b64 %other, next; setp.lt.u32 %p, $b, 100; "
        "selp.b64 %f, %f, %other, %p; st.param.b32 [in], $a; "
        "kind: .callprototype (.param .b32 _) _ (.param .b32 _); "
        "call (out), %f, (in), kind; ld.param.b32 %x, [out]; mov.b32 $d, %x; }",
        {"b32"}, {"b32", "b32"}, by_lane([](U32 a, U32 b) { return b < 100 ? a * 2 : a + 1; }))});
}

TEST(Branch, ByTable) {
    check(
        {{"{ .reg .b32 %i; and.b32 %i, $a, 3; mov.b32 $d, 0; "
          "table: .branchtargets one, two, three, four; brx.idx %i, table; "
          "one: add.u32 $d, $d, 1; two: add.u32 $d, $d, 10; three: add.u32 $d, $d, 100; "
          "four: add.u32 $d, $d, 1000; }",
          {"b32"},
          {"b32"},
          by_lane([](U32 a) { return std::array{1111u, 1110u, 1100u, 1000u}.at(a & 3); })}});
}

/// A warp goes to one target: of its own, where all of a warp's lanes agree on it.
TEST(Branch, OfAWholeWarp) {
    check_block(
        {".reg .b32 %i; shr.u32 %i, %thread, 5;\n"
         "table: .branchtargets one, two, three, four;\nbrx.idx.uni %i, table;\n"
         "one: add.u32 %result, %result, 1;\nbra.uni four;\ntwo: add.u32 %result, %result, 10;\n"
         "three: add.u32 %result, %result, 100;\nfour: add.u32 %result, %result, 1000;\n",
         [](U32 thread) { return std::array{1001u, 1110u, 1100u, 1000u}.at(thread / 32); }});
}

/// A block that is a cluster of its own finds its shared memory at rank 0.
TEST(Cluster, OfOneBlock) {
    const Place place = private_place("shared");
    Form form{fmt::format("{{ .reg .b64 %far; {} st.shared.b32 [%at], $a; mapa.shared::cluster.u64 "
                          "%far, %at, 0; ld.shared::cluster.b32 $d, [%far]; "
                          "getctarank.shared::cluster.u64 $e, %far; }}",
                          place.code),
              {"b32", "b32"},
              {"b32"},
              by_lane([](U32 a) { return std::tuple(a, U32{0}); })};
    form.declarations = place.declarations;
    check({form});
}

/// Between a store and a load of the same word: what they order other threads see, here all that
/// can be told is that they let both pass.
TEST(Fence, LetsPass) {
    const Place place = private_place("global");
    for (const std::string fence : {"membar.cta",
                                    "membar.gl",
                                    "membar.sys",
                                    "fence.sc.cta",
                                    "fence.sc.cluster",
                                    "fence.sc.gpu",
                                    "fence.sc.sys",
                                    "fence.acq_rel.cta",
                                    "fence.acq_rel.cluster",
                                    "fence.acq_rel.gpu",
                                    "fence.acq_rel.sys",
                                    "fence.proxy.alias",
                                    "fence.proxy.async",
                                    "fence.proxy.async.global",
                                    "fence.proxy.async.shared::cta",
                                    "fence.mbarrier_init.release.cluster",
                                    "nanosleep.u32 20",
                                    "nanosleep.u32 %wait",
                                    "pmevent 7",
                                    "fence.acquire.cta",
                                    "fence.acquire.cluster",
                                    "fence.acquire.gpu",
                                    "fence.acquire.sys",
                                    "fence.release.cta",
                                    "fence.release.cluster",
                                    "fence.release.gpu",
                                    "fence.release.sys",
                                    "membar.proxy.alias",
                                    "fence.cta",
                                    "fence.cluster",
                                    "fence.gpu",
                                    "fence.sys",
                                    "fence.proxy.async.shared::cluster",
                                    "fence.acquire.sync_restrict::shared::cluster.cluster",
                                    "fence.release.sync_restrict::shared::cta.cluster",
                                    "fence.proxy.async::generic.acquire.sync_restrict::shared::"
                                    "cluster.cluster",
                                    "fence.proxy.async::generic.release.sync_restrict::shared::cta"
                                    ".cluster",
                                    "pmevent.mask 5",
                                    "griddepcontrol.wait",
                                    "griddepcontrol.launch_dependents"}) {
        Form form{fmt::format("{{ .reg .b32 %wait; mov.b32 %wait, 30; {} st.global.b32 [%at], $a; "
                              "{}; ld.global.b32 $d, [%at]; }}",
                              place.code, fence),
                  {"b32"},
                  {"b32"},
                  by_lane([](U32 a) { return a; })};
        form.declarations = place.declarations;
        check({form});
    }
}

/// Of the proxy that reads tensor maps, of which there is none: other accesses pass.
TEST(Fence, OfTensorMaps) {
    const Place place = private_place("global");
    std::vector<Form> forms;
    for (const std::string scope : {"cta", "cluster", "gpu", "sys"}) {
        for (const std::string fence :
             {"acquire.$ [%at], 128", "release.$", "release.sync_restrict::shared::cta.$",
              "release.sync_restrict::shared::cluster.$"}) {
            Form form{fmt::format("{{ {} st.global.b32 [%at], $a; fence.proxy.tensormap::generic"
                                  ".{}; ld.global.b32 $d, [%at]; }}",
                                  place.code, with(fence, "$", scope)),
                      {"b32"},
                      {"b32"},
                      by_lane([](U32 a) { return a; })};
            form.declarations = place.declarations;
            forms.push_back(std::move(form));
        }
    }
    check(together(forms));
}

}  // namespace
}  // namespace wideload::isa
