// SPDX-License-Identifier: Apache-2.0
// A table of many columns has to stay readable in a terminal of few.
#include "lab/table_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/lines.h"

namespace wideload::lab {
namespace {

using testing::Each;
using testing::HasSubstr;

/// Two columns say which row it is; ten follow.
Table wide_table() {
    Table table{{"series", "size"}, {{"the left one", "1"}, {"the right one", "2"}}};
    table.key_columns = 2;
    for (int column = 0; column < 10; ++column) {
        table.heads.push_back("multiprocessors used " + std::to_string(column));
        for (auto& row : table.rows) row.push_back(std::to_string(1000 + column));
    }
    return table;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::string_view rest = text; !rest.empty();) lines.emplace_back(take_line(rest));
    return lines;
}

TEST(TableText, FitsAndLosesNothing) {
    const Table table = wide_table();
    for (const std::size_t columns : {60u, 100u, 120u}) {
        const std::string text = table_text(table, report::Style(false), columns);
        for (const std::string& line : lines_of(text)) {
            EXPECT_LE(report::display_width(line), columns) << line;
        }
        for (int column = 0; column < 10; ++column) {
            EXPECT_THAT(text, HasSubstr(" " + std::to_string(1000 + column)));
        }
    }
}

TEST(TableText, RepeatsWhatSaysWhichRowItIs) {
    const auto lines = lines_of(table_text(wide_table(), report::Style(false), 60));
    std::size_t parts = 1, rows = 0;
    for (const std::string& line : lines) {
        if (line.empty()) ++parts;
        if (line.find("the right one") != std::string::npos) {
            ++rows;
            EXPECT_THAT(line, testing::ContainsRegex("the right one +2 "));
        }
    }
    EXPECT_GT(parts, 1u);
    EXPECT_EQ(rows, parts);
}

TEST(TableText, BreaksHeadsBetweenWordsAlone) {
    EXPECT_THAT(table_text(wide_table(), report::Style(false), 100),
                HasSubstr(" multiprocessors "));
}

TEST(TableText, IsOnePartWhereItFits) {
    const auto lines = lines_of(table_text(wide_table(), report::Style(false), 1000));
    EXPECT_THAT(lines, Each(testing::Ne("")));
}

}  // namespace
}  // namespace wideload::lab
