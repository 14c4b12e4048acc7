// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp do together: references look at a whole warp.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness.h"
#include "types.h"

namespace wideload::isa {
namespace {

using S32 = std::int32_t;
using U32 = std::uint32_t;

/// Calls function(lane) for each lane that executes.
template <class Function>
void for_active(const WarpInput& input, Function function) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((input.active >> lane & 1) != 0) function(lane);
    }
}

// Shuffles.

struct Source {
    unsigned lane;
    bool in_range;
};

/// The PTX manual's pseudocode of shfl.
Source source_of(const std::string& mode, unsigned lane, U32 b, U32 c) {
    const int own = static_cast<int>(lane), distance = static_cast<int>(b & 31);
    const int clamp = static_cast<int>(c & 31), segment = static_cast<int>(c >> 8 & 31);
    const int last = (own & segment) | (clamp & ~segment), first = own & segment;
    int source = 0;
    bool in_range = false;
    if (mode == "up") {
        source = own - distance;
        in_range = source >= last;
    } else if (mode == "down") {
        source = own + distance;
        in_range = source <= last;
    } else if (mode == "bfly") {
        source = own ^ distance;
        in_range = source <= last;
    } else {
        source = first | (distance & ~segment);
        in_range = source <= last;
    }
    return {in_range ? static_cast<unsigned>(source) : lane, in_range};
}

/// Operands b and c from the form's operands, or constants.
template <class B, class C>
WarpReference shuffle(const std::string& mode, B b, C c) {
    return [=](const WarpInput& input, WarpResults& results) {
        for_active(input, [&](unsigned lane) {
            const Source source = source_of(mode, lane, b(input, lane), c(input, lane));
            const bool reads_active = (input.active >> source.lane & 1) != 0;
            // What a lane reads from one that does not execute is undefined; GPUs give 0, and so
            // does the engine unless all lanes hold the same.
            const auto& values = input.operands[0];
            const bool all_same =
                std::all_of(values.begin(), values.end(), [&](Bits v) { return v == values[0]; });
            if (!reads_active && all_same) results.undefined |= 1u << lane;
            results[0][lane] = reads_active ? values[source.lane] : 0;
            if (results.size() > 1) results[1][lane] = source.in_range ? 1 : 0;
        });
    };
}

auto operand(std::size_t index) {
    return [=](const WarpInput& input, unsigned lane) {
        return static_cast<U32>(input.operands[index][lane]);
    };
}
auto fixed(U32 value) {
    return [=](const WarpInput&, unsigned) { return value; };
}

/// What __shfl_*_sync passes as c for segments of 32, 16, 8, 4, 2 and 1 lanes.
std::vector<Bits> segments(const std::string& mode) {
    std::vector<Bits> values;
    for (const unsigned width : {32u, 16u, 8u, 4u, 2u, 1u}) {
        values.push_back((32 - width) << 8 | (mode == "up" ? 0u : 31u));
    }
    return values;
}

class Shuffle : public testing::TestWithParam<const char*> {};

TEST_P(Shuffle, ByVariables) {
    const std::string mode = GetParam();
    std::vector<Bits> distances;
    for (unsigned b = 0; b < 32; ++b) distances.push_back(b);
    const std::string text = "shfl.sync." + mode + ".b32 ";
    Form form{text + "$d|$e, $a, $b, $c, $m;", {"b32", "pred"},
              {"b32", "u32", "u32"},           shuffle(mode, operand(1), operand(2)),
              {{}, distances, segments(mode)}, {false, true, true}};
    form.literals = {1, {0, 1, 2, 5, 16, 31}};
    Form whole_warp{text + "$d, $a, $b, " + (mode == "up" ? "0" : "31") + ", $m;",
                    {"b32"},
                    {"b32", "u32"},
                    shuffle(mode, operand(1), fixed(mode == "up" ? 0 : 31)),
                    {{}, distances},
                    {false, true}};
    check({form, whole_warp});
}

