// SPDX-License-Identifier: Apache-2.0
// Every form of mbarrier, with each order, scope and space: each lane takes an object of its own
// through a phase, and asks it after each step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness.h"
#include "place.h"
#include "together.h"

namespace wideload::isa {
namespace {

using U32 = std::uint32_t;

constexpr U32 kExpected = 8;

/// An object of each lane's, its address where `space` (".shared::cta", or nothing) looks for it.
Place object_in(const std::string& space) {
    return private_place(space.empty() ? "generic_shared" : "shared");
}

/// A form of one operand, with these values alone.
Form form_of(const Place& place, const std::string& steps, std::vector<std::string> results,
             std::vector<Bits> values, WarpReference reference) {
    Form form{
        "{ .reg .b64 %state; .reg .b32 %rest; .reg .pred %done; " + place.code + " " + steps + " }",
        std::move(results),
        {"b32"},
        std::move(reference)};
    form.values = {std::move(values)};
    form.only_values = {true};
    form.declarations = place.declarations;
    return form;
}

/// Whether the first phase has ended.
std::string ask(const std::string& result) {
    return fmt::format("mbarrier.test_wait.parity.b64 {}, [%any], 0; ", result);
}
/// Arrives `count` times; the state tells what was pending before.
std::string arrive(const std::string& count, const std::string& result) {
    return fmt::format(
        "mbarrier.arrive.b64 %state, [%any], {}; mbarrier.pending_count.b64 {}, %state; ", count,
        result);
}
std::string begin(const Place& place, const std::string& space, U32 count) {
    const std::string to_generic =
        place.suffix.empty() ? "mov.b64 %any, %at;" : "cvta.shared.u64 %any, %at;";
    return fmt::format(".reg .b64 %any; {} mbarrier.init{}.b64 [%at], {}; ", to_generic, space,
                       count);
}
const std::string kEnd = "mbarrier.inval.b64 [%any];";

/// $a arrivals of 8, seen by the next; then the rest, which end the phase. What drops arrivals is
/// not expected to make them in the next phase.
Form arrivals(const std::string& words, const std::string& space, bool drops) {
    const Place place = object_in(space);
    const std::string steps = begin(place, "", kExpected) +
                              fmt::format("mbarrier.{}{}.b64 {}, [%at], $a; ", words, space,
                                          space == ".shared::cluster" ? "_" : "%state") +
                              arrive("1", "$d") + "sub.u32 %rest, 7, $a; " + ask("$e") +
                              arrive("%rest", "$f") + ask("$g") + arrive("1", "$i") + kEnd;
    return form_of(place, steps, {"b32", "pred", "b32", "pred", "b32"}, {1, 2, 3},
                   by_lane([=](U32 a) {
                       return std::tuple(kExpected - a, false, kExpected - 1 - a, true,
                                         drops ? kExpected - a : kExpected);
                   }));
}

/// One arrival of 2 that expects $a bytes: the phase ends when both arrivals and the bytes came.
Form expecting_arrivals(const std::string& words, const std::string& space, bool drops) {
    const Place place = object_in(space);
    const std::string steps = begin(place, "", 2) +
                              fmt::format("mbarrier.{}{}.b64 {}, [%at], $a; ", words, space,
                                          space == ".shared::cluster" ? "_" : "%state") +
                              arrive("1", "$d") + ask("$e") +
                              "mbarrier.complete_tx.b64 [%any], $a; " + ask("$f") +
                              arrive("1", "$g") + kEnd;
    return form_of(place, steps, {"b32", "pred", "pred", "b32"}, {1, 16, 4096, 0xfffff},
                   by_lane([=](U32) { return std::tuple(1u, false, true, drops ? 1u : 2u); }));
}

TEST(MbarrierForms, Arrivals) {
    for (const std::string verb : {"arrive", "arrive_drop"}) {
        const bool drops = verb == "arrive_drop";
        for (const std::string order :
             {"", ".release.cta", ".release.cluster", ".relaxed.cta", ".relaxed.cluster"}) {
            for (const std::string space : {"", ".shared", ".shared::cta", ".shared::cluster"}) {
                check({arrivals(verb + order, space, drops),
                       expecting_arrivals(verb + ".expect_tx" + order, space, drops)});
            }
        }
        for (const std::string order : {"", ".release.cta"}) {
            for (const std::string space : {"", ".shared", ".shared::cta"}) {
                check({arrivals(verb + ".noComplete" + order, space, drops)});
            }
        }
    }
}

/// The state that an arrival gives tells what was pending before it, in this phase and the next.
TEST(MbarrierForms, StatesOfArrivals) {
    for (const std::string verb : {"arrive", "arrive_drop"}) {
        for (const std::string count : {"", ", 1", ", $a"}) {
            const Place place = object_in(".shared");
            const std::string steps =
                begin(place, ".shared", kExpected) +
                fmt::format(
                    "mbarrier.{0}.shared.b64 %state, [%at]{1}; mbarrier.pending_count.b64 $d, "
                    "%state; mbarrier.{0}.shared.b64 _, [%at]{1}; ",
                    verb, count) +
                arrive("1", "$e") + kEnd;
            const bool by_operand = count == ", $a";
            check({form_of(place, steps, {"b32", "b32"}, {1, 2, 3}, by_lane([=](U32 a) {
                               return std::tuple(kExpected, kExpected - 2 * (by_operand ? a : 1));
                           }))});
        }
    }
}

TEST(MbarrierForms, Transactions) {
    for (const std::string order : {"", ".relaxed.cta", ".relaxed.cluster"}) {
        for (const std::string space : {"", ".shared", ".shared::cta", ".shared::cluster"}) {
            const Place place = object_in(space);
            const std::string steps = begin(place, "", 1) +
                                      fmt::format(
                                          "mbarrier.expect_tx{0}{1}.b64 [%at], $a; {2}{3}"
                                          "mbarrier.complete_tx{0}{1}.b64 [%at], $a; {4}",
                                          order, space, arrive("1", "$d"), ask("$e"), ask("$f")) +
                                      kEnd;
            check({form_of(place, steps, {"b32", "pred", "pred"}, {1, 16, 4096, 0xfffff},
                           by_lane([](U32) { return std::tuple(1u, false, true); }))});
        }
    }
}

/// What a wait says of an object after the first of two arrivals, and after the second: by the
/// state of the first, or by the parity of its phase.
Form wait_of(const std::string& words, const std::string& space, const std::string& hint) {
    const Place place = object_in(space);
    const bool by_parity = words.find("parity") != std::string::npos;
    const auto wait = [&](const std::string& result) {
        return fmt::format("mbarrier.{}{}.b64 {}, [%at], {}{}; ", words, space, result,
                           by_parity ? "0" : "%state", hint);
    };
    const std::string steps =
        begin(place, space, 2) +
        fmt::format("mbarrier.arrive{0}.b64 %state, [%at]; {1}mbarrier.arrive{0}.b64 _, [%at]; {2}",
                    space, wait("$d"), wait("$e")) +
        fmt::format("mbarrier.inval{}.b64 [%at];", space);
    return form_of(place, steps, {"pred", "pred"}, {0, 1, 1000},
                   by_lane([](U32) { return std::tuple(false, true); }));
}

TEST(MbarrierForms, Waits) {
    for (const std::string parity : {"", ".parity"}) {
        for (const std::string order :
             {"", ".acquire.cta", ".acquire.cluster", ".relaxed.cta", ".relaxed.cluster"}) {
            for (const std::string space : {"", ".shared", ".shared::cta"}) {
                check(together({wait_of("test_wait" + parity + order, space, ""),
                                wait_of("try_wait" + parity + order, space, ""),
                                wait_of("try_wait" + parity + order, space, ", $a")}));
            }
        }
    }
}

}  // namespace
}  // namespace wideload::isa
