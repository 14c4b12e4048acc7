// SPDX-License-Identifier: Apache-2.0
// A page of the documentation must read the same as a chapter: no mark of Markdown left, nothing
// lost, and nothing in it taken for markup.
#include "lab/prose.h"

#include <gtest/gtest.h>

namespace wideload::lab {
namespace {

TEST(Prose, HasHeadingsOneLevelLower) {
    EXPECT_EQ(html_of_markdown("# One\n\n## Two\n"), "<h2>One</h2>\n<h3>Two</h3>\n");
    EXPECT_EQ(html_of_markdown("##\n"), "");
}

TEST(Prose, JoinsTheLinesOfAParagraph) {
    EXPECT_EQ(html_of_markdown("a\nb\n\nc"), "<p>a\nb</p>\n<p>c</p>\n");
}

TEST(Prose, MarksSpansAcrossLines) {
    EXPECT_EQ(html_of_markdown("**Why** `2 * 3 =\n6` is *so*"),
              "<p><b>Why</b> <code>2 * 3 =\n6</code> is <em>so</em></p>\n");
    EXPECT_EQ(html_of_markdown("**a `b` c**"), "<p><b>a <code>b</code> c</b></p>\n");
}

TEST(Prose, LeavesMarksThatEndNowhere) {
    EXPECT_EQ(html_of_markdown("2 * 3 and [4] and `5"), "<p>2 * 3 and [4] and `5</p>\n");
}

TEST(Prose, LinksOnlyToTheWeb) {
    EXPECT_EQ(html_of_markdown("[the *lab*](lab.md)"), "<p>the <em>lab</em></p>\n");
    EXPECT_EQ(html_of_markdown("[x](https://a.b)"), "<p><a href=\"https://a.b\">x</a></p>\n");
}

TEST(Prose, HasTablesAndBlocks) {
    EXPECT_EQ(html_of_markdown("| | A |\n| --- | ---: |\n| `b` | 1 |\nend"),
              "<table class=\"words\">\n<tr><th></th><th>A</th></tr>\n"
              "<tr><td><code>b</code></td><td>1</td></tr>\n</table>\n<p>end</p>\n");
    EXPECT_EQ(html_of_markdown("```sh testable\na | b\n\n# c\n```\n"),
              "<pre>a | b\n\n# c\n</pre>\n");
}

TEST(Prose, EscapesWhatLooksLikeMarkup) {
    EXPECT_EQ(html_of_markdown("a < b\n\n`<b>`\n```\n<i>\n"),
              "<p>a &lt; b</p>\n<p><code>&lt;b&gt;</code></p>\n<pre>&lt;i&gt;\n</pre>\n");
}

TEST(Words, MeanNothingButCode) {
    const char* words = "`struct {int* a;}` < *b* and ` alone";
    EXPECT_EQ(html_of_words(words), "<code>struct {int* a;}</code> &lt; *b* and ` alone");
    EXPECT_EQ(markdown_of_words(words), "`struct {int* a;}` \\< \\*b\\* and \\` alone");
}

}  // namespace
}  // namespace wideload::lab
