// SPDX-License-Identifier: Apache-2.0
// Barriers of a block: what threads stored before one is what others load after it, and .red joins
// a predicate of every thread.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine.h"

namespace wideload::isa {
namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t kBlock = 128, kUntouched = 77;

/// Each thread's %result after `body`, which has %thread, its word of shared memory at %own, and
/// that of the thread whose number is %other at %theirs once `$find` is executed.
Words run(std::string body, const std::string& target = "sm_90",
          const std::string& directives = "") {
    constexpr std::string_view kFind = "$find";
    for (std::size_t at = 0; (at = body.find(kFind)) != std::string::npos;) {
        body.replace(at, kFind.size(),
                     "mov.u32 %theirs, word;\nmad.lo.u32 %theirs, %other, 4, %theirs;\n");
    }
    const std::string text =
        ".version 8.7\n.target " + target + "\n.address_size 64\n" +
        ".visible .entry kernel(.param .u64 results) " + directives + "\n{\n.reg .b64 %out;\n" +
        ".reg .b32 %thread, %result, %own, %theirs, %other, %i;\n.reg .pred %p, %q;\n"
        ".shared .align 4 .b32 word[128];\n"
        "ld.param.u64 %out, [results];\ncvta.to.global.u64 %out, %out;\n"
        "mov.u32 %thread, %tid.x;\nmad.wide.u32 %out, %thread, 4, %out;\nmov.u32 %result, 0;\n"
        "mov.u32 %own, word;\nmad.lo.u32 %own, %thread, 4, %own;\n" +
        body + "st.global.u32 [%out], %result;\nret;\n}\n";
    Words results(kBlock, kUntouched);
    const std::uint64_t address = machine().upload(std::as_bytes(std::span(results)));
    const std::uint64_t parameters[] = {address};
    EXPECT_EQ(machine().run(text, "kernel", {}, {kBlock}, parameters), "") << text;
    machine().download(address, std::as_writable_bytes(std::span(results)));
    machine().free(address);
    return results;
}

template <class Function>
void expect_results(const Words& results, Function expected, const std::string& form) {
    for (std::uint32_t thread = 0; thread < kBlock; ++thread) {
        ASSERT_EQ(results[thread], expected(thread)) << form << ", thread " << thread;
    }
}

/// Before and after the barrier: the value of the thread that `other` (text) finds.
std::string exchange(const std::string& other, const std::string& barrier) {
    return "mad.lo.u32 %i, %thread, 3, 5;\nst.shared.u32 [%own], %i;\n" + barrier + ";\n" + other +
           "$find" + "ld.shared.u32 %result, [%theirs];\n";
}
std::uint32_t stored(std::uint32_t thread) { return thread * 3 + 5; }

TEST(Barrier, OfTheBlock) {
    for (const std::string barrier :
         {"bar.sync 0", "bar.sync 15", "bar.sync 0, 128", "bar.cta.sync 1", "barrier.sync 3",
          "barrier.sync 3, 128", "barrier.sync.aligned 4", "barrier.cta.sync 5, 128",
          "barrier.cta.sync.aligned 6, 128", "mov.u32 %i, 7;\nbar.sync %i",
          "mov.u32 %i, 128;\nbar.sync 2, %i", "mov.u32 %i, 9;\nbarrier.sync %i, 128"}) {
        expect_results(
            run(exchange("sub.u32 %other, 127, %thread;\n", barrier)),
            [](std::uint32_t thread) { return stored(127 - thread); }, barrier);
    }
}

TEST(Barrier, OfAWarp) {
    expect_results(
        run(exchange("xor.b32 %other, %thread, 31;\n", "bar.warp.sync 0xffffffff")),
        [](std::uint32_t thread) { return stored(thread ^ 31); }, "bar.warp.sync");
}

/// Two warps meet at one barrier, two at another.
TEST(Barrier, OfSomeWarps) {
    for (const std::string name : {"bar.sync", "barrier.sync", "barrier.sync.aligned"}) {
        const std::string barrier =
            "shr.u32 %i, %thread, 6;\nadd.u32 %i, %i, 1;\n" + name + " %i, 64";
        expect_results(
            run(exchange("xor.b32 %other, %thread, 63;\n", barrier)),
            [](std::uint32_t thread) { return stored(thread ^ 63); }, name);
    }
}

/// Two warps store and go on; two wait for them.
TEST(Barrier, ProducersArriveOnly) {
    for (const auto& [arrive, sync] :
         {std::pair{"bar.arrive", "bar.sync"},
          {"barrier.arrive", "barrier.sync"},
          {"barrier.cta.arrive.aligned", "barrier.cta.sync.aligned"}}) {
        const std::string body = fmt::format(
            "setp.lt.u32 %p, %thread, 64;\n@!%p bra waits;\nmad.lo.u32 %i, %thread, 3, 5;\n"
            "st.shared.u32 [%own], %i;\n{} 1, 128;\nmov.u32 %result, 1;\nbra done;\n"
            "waits:\n{} 1, 128;\nsub.u32 %other, %thread, 64;\n$findld.shared.u32 %result, "
            "[%theirs];\ndone:\n",
            arrive, sync);
        expect_results(
            run(body), [](std::uint32_t thread) { return thread < 64 ? 1 : stored(thread - 64); },
            arrive);
    }
}

/// Of the predicate thread % 5 < bound, whole or negated, in all threads or in each pair of warps.
TEST(Barrier, Reductions) {
    for (const auto& [name, suffix] : {std::pair{"bar.red", ""},
                                       {"bar.cta.red", ""},
                                       {"barrier.red", ""},
                                       {"barrier.red", ".aligned"},
                                       {"barrier.cta.red", ".aligned"}}) {
        for (const std::uint32_t bound : {0u, 2u, 5u}) {
            for (const bool negated : {false, true}) {
                for (const std::uint32_t threads : {0u, 64u, 128u}) {
                    const std::uint32_t group = threads == 64 ? 64 : 128;
                    const std::string at = threads == 0 ? "0" : threads == 64 ? "%i, 64" : "1, 128";
                    const auto count = [=](std::uint32_t thread) {
                        std::uint32_t held = 0;
                        const std::uint32_t first = thread / group * group;
                        for (std::uint32_t t = first; t < first + group; ++t) {
                            held += (t % 5 < bound) != negated ? 1 : 0;
                        }
                        return held;
                    };
                    const std::string predicate = negated ? "!%p" : "%p";
                    const std::string begin = fmt::format(
                        "rem.u32 %i, %thread, 5;\nsetp.lt.u32 %p, %i, {};\nshr.u32 %i, %thread, "
                        "6;\nadd.u32 %i, %i, 1;\n",
                        bound);
                    const std::string form =
                        fmt::format("{} {}, {}{}", name, at, predicate, suffix);
                    expect_results(run(begin + fmt::format("{}.popc{}.u32 %result, {}, {};\n", name,
                                                           suffix, at, predicate)),
                                   count, form + " popc");
                    const std::string select = "selp.u32 %result, 1, 0, %q;\n";
                    expect_results(
                        run(begin +
                            fmt::format("{}.and{}.pred %q, {}, {};\n", name, suffix, at,
                                        predicate) +
                            select),
                        [=](std::uint32_t t) { return count(t) == group ? 1u : 0u; },
                        form + " and");
                    expect_results(
                        run(begin +
                            fmt::format("{}.or{}.pred %q, {}, {};\n", name, suffix, at, predicate) +
                            select),
                        [=](std::uint32_t t) { return count(t) > 0 ? 1u : 0u; }, form + " or");
                }
            }
        }
    }
}

/// A group of four warps gives up registers, and goes on.
TEST(Barrier, RegistersAreGivenUp) {
    expect_results(
        run("setmaxnreg.dec.sync.aligned.u32 64;\nadd.u32 %result, %thread, 7;\n", "sm_90a",
            ".maxnreg 128 .reqntid 128"),
        [](std::uint32_t thread) { return thread + 7; }, "setmaxnreg.dec");
}

}  // namespace
}  // namespace wideload::isa
