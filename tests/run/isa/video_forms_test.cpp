// SPDX-License-Identifier: Apache-2.0
// Scalar video instructions of every type with every modifier, on whole registers. What GPUs make
// of them differs from the manual in places (video_test.cpp says where), so these run on the engine
// alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness.h"
#include "together.h"
#include "types.h"

namespace wideload::isa {
namespace {

/// What becomes of a result and the third operand; both are of the result's type.
struct SecondOperation {
    const char* name;
    Wide (*combine)(Wide result, Wide c);
};
constexpr std::array kSecondOperations{
    SecondOperation{"", [](Wide result, Wide) { return result; }},
    SecondOperation{".add", [](Wide result, Wide c) { return result + c; }},
    SecondOperation{".min", [](Wide result, Wide c) { return std::min(result, c); }},
    SecondOperation{".max", [](Wide result, Wide c) { return std::max(result, c); }}};

Wide value_as(bool is_signed, Bits bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    return is_signed ? Wide{static_cast<std::int32_t>(word)} : Wide{word};
}
Bits word_of(Wide value) { return low<std::uint32_t>(value); }
Wide clamped_to(bool is_signed, Wide value) {
    const Wide span = Wide{1} << (is_signed ? 31 : 32);
    return std::clamp(value, is_signed ? -span : Wide{0}, span - 1);
}
const char* sign_of(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

/// The form with every second operation, of a result that `first` computes.
template <class First>
std::vector<Form> with_second_operations(const std::string& name, const std::string& modifiers,
                                         bool is_signed, First first) {
    std::vector<Form> forms;
    for (const SecondOperation& second : kSecondOperations) {
        forms.push_back({fmt::format("{}{}{} $d, $a, $b{};", name, modifiers, second.name,
                                     *second.name == 0 ? "" : ", $c"),
                         {"b32"},
                         {"b32", "b32", "b32"},
                         by_results([=](const auto& v) {
                             const Bits result = word_of(first(v[0], v[1]));
                             const Wide merged = second.combine(value_as(is_signed, result),
                                                                value_as(is_signed, v[2]));
                             return std::vector<Bits>{word_of(merged)};
                         })});
    }
    return forms;
}

void check_by_the_manual(const std::vector<Form>& forms) {
    std::vector<Form> joined = together(forms);
    for (Form& form : joined) form.unlike_hardware = "emulated, and differs from the manual";
    check(joined);
}

void append(std::vector<Form>& all, const std::vector<Form>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

TEST(VideoForms, Arithmetic) {
    const std::vector<std::pair<std::string, Wide (*)(Wide, Wide)>> operations{
        {"vadd", [](Wide a, Wide b) { return a + b; }},
        {"vsub", [](Wide a, Wide b) { return a - b; }},
        {"vabsdiff", [](Wide a, Wide b) { return a < b ? b - a : a - b; }},
        {"vmin", [](Wide a, Wide b) { return std::min(a, b); }},
        {"vmax", [](Wide a, Wide b) { return std::max(a, b); }}};
    for (const auto& [name, operation] : operations) {
        std::vector<Form> forms;
        for (unsigned signs = 0; signs < 8; ++signs) {
            const bool d = (signs & 1) != 0, a = (signs & 2) != 0, b = (signs & 4) != 0;
            for (const bool sat : {false, true}) {
                const std::string modifiers =
                    fmt::format("{}{}{}{}", sign_of(d), sign_of(a), sign_of(b), sat ? ".sat" : "");
                append(forms, with_second_operations(
                                  name, modifiers, d, [=, exact = operation](Bits x, Bits y) {
                                      const Wide value = exact(value_as(a, x), value_as(b, y));
                                      return sat ? clamped_to(d, value) : value;
                                  }));
            }
        }
        check_by_the_manual(forms);
    }
}

TEST(VideoForms, Shifts) {
    for (const bool left : {true, false}) {
        std::vector<Form> forms;
        for (unsigned choice = 0; choice < 16; ++choice) {
            const bool d = (choice & 1) != 0, a = (choice & 2) != 0, sat = (choice & 4) != 0,
                       wraps = (choice & 8) != 0;
            const std::string modifiers =
                fmt::format("{}{}.u32{}{}", sign_of(d), sign_of(a), sat ? ".sat" : "",
                            wraps ? ".wrap" : ".clamp");
            append(
                forms,
                with_second_operations(left ? "vshl" : "vshr", modifiers, d, [=](Bits x, Bits y) {
                    const auto amount = static_cast<int>(wraps ? y & 31 : std::min<Bits>(y, 32));
                    const Wide moved =
                        left ? value_as(a, x) * (Wide{1} << amount) : value_as(a, x) >> amount;
                    return sat ? clamped_to(d, moved) : moved;
                }));
        }
        check_by_the_manual(forms);
    }
}

/// The result is signed where a factor is; its own type says nothing.
TEST(VideoForms, MultiplyAndAdd) {
    std::vector<Form> forms;
    for (unsigned choice = 0; choice < 32; ++choice) {
        const bool d = (choice & 1) != 0, a = (choice & 2) != 0, b = (choice & 4) != 0,
                   plus_one = (choice & 8) != 0, sat = (choice & 16) != 0;
        for (const unsigned scale : {0u, 7u, 15u}) {
            forms.push_back({fmt::format("vmad{}{}{}{}{}{} $d, $a, $b, $c;", sign_of(d), sign_of(a),
                                         sign_of(b), plus_one ? ".po" : "", sat ? ".sat" : "",
                                         scale == 0 ? "" : fmt::format(".shr{}", scale)),
                             {"b32"},
                             {"b32", "b32", "b32"},
                             by_results([=](const auto& v) {
                                 const Wide sum = value_as(a, v[0]) * value_as(b, v[1]) +
                                                  value_as(a || b, v[2]) + (plus_one ? 1 : 0);
                                 const Wide scaled = sum >> scale;
                                 return std::vector<Bits>{
                                     word_of(sat ? clamped_to(a || b, scaled) : scaled)};
                             })});
        }
    }
    check_by_the_manual(forms);
}

TEST(VideoForms, Comparisons) {
    const std::vector<std::pair<std::string, bool (*)(Wide, Wide)>> relations{
        {"eq", [](Wide a, Wide b) { return a == b; }},
        {"ne", [](Wide a, Wide b) { return a != b; }},
        {"lt", [](Wide a, Wide b) { return a < b; }},
        {"le", [](Wide a, Wide b) { return a <= b; }},
        {"gt", [](Wide a, Wide b) { return a > b; }},
        {"ge", [](Wide a, Wide b) { return a >= b; }}};
    std::vector<Form> forms;
    for (const auto& [name, holds] : relations) {
        for (unsigned signs = 0; signs < 4; ++signs) {
            const bool a = (signs & 1) != 0, b = (signs & 2) != 0;
            append(forms, with_second_operations(
                              "vset", fmt::format("{}{}.{}", sign_of(a), sign_of(b), name), false,
                              [=, relation = holds](Bits x, Bits y) {
                                  return Wide{relation(value_as(a, x), value_as(b, y)) ? 1 : 0};
                              }));
        }
    }
    check_by_the_manual(forms);
}

}  // namespace
}  // namespace wideload::isa
