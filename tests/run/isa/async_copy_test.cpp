// SPDX-License-Identifier: Apache-2.0
// cp.async: copies of a few bytes that go on beside the thread, until it waits for them.
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

/// What `bytes` of a copy leave in the eight from `first` on: the source's, and 0 from `filled` on.
U64 copied(U64 from, U64 to, unsigned first, unsigned bytes, unsigned filled) {
    for (unsigned i = 0; i < 8 && first + i < bytes; ++i) {
        const U64 mask = U64{0xff} << (8 * i);
        to = (to & ~mask) | (first + i < filled ? from & mask : 0);
    }
    return to;
}

/// `bytes` of $a, $b go from global to shared memory; the rest of 16 stay $c, or become 0.
Form async_copy(const std::string& cache, unsigned bytes, const std::string& rest, unsigned filled,
                const std::string& wait) {
    Form form;
    const Place from = private_place("global"), to = private_place("shared", "to");
    form.declarations = from.declarations + to.declarations;
    form.text = fmt::format(
        "{{ {} {} st.global.b64 [%at], $a; st.global.b64 [%at+8], $b; st.shared.b64 [%to], $c; "
        "st.shared.b64 [%to+8], $c; cp.async.{}.shared.global [%to], [%at], {}{}; {} ld.shared.b64 "
        "$d, [%to]; ld.shared.b64 $e, [%to+8]; }}",
        from.code, to.code, cache, bytes, rest, wait);
    form.results = {"b64", "b64"};
    form.operands = {"b64", "b64", "b64"};
    form.reference = by_lane([=](U64 a, U64 b, U64 c) {
        return std::tuple(copied(a, c, 0, bytes, filled), copied(b, c, 8, bytes, filled));
    });
    return form;
}

TEST(MemoryCopy, Asynchronous) {
    const std::string all = "cp.async.wait_all;";
    for (const unsigned bytes : {4u, 8u, 16u}) check({async_copy("ca", bytes, "", bytes, all)});
    check({async_copy("cg", 16, "", 16, all), async_copy("cg.L2::128B", 16, "", 16, all),
           async_copy("ca", 16, "", 16, "cp.async.commit_group; cp.async.wait_group 0;")});
    for (const unsigned filled : {0u, 4u, 5u, 15u, 16u}) {
        check({async_copy("cg", 16, fmt::format(", {}", filled), filled, all)});
    }
}

/// A predicate in place of the source's size: where it holds, zeros are copied.
TEST(MemoryCopy, OfIgnoredSources) {
    for (const unsigned bytes : {4u, 8u, 16u}) {
        Form form =
            async_copy(bytes == 16 ? "cg" : "ca", bytes, ", $h", bytes, "cp.async.wait_all;");
        form.operands.emplace_back("pred");
        form.reference = by_lane([=](U64 a, U64 b, U64 c, bool ignored) {
            const unsigned filled = ignored ? 0 : bytes;
            return std::tuple(copied(a, c, 0, bytes, filled), copied(b, c, 8, bytes, filled));
        });
        check({form});
    }
}

/// Every word that says which caches keep the bytes, with every way to copy fewer of them.
TEST(MemoryCopy, HintsToCaches) {
    for (const std::string cache : {"ca", "cg"}) {
        for (const std::string space : {"shared", "shared::cta"}) {
            std::vector<Form> forms;
            for (const std::string hint : {"", ".L2::cache_hint"}) {
                for (const std::string prefetch : {"", ".L2::64B", ".L2::128B", ".L2::256B"}) {
                    for (const unsigned filled : {16u, 5u}) {
                        const std::string rest = filled == 16 ? "" : fmt::format(", {}", filled);
                        Form form = async_copy(cache, 16, rest + (hint.empty() ? "" : ", %policy"),
                                               filled, "cp.async.wait_all;");
                        form.text = with(form.text, ".shared.global",
                                         fmt::format(".{}.global{}{}", space, hint, prefetch));
                        form.text =
                            "{ .reg .b64 %policy; createpolicy.fractional.L2::evict_first"
                            ".b64 %policy; " +
                            form.text + " }";
                        forms.push_back(std::move(form));
                    }
                }
            }
            check(together(forms));
        }
    }
}

