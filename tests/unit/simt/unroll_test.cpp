// SPDX-License-Identifier: Apache-2.0
// Which loops are recognised, and that taking several of their turns at a time changes nothing that
// a thread can see, wherever its counter begins and however it ends.
#include "simt/unroll.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "kernel_text.h"
#include "ptx/verify.h"
#include "thread_trace.h"

namespace wideload::simt {
namespace {

/// A loop of `loads` loads by %r1, or by %rd1, to %r2 or %rd2.
std::string loop(std::string_view latch, int loads = 1, std::string_view inside = "",
                 std::string_view label = "LOOP") {
    std::string text = fmt::format("{}:\n", label);
    for (int load = 0; load < loads; ++load) text += "ld.global.f32 %f1, [%rd5];\n";
    return text + fmt::format("{}{}@%p1 bra {};\n", inside, latch, label);
}

constexpr std::string_view kCount = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n";

std::vector<CountedLoop> loops_of(const std::string& body) {
    return counted_loops(KernelText(body + "ret;").function());
}

TEST(CountedLoops, AreRecognised) {
    const auto loops = loops_of("mov.u32 %r1, 0;\n" + loop(kCount, 3));
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(loops[0].first, 1u);
    EXPECT_EQ(loops[0].last, 1u + 3 + 2 + 1);
    EXPECT_EQ(loops[0].step, 1);
    EXPECT_EQ(loops[0].comparison, ptx::Comparison::lt);
    EXPECT_EQ(loops[0].global_loads, 3u);
}

TEST(CountedLoops, MayHoldBranches) {
    const auto loops =
        loops_of(loop(kCount, 1, "@%p2 bra OVER;\nld.global.f32 %f2, [%rd5];\nOVER:\n"));
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(loops[0].global_loads, 2u);
}

TEST(CountedLoops, HoldNoOthers) {
    const auto loops = loops_of(loop(kCount, 1, loop(kCount, 2, "", "INNER")));
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(loops[0].global_loads, 2u);
}

class NotCounted : public testing::TestWithParam<std::string> {};

TEST_P(NotCounted, IsLeftAlone) {
    EXPECT_TRUE(loops_of("OUTSIDE:\n" + GetParam() + "END:\n").empty());
}

INSTANTIATE_TEST_SUITE_P(
    Loops, NotCounted,
    testing::Values(
        loop(kCount, 1, "st.global.f32 [%rd5], %f1;\n"), loop(kCount, 1, "bar.sync 0;\n"),
        loop(kCount, 1, "atom.global.add.u32 %r4, [%rd5], 1;\n"),
        loop(kCount, 1, "ld.volatile.global.u32 %r4, [%rd5];\n"),
        loop(kCount, 1, "shfl.sync.idx.b32 %r4, %r4, 0, 31, -1;\n"),
        loop(kCount, 1, "@%p2 bra END;\n"),                            // a way out
        loop(kCount, 1, "@%p2 bra LOOP;\n"),                           // a shorter turn
        "@%p2 bra IN;\n" + loop(kCount, 1, "IN:\n"),                   // a way in
        loop(kCount, 1, "add.s32 %r2, %r2, -1;\n"),                    // its bound moves
        loop(kCount, 1, "@%p1 add.s32 %r4, %r4, 1;\n"),                // the condition is read
        loop("add.s32 %r1, %r1, -1;\nsetp.lt.s32 %p1, %r1, %r2;\n"),   // away from its end
        loop("add.s32 %r1, %r1, %r4;\nsetp.lt.s32 %p1, %r1, %r2;\n"),  // by no constant
        loop("@%p2 add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n"),
        loop("setp.lt.s32 %p1, %r1, %r2;\nadd.s32 %r1, %r1, 1;\n"),
        loop("setp.ne.f32 %p1, %f1, %f2;\n"),
        loop(kCount).insert(sizeof "LOOP:", ".pragma \"nounroll\";\n")));

struct Case {
    std::string type, comparison;
    std::int64_t step;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* type : {"s32", "u32", "s64", "u64"}) {
        for (const std::int64_t step : {1, 3, 4, 7}) {
            for (const char* up : {"lt", "le", "ne"}) all.push_back({type, up, step});
            for (const char* down : {"gt", "ge", "ne"}) all.push_back({type, down, -step});
        }
    }
    return all;
}

/// The ends of the type, and numbers around zero.
std::vector<std::uint64_t> numbers(bool wide) {
    std::vector<std::uint64_t> all;
    const std::uint64_t middle = wide ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31;
    for (const std::uint64_t around : {std::uint64_t{0}, middle}) {
        for (std::int64_t distance = -9; distance <= 9; ++distance) {
            all.push_back(around + static_cast<std::uint64_t>(distance));
        }
    }
    return all;
}

class Unrolled : public testing::TestWithParam<Case> {};

TEST_P(Unrolled, TakesTheSameTurns) {
    constexpr std::size_t kLongest = 150;  // of a counter that wraps
    const auto& [type, comparison, step] = GetParam();
    const bool wide = type.ends_with("64");
    const std::string prefix = wide ? "%rd" : "%r";
    const std::string latch =
        fmt::format("add.{0} {1}1, {1}1, {2};\nsetp.{3}.{0} %p1, {1}1, {1}2;\n", type, prefix, step,
                    comparison);
    KernelText kernel(loop(latch, 1, "@%p2 bra OVER;\nmov.u32 %r9, 1;\nOVER:\n") + "ret;");
    const ptx::Function before = kernel.function();
    const auto loops = counted_loops(before);
    ASSERT_EQ(loops.size(), 1u);
    ptx::Function& after = kernel.module.functions.back();
    unroll(after, loops[0]);
    ASSERT_TRUE(ptx::verify(kernel.module, 5).empty()) << format(ptx::verify(kernel.module, 5));
    const ptx::RegisterId counter = kernel.reg(prefix + "1"), bound = kernel.reg(prefix + "2");
    for (const std::uint64_t from : numbers(wide)) {
        for (const std::uint64_t to : numbers(wide)) {
            const ThreadTrace rolled(before, {{counter, from}, {bound, to}}, kLongest);
            const ThreadTrace unrolled(after, {{counter, from}, {bound, to}}, kLongest);
            ASSERT_EQ(rolled.lines, unrolled.lines) << from << " to " << to;
            ASSERT_EQ(rolled.at_loads(counter), unrolled.at_loads(counter)) << from << " to " << to;
        }
    }
}

std::string name_of(const testing::TestParamInfo<Case>& tested) {
    const auto& [type, comparison, step] = tested.param;
    return fmt::format("{}_{}_{}{}", type, comparison, step < 0 ? "down" : "up", std::abs(step));
}

INSTANTIATE_TEST_SUITE_P(Loops, Unrolled, testing::ValuesIn(cases()), name_of);

// Seven bodies stand for one, or eight; which loop they are of has to follow from the number.
TEST(MachineCode, TellsWhichLoopsAreUnrolled) {
    const std::string small = loop(kCount, 3, "", "SMALL"), large = loop(kCount, 12, "", "LARGE");
    const KernelText kernel(small + large + "ld.global.f32 %f1, [%rd5];\nret;");
    const auto of = [&](std::uint32_t machine_loads) {
        std::vector<std::uint32_t> loads;
        for (const auto& found : loops_unrolled_in_machine_code(kernel.function(), machine_loads)) {
            loads.push_back(found.global_loads);
        }
        return loads;
    };
    using Loads = std::vector<std::uint32_t>;
    constexpr std::uint32_t kInText = 3 + 12 + 1;
    EXPECT_EQ(of(kInText), Loads{});
    EXPECT_EQ(of(kInText - 1), Loads{});
    EXPECT_EQ(of(kInText + 6 * 12), Loads{12});
    EXPECT_EQ(of(kInText + 7 * 12), Loads{12});
    EXPECT_EQ(of(kInText + 6 * 3), Loads{3});
    EXPECT_EQ(of(kInText + 6 * 3 + 6 * 12), (Loads{3, 12}));
    EXPECT_EQ(of(kInText + 3 * 12), Loads{});
}

TEST(MachineCode, ThatHasSeveralExplanationsTellsNothing) {
    const std::string equal = loop(kCount, 2, "", "ONE") + loop(kCount, 2, "", "OTHER");
    const KernelText kernel(equal + "ret;");
    const auto of = [&](std::uint32_t loads) {
        return loops_unrolled_in_machine_code(kernel.function(), loads).size();
    };
    EXPECT_EQ(of(4 + 6 * 2), 0u);
    EXPECT_EQ(of(4 + 6 * 4), 2u);
}

// What comes before and after stays where it was.
TEST(Unroll, KeepsOtherLoops) {
    const std::string body =
        loop(kCount, 1, "", "FIRST") + "mov.u32 %r1, 0;\n" + loop(kCount, 2, "", "SECOND") + "ret;";
    KernelText kernel(body);
    const ptx::Function before = kernel.function();
    ptx::Function& after = kernel.module.functions.back();
    const auto loops = counted_loops(before);
    ASSERT_EQ(loops.size(), 2u);
    unroll(after, loops[1]);
    unroll(after, loops[0]);
    EXPECT_TRUE(ptx::verify(kernel.module, 5).empty());
    const std::map<ptx::RegisterId, std::uint64_t> start{{kernel.reg("%r2"), 13}};
    EXPECT_EQ(ThreadTrace(before, start, 500).lines, ThreadTrace(after, start, 500).lines);
}

}  // namespace
}  // namespace wideload::simt
