// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <gtest/gtest.h>

namespace wideload::report {
namespace {

// Comments in sources are written in every script.
TEST(Layout, MeasuresColumnsNotBytes) {
    EXPECT_EQ(display_width(""), 0u);
    EXPECT_EQ(display_width("abc"), 3u);
    EXPECT_EQ(display_width("4 B × 1"), 7u);
    EXPECT_EQ(display_width("合并"), 4u);
}

TEST(Layout, ShortensToTheWidth) {
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdef", 5), "abcd…");
    EXPECT_EQ(shortened("合并访问", 4), "合…") << "half a character cannot be shown";
    EXPECT_EQ(shortened("abc", 0), "");
    EXPECT_EQ(shortened_front("/long/path/a.cu", 6), "…/a.cu");
}

TEST(Layout, WrapsAtSpaces) {
    EXPECT_EQ(wrapped("one two three", "  ", 9), "  one two\n  three\n");
    EXPECT_EQ(wrapped("one two", "", 7), "one two\n");
    EXPECT_EQ(wrapped("abcdefgh", "", 3), "abc\ndef\ngh\n") << "a word that is too long is broken";
    EXPECT_EQ(wrapped("", "  ", 9), "");
}

TEST(Layout, ColoursOnlyWhereAsked) {
    EXPECT_EQ(Style(false).bold("x"), "x");
    EXPECT_EQ(Style(true).bold("x"), "\x1b[1mx\x1b[0m");
    EXPECT_EQ(Style(true).bold(""), "");
}

}  // namespace
}  // namespace wideload::report
