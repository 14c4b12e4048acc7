// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sass/compile.h"

namespace wideload::sass {
namespace {

TEST(Target, IsReadAsUsersSpellIt) {
    const std::pair<const char*, Target> kExpected[] = {
        {"sm_90", {90, '\0'}},  {"90", {90, '\0'}},    {"9.0", {90, '\0'}},
        {"10.3", {103, '\0'}},  {"sm_90a", {90, 'a'}}, {"sm_100f", {100, 'f'}},
        {"sm_120", {120, '\0'}}};
    for (const auto& [text, target] : kExpected) {
        const auto read = parse_target(text);
        ASSERT_TRUE(read.ok()) << text;
        EXPECT_EQ(*read, target) << text;
    }
    EXPECT_EQ((Target{90, 'a'}.name()), "sm_90a");
}

TEST(Target, RefusesWhatIsNone) {
    for (const char* text : {"", "sm_", "sm_x", "9", "sm_90b", "sm_90aa", "compute_90", "9.",
                             "9.00", "-90", "99999999999999", "1000", "h200"}) {
        EXPECT_FALSE(parse_target(text).ok()) << text;
    }
}

}  // namespace
}  // namespace wideload::sass