TEST_P(Shuffle, ByConstants) {
    const std::string mode = GetParam();
    for (const U32 b : {0u, 1u, 3u, 16u, 31u}) {
        for (const Bits c : segments(mode)) {
            const auto segment = static_cast<U32>(c);
            check({{"shfl.sync." + mode + ".b32 $d|$e, $a, " + std::to_string(b) + ", " +
                        std::to_string(segment) + ", $m;",
                    {"b32", "pred"},
                    {"b32"},
                    shuffle(mode, fixed(b), fixed(segment))}});
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Warp, Shuffle, testing::Values("up", "down", "bfly", "idx"),
                         [](const auto& mode) { return std::string(mode.param); });

// Votes.

/// Lanes of the mask whose predicate, operand 0, holds.
U32 holding(const WarpInput& input, U32 group, bool negated = false) {
    U32 lanes = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((input.operands[0][lane] != 0) != negated) lanes |= 1u << lane;
    }
    return lanes & group;
}

/// Every active lane gets function(group): all active lanes are one group.
template <class Function>
WarpReference one_group(Function function) {
    return [=](const WarpInput& input, WarpResults& results) {
        const Bits result = function(input, input.active);
        for_active(input, [&](unsigned lane) { results[0][lane] = result; });
    };
}

/// Even and odd lanes are two groups.
template <class Function>
WarpReference two_groups(Function function) {
    return [=](const WarpInput& input, WarpResults& results) {
        for_active(input, [&](unsigned lane) {
            results[0][lane] =
                function(input, input.active & (lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau));
        });
    };
}

/// A register %half with the own group of even or odd lanes in front of `text`.
std::string in_halves(const std::string& text) {
    return "{ .reg .b32 %half; .reg .pred %odd; mov.u32 %half, %laneid; and.b32 %half, %half, 1; "
           "setp.eq.u32 %odd, %half, 1; selp.b32 %half, 0xaaaaaaaa, 0x55555555, %odd; "
           "and.b32 %half, %half, $m; " +
           text + " }";
}

template <class Function>
void check_vote(const std::string& mode, const std::string& result, Function function) {
    const std::string text = "vote.sync." + mode + (result == "pred" ? ".pred " : ".b32 ");
    const auto plain = [=](const WarpInput& input, U32 group) -> Bits {
        return function(holding(input, group), group);
    };
    const auto negated = [=](const WarpInput& input, U32 group) -> Bits {
        return function(holding(input, group, true), group);
    };
    // Random predicates nearly never agree: those of a comparison do, often enough.
    const std::vector<std::string> operands{"pred"};
    check({{text + "$d, $a, $m;", {result}, operands, one_group(plain)},
           {text + "$d, !$a, $m;", {result}, operands, one_group(negated)},
           {in_halves(text + "$d, $a, %half;"), {result}, operands, two_groups(plain)}});
    Form rare{text + "$d, $a, $m;", {result}, operands, one_group(plain)};
    rare.values = {std::vector<Bits>(60, 0)};
    rare.values[0].push_back(1);
    rare.only_values = {true};
    Form frequent = rare;
    for (Bits& value : frequent.values[0]) value = 1 - value;
    check({rare, frequent});
}

TEST(Warp, Votes) {
    check_vote("all", "pred", [](U32 lanes, U32 group) -> Bits { return lanes == group; });
    check_vote("any", "pred", [](U32 lanes, U32) -> Bits { return lanes != 0; });
    check_vote("uni", "pred",
               [](U32 lanes, U32 group) -> Bits { return lanes == group || lanes == 0; });
    check_vote("ballot", "b32", [](U32 lanes, U32) -> Bits { return lanes; });
}

TEST(Warp, ActiveLanesAndElection) {
    check({{"activemask.b32 $d;",
            {"b32"},
            {},
            [](const WarpInput& input, WarpResults& results) {
                for_active(input, [&](unsigned lane) { results[0][lane] = input.active; });
            }},
           {"elect.sync $d|$e, $m;",
            {"b32", "pred"},
            {},
            [](const WarpInput& input, WarpResults& results) {
                const auto leader = static_cast<unsigned>(std::countr_zero(input.active));
                for_active(input, [&](unsigned lane) {
                    results[0][lane] = leader;
                    results[1][lane] = lane == leader ? 1 : 0;
                });
            }}});
}

// Matches.

U32 equal_lanes(const WarpInput& input, unsigned lane) {
    U32 lanes = 0;
    for_active(input, [&](unsigned other) {
        if (input.operands[0][other] == input.operands[0][lane]) lanes |= 1u << other;
    });
    return lanes;
}

TEST(Warp, Matches) {
    for (const std::string type : {"b32", "b64"}) {
        Form any{"match.any.sync." + type + " $d, $a, $m;",
                 {"b32"},
                 {type},
                 [](const WarpInput& input, WarpResults& results) {
                     for_active(input, [&](unsigned lane) {
                         results[0][lane] = equal_lanes(input, lane);
                     });
                 }};
        any.values = {{0, 1, 2, 3, 0xffffffff}};
        if (type == "b64") any.values[0].push_back(0xffffffff'00000001);
        any.only_values = {true};
        Form all{"match.all.sync." + type + " $d|$e, $a, $m;",
                 {"b32", "pred"},
                 {type},
                 [](const WarpInput& input, WarpResults& results) {
                     for_active(input, [&](unsigned lane) {
                         const bool same = equal_lanes(input, lane) == input.active;
                         results[0][lane] = same ? input.active : 0;
                         results[1][lane] = same ? 1 : 0;
                     });
                 }};
        all.values = {std::vector<Bits>(80, 5)};
        all.values[0].push_back(type == "b64" ? Bits{5} | Bits{1} << 40 : Bits{6});
        all.only_values = {true};
        check({any, all});
    }
}

// Reductions.

template <class T, class Operation>
void check_redux(const std::string& name, Operation operation) {
    const auto reduce = [=](const WarpInput& input, U32 group) -> Bits {
        bool first = true;
        T result{};
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((group >> lane & 1) == 0) continue;
            const T value = static_cast<T>(input.operands[0][lane]);
            result = first ? value : static_cast<T>(operation(result, value));
            first = false;
        }
        return static_cast<U32>(result);
    };
    const std::string text = "redux.sync." + name + " $d, $a, ";
    const std::string type = name.substr(name.find('.') + 1);
    check({{text + "$m;", {type}, {type}, one_group(reduce)},
           {in_halves(text + "%half;"), {type}, {type}, two_groups(reduce)}});
}

TEST(Warp, IntegerReductions) {
    check_redux<U32>("add.u32", [](U32 a, U32 b) { return a + b; });
    check_redux<U32>("add.s32", [](U32 a, U32 b) { return a + b; });
    check_redux<U32>("min.u32", [](U32 a, U32 b) { return std::min(a, b); });
    check_redux<U32>("max.u32", [](U32 a, U32 b) { return std::max(a, b); });
    check_redux<S32>("min.s32", [](S32 a, S32 b) { return std::min(a, b); });
    check_redux<S32>("max.s32", [](S32 a, S32 b) { return std::max(a, b); });
    check_redux<U32>("and.b32", [](U32 a, U32 b) { return a & b; });
    check_redux<U32>("or.b32", [](U32 a, U32 b) { return a | b; });
    check_redux<U32>("xor.b32", [](U32 a, U32 b) { return a ^ b; });
}

/// min and max of f32: NaNs are left out, or with .NaN spread; -0 is below +0.
Bits reduce_floats(const WarpInput& input, U32 group, bool minimum, bool absolute,
                   bool spreads_nan) {
    std::vector<float> numbers;
    bool has_nan = false;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((group >> lane & 1) == 0) continue;
        float value = std::bit_cast<float>(static_cast<U32>(input.operands[0][lane]));
        if (absolute) value = std::fabs(value);
        if (std::isnan(value)) {
            has_nan = true;
        } else {
            numbers.push_back(value);
        }
    }
    if (numbers.empty() || (has_nan && spreads_nan)) return 0x7fffffff;
    const auto below = [](float a, float b) {
        return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    };
    const float result = minimum ? *std::min_element(numbers.begin(), numbers.end(), below)
                                 : *std::max_element(numbers.begin(), numbers.end(), below);
    return std::bit_cast<U32>(result);
}

