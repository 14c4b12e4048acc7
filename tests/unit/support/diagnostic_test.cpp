// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostic.h"

#include <gtest/gtest.h>

#include "support/result.h"

namespace wideload {
namespace {

Diagnostic located(SourceLocation where, std::string message, std::string source_line) {
    Diagnostic diagnostic;
    diagnostic.where = std::move(where);
    diagnostic.message = std::move(message);
    diagnostic.source_line = std::move(source_line);
    return diagnostic;
}

TEST(Diagnostic, PointsAtTheColumn) {
    Diagnostic diagnostic =
        located({"kernel.ptx", 12, 9}, "unknown instruction 'frob'", "        frob.u32 %r1;");
    diagnostic.hint = "see docs";
    EXPECT_EQ(format(diagnostic),
              "kernel.ptx:12:9: error: unknown instruction 'frob'\n"
              "            frob.u32 %r1;\n"
              "            ^\n"
              "    hint: see docs\n");
}

// A section's name in a file from elsewhere must not clear the reader's screen.
TEST(Diagnostic, ShowsControlsAndBrokenTextAsBytes) {
    EXPECT_EQ(
        format(failure_in("a.cubin", "no \x1b[2J\x07 in \xbb.text \xc2\x9b \xe2\x82", "é → \x7f")),
        "a.cubin: error: no \\x1b[2J\\x07 in \\xbb.text \\xc2\\x9b \\xe2\\x82\n"
        "    hint: é → \\x7f\n");
    EXPECT_EQ(format(located({"a.ptx", 1, 3}, "no", "\x01 x")),
              "a.ptx:1:3: error: no\n    \\x01 x\n         ^\n");
}

// Tabs are as wide as the terminal makes them: the caret's line repeats them.
TEST(Diagnostic, AlignsTheCaretUnderTabs) {
    const Diagnostic diagnostic = located({"k.ptx", 1, 4}, "bad", "\t\tx y");
    EXPECT_EQ(format(diagnostic), "k.ptx:1:4: error: bad\n    \t\tx y\n    \t\t ^\n");
}

TEST(Diagnostic, LeavesOutWhatIsUnknown) {
    EXPECT_EQ(format(failure("out of memory")), "error: out of memory\n");
    EXPECT_EQ(format(failure_in("app", "holds no CUDA code", "name the library")),
              "app: error: holds no CUDA code\n    hint: name the library\n");
    EXPECT_EQ(format(located({"app.cu", 7, 0}, "here", "x = y;")),
              "app.cu:7: error: here\n    x = y;\n");
    EXPECT_EQ(format(located({"", 7, 2}, "here", "")), "7:2: error: here\n");
}

// A parser may point just behind the last character, or (at worst) further.
TEST(Diagnostic, CaretBehindTheLineEndsAtItsEnd) {
    EXPECT_EQ(format(located({"k", 1, 3}, "end", "ab")), "k:1:3: error: end\n    ab\n      ^\n");
    EXPECT_EQ(format(located({"k", 1, 99}, "end", "ab")), "k:1:99: error: end\n    ab\n      ^\n");
}

TEST(Diagnostics, FollowEachOther) {
    EXPECT_EQ(format(Diagnostics{failure("one"), failure("two")}), "error: one\nerror: two\n");
    EXPECT_EQ(format(Diagnostics{}), "");
}

TEST(Result, IsAValueOrWhyThereIsNone) {
    Result<int> good = 3;
    EXPECT_TRUE(good.ok());
    EXPECT_EQ(*good, 3);
    Result<int> bad = failure("no");
    EXPECT_FALSE(bad);
    ASSERT_EQ(bad.errors().size(), 1u);
    EXPECT_EQ(bad.errors()[0].message, "no");
}

}  // namespace
}  // namespace wideload