/// A size in a register, and a predicate beside a policy.
TEST(MemoryCopy, SizesInRegisters) {
    for (const unsigned bytes : {4u, 8u, 16u}) {
        Form form =
            async_copy(bytes == 16 ? "cg" : "ca", bytes, ", $h", bytes, "cp.async.wait_all;");
        form.operands.emplace_back("b32");
        form.values = {{}, {}, {}, {0, 1, 3, bytes - 1, bytes}};
        form.only_values = {false, false, false, true};
        form.reference = by_lane([=](U64 a, U64 b, U64 c, U32 filled) {
            return std::tuple(copied(a, c, 0, bytes, filled), copied(b, c, 8, bytes, filled));
        });
        check({form});
    }
    Form ignored = async_copy("cg", 16, ", $h, %policy", 16, "cp.async.wait_all;");
    ignored.text = "{ .reg .b64 %policy; createpolicy.fractional.L2::evict_last.b64 %policy; " +
                   with(ignored.text, ".shared.global", ".shared.global.L2::cache_hint") + " }";
    ignored.operands.emplace_back("pred");
    ignored.reference = by_lane([](U64 a, U64 b, U64, bool none) {
        return none ? std::tuple(U64{0}, U64{0}) : std::tuple(a, b);
    });
    check({ignored});
}

/// The group before the last has come when one may still be under way.
TEST(MemoryCopy, Groups) {
    Form form = async_copy("ca", 8, "", 8,
                           "cp.async.commit_group; cp.async.ca.shared.global [%to+8], [%at+8], 8; "
                           "cp.async.commit_group; cp.async.wait_group 1;");
    form.text = with(form.text, "ld.shared.b64 $e", "cp.async.wait_group 0; ld.shared.b64 $e");
    form.reference = by_lane([](U64 a, U64 b, U64) { return std::tuple(a, b); });
    check({form});
}

/// Each thread's copy arrives at an mbarrier in its stead, and nobody goes on before all did.
/// Without .noinc that arrival is not one of those that the mbarrier expects, so the thread makes
/// its own.
TEST(MemoryCopy, ArrivesAtAnMbarrier) {
    for (const std::string noinc : {"", ".noinc"}) {
        for (const std::string space : {"", ".shared", ".shared::cta"}) {
            const std::string arrival =
                noinc.empty() ? "mbarrier.arrive.shared.b64 _, [object];\n" : "";
            const std::string text = fmt::format(
                ".reg .b64 %any, %from; .reg .b32 %to, %i; .reg .pred %p;\n"
                ".shared .align 8 .b64 object; .shared .align 4 .b32 word[128];\n"
                "setp.ne.u32 %p, %thread, 0;\n@%p bra ready;\n"
                "mbarrier.init.shared.b64 [object], 128;\nready: bar.sync 0;\n"
                "mov.u64 %from, source; mad.wide.u32 %from, %thread, 4, %from;\n"
                "mad.lo.u32 %i, %thread, 3, 5; st.global.u32 [%from], %i;\n"
                "mov.u32 %to, word; mad.lo.u32 %to, %thread, 4, %to;\n"
                "cp.async.ca.shared.global [%to], [%from], 4;\n"
                "mov.u64 %any, object; {}\ncp.async.mbarrier.arrive{}{}.b64 [%any];\n{}"
                "again: mbarrier.try_wait.parity.shared.b64 %p, [object], 0;\n@!%p bra again;\n"
                "mov.u32 %to, word; sub.u32 %i, 127, %thread; mad.lo.u32 %to, %i, 4, %to;\n"
                "ld.shared.u32 %result, [%to];\n",
                space.empty() ? "cvta.shared.u64 %any, %any;" : "", noinc, space, arrival);
            BlockForm form{text, [](U32 thread) { return (127 - thread) * 3 + 5; }};
            form.declarations = ".global .align 4 .b32 source[128];";
            check_block(form);
        }
    }
}

}  // namespace
}  // namespace wideload::isa