TEST(Warp, FloatReductions) {
    for (const bool minimum : {true, false}) {
        for (const bool absolute : {true, false}) {
            for (const bool spreads_nan : {true, false}) {
                const auto reduce = [=](const WarpInput& input, U32 group) {
                    return reduce_floats(input, group, minimum, absolute, spreads_nan);
                };
                const std::string text = std::string("redux.sync.") + (minimum ? "min" : "max") +
                                         (absolute ? ".abs" : "") + (spreads_nan ? ".NaN" : "") +
                                         ".f32 $d, $a, ";
                Form form{text + "$m;", {"f32"}, {"f32"}, one_group(reduce)};
                Form halves{in_halves(text + "%half;"), {"f32"}, {"f32"}, two_groups(reduce)};
                Form few{text + "$m;", {"f32"}, {"f32"}, one_group(reduce)};
                few.values = {{0x7fc00000, 0xffffffff, 0x7f800001, 0x00000000, 0x80000000}};
                few.only_values = {true};
                for (Form* each : {&form, &halves, &few}) each->needs_sm100 = true;
                check({form, halves, few});
            }
        }
    }
}

/// Programs for targets before sm_70 name no lanes: those that execute it take part.
void check_without_sync(Form form) {
    form.before_sm70 = true;
    form.unlike_hardware = "without .sync, what lanes meet is not defined since sm_70";
    check({form});
}

TEST_P(Shuffle, WithoutSync) {
    const std::string mode = GetParam();
    std::vector<Bits> distances;
    for (unsigned b = 0; b < 32; ++b) distances.push_back(b);
    check_without_sync({"shfl." + mode + ".b32 $d|$e, $a, $b, $c;",
                        {"b32", "pred"},
                        {"b32", "u32", "u32"},
                        shuffle(mode, operand(1), operand(2)),
                        {{}, distances, segments(mode)},
                        {false, true, true}});
}

TEST(Warp, VotesWithoutSync) {
    const auto vote = [](const std::string& text, const std::string& result, auto function) {
        check_without_sync(
            {text, {result}, {"pred"}, one_group([=](const WarpInput& input, U32 group) -> Bits {
                 return function(holding(input, group), group);
             })});
    };
    vote("vote.all.pred $d, $a;", "pred", [](U32 held, U32 group) { return held == group; });
    vote("vote.any.pred $d, $a;", "pred", [](U32 held, U32) { return held != 0; });
    vote("vote.uni.pred $d, $a;", "pred",
         [](U32 held, U32 group) { return held == 0 || held == group; });
    vote("vote.ballot.b32 $d, $a;", "b32", [](U32 held, U32) { return held; });
}

}  // namespace
}  // namespace wideload::isa
