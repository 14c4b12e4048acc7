// SPDX-License-Identifier: Apache-2.0
// Barriers of a block: what threads stored before one is what others load after it, and .red joins
// a predicate of every thread.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "block.h"

namespace wideload::isa {
namespace {

using U32 = std::uint32_t;

constexpr char kOwnWord[] =
    ".reg .b32 %own, %theirs, %other, %i; .reg .pred %p, %q; .shared .align 4 .b32 word[128];\n"
    "mov.u32 %own, word; mad.lo.u32 %own, %thread, 4, %own;\n";
constexpr char kStore[] = "mad.lo.u32 %i, %thread, 3, 5; st.shared.u32 [%own], %i;\n";
constexpr char kLoad[] =
    "mov.u32 %theirs, word; mad.lo.u32 %theirs, %other, 4, %theirs;\n"
    "ld.shared.u32 %result, [%theirs];\n";
U32 stored(U32 thread) { return thread * 3 + 5; }

/// Every thread stores, and after the barrier loads what the thread that `other` (text) finds did.
std::string exchange(const std::string& other, const std::string& barrier) {
    return kOwnWord + std::string(kStore) + barrier + ";\n" + other + ";\n" + kLoad;
}

TEST(Barrier, OfTheBlock) {
    for (const std::string barrier :
         {"bar.sync 0", "bar.sync 15", "bar.sync 0, 128", "bar.cta.sync 1", "bar.cta.sync 1, 128",
          "barrier.sync 3", "barrier.sync 3, 128", "barrier.sync.aligned 4",
          "barrier.sync.aligned 4, 128", "barrier.cta.sync 5", "barrier.cta.sync 5, 128",
          "barrier.cta.sync.aligned 6", "barrier.cta.sync.aligned 6, 128",
          "mov.u32 %i, 7;\nbar.sync %i", "mov.u32 %i, 128;\nbar.sync 2, %i",
          "mov.u32 %i, 9;\nbarrier.sync %i, 128", "mov.u32 %i, 128;\nbarrier.sync 9, %i"}) {
        check_block({exchange("sub.u32 %other, 127, %thread", barrier),
                     [](U32 thread) { return stored(127 - thread); }});
    }
}

TEST(Barrier, OfAWarp) {
    for (const std::string barrier :
         {"bar.warp.sync 0xffffffff", "mov.u32 %i, -1;\nbar.warp.sync %i"}) {
        check_block({exchange("xor.b32 %other, %thread, 31", barrier),
                     [](U32 thread) { return stored(thread ^ 31); }});
    }
}

/// Two warps meet at one barrier, two at another.
TEST(Barrier, OfSomeWarps) {
    for (const std::string name :
         {"bar.sync", "bar.cta.sync", "barrier.sync", "barrier.sync.aligned", "barrier.cta.sync",
          "barrier.cta.sync.aligned"}) {
        const std::string barrier =
            "shr.u32 %i, %thread, 6;\nadd.u32 %i, %i, 1;\n" + name + " %i, 64";
        check_block({exchange("xor.b32 %other, %thread, 63", barrier),
                     [](U32 thread) { return stored(thread ^ 63); }});
    }
}

/// Two warps store and go on; two wait for them.
TEST(Barrier, ProducersArriveOnly) {
    for (const auto& [arrive, sync] :
         {std::pair{"bar.arrive", "bar.sync"},
          {"bar.cta.arrive", "bar.cta.sync"},
          {"barrier.arrive", "barrier.sync"},
          {"barrier.arrive.aligned", "barrier.sync.aligned"},
          {"barrier.cta.arrive", "barrier.cta.sync"},
          {"barrier.cta.arrive.aligned", "barrier.cta.sync.aligned"}}) {
        for (const std::string at : {"1, 128", "%number, %count"}) {
            const std::string text = fmt::format(
                "{}.reg .b32 %number, %count; mov.u32 %number, 1; mov.u32 %count, 128;\n"
                "setp.lt.u32 %p, %thread, 64;\n@!%p bra waits;\n{}{} {};\n"
                "mov.u32 %result, 1;\nbra done;\n"
                "waits: {} {};\nsub.u32 %other, %thread, 64;\n{}done:\n",
                kOwnWord, kStore, arrive, at, sync, at, kLoad);
            check_block({text, [](U32 thread) { return thread < 64 ? 1 : stored(thread - 64); }});
        }
    }
}

/// A predicate of each thread, thread % 5 < bound, and the threads that join theirs.
struct Joined {
    U32 bound, group;
    bool negated;

    [[nodiscard]] U32 held(U32 thread) const {
        U32 count = 0;
        const U32 first = thread / group * group;
        for (U32 t = first; t < first + group; ++t) count += (t % 5 < bound) != negated ? 1 : 0;
        return count;
    }
    /// How many hold it, and whether all do, or any.
    [[nodiscard]] U32 expected(U32 thread) const {
        const U32 count = held(thread);
        return count + (count == group ? 1000 : 0) + (count > 0 ? 2000 : 0);
    }
};

/// @param name   of the reduction: "bar.cta.red"
/// @param suffix ".aligned", or nothing
/// @param at     the barrier's number, and threads where it does not wait for all of the block
std::string reductions(const std::string& name, const std::string& suffix, const std::string& at,
                       const Joined& joined) {
    const std::string predicate = joined.negated ? "!%p" : "%p";
    std::string text =
        kOwnWord + fmt::format(
                       "rem.u32 %i, %thread, 5;\nsetp.lt.u32 %p, %i, {};\nshr.u32 %i, "
                       "%thread, 6;\nadd.u32 %i, %i, 1;\n{}.popc{}.u32 %result, {}, {};\n",
                       joined.bound, name, suffix, at, predicate);
    for (const auto& [operation, worth] : {std::pair{"and", 1000}, {"or", 2000}}) {
        text += fmt::format(
            "{}.{}{}.pred %q, {}, {};\nselp.u32 %own, {}, 0, %q;\nadd.u32 %result, %result, "
            "%own;\n",
            name, operation, suffix, at, predicate, worth);
    }
    return text;
}

/// In all threads or in each pair of warps; of a predicate that none, some or all hold.
TEST(Barrier, Reductions) {
    for (const auto& [name, suffix] : {std::pair{"bar.red", ""},
                                       {"bar.cta.red", ""},
                                       {"barrier.red", ""},
                                       {"barrier.red", ".aligned"},
                                       {"barrier.cta.red", ""},
                                       {"barrier.cta.red", ".aligned"}}) {
        for (const U32 bound : {0u, 2u, 5u}) {
            for (const bool negated : {false, true}) {
                for (const std::string at : {"0", "%i, 64", "1, 128"}) {
                    const Joined joined{bound, at[0] == '%' ? 64u : 128u, negated};
                    check_block({reductions(name, suffix, at, joined),
                                 [=](U32 thread) { return joined.expected(thread); }});
                }
            }
        }
    }
}

/// A group of four warps gives up registers, takes some back, and goes on.
TEST(Barrier, RegistersAreGivenUp) {
    check_block(
        {"setmaxnreg.dec.sync.aligned.u32 64;\nsetmaxnreg.inc.sync.aligned.u32 96;\n"
         "add.u32 %result, %thread, 7;\n",
         [](U32 thread) { return thread + 7; }, 128, "", ".maxnreg 128 .reqntid 128", "sm_90a"});
}

}  // namespace
}  // namespace wideload::isa
