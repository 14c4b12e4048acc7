// SPDX-License-Identifier: Apache-2.0
#include "report/source_text.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

namespace wideload::report {
namespace {

class SourceTextTest : public ::testing::Test {
protected:
    SourceTextTest() {
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ / "a.cu") << "int a;\n\t  b[i] = c;\t \n\x1b[31mred\r\n";
    }
    ~SourceTextTest() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_ =
        std::filesystem::path(::testing::TempDir()) / ("source_text." + std::to_string(::getpid()));
    SourceText sources_{folder_};
};

TEST_F(SourceTextTest, GivesALineWithoutItsIndentation) {
    EXPECT_EQ(sources_.line({"a.cu", 2, 1}), "b[i] = c;");
    EXPECT_EQ(sources_.line({(folder_ / "a.cu").string(), 1, 1}), "int a;");
}

// A report goes to a terminal; a source must not command it.
TEST_F(SourceTextTest, DropsControlCharacters) {
    EXPECT_EQ(sources_.line({"a.cu", 3, 1}), "[31mred");
}

TEST_F(SourceTextTest, HasNothingToShowOfWhatIsNotThere) {
    EXPECT_EQ(sources_.line({"a.cu", 4, 1}), "");
    EXPECT_EQ(sources_.line({"missing.cu", 1, 1}), "");
    EXPECT_EQ(sources_.line({".", 1, 1}), "");
    EXPECT_EQ(sources_.line({}), "");
}

TEST_F(SourceTextTest, ShowsPathsAsTyped) {
    EXPECT_EQ(sources_.shown_path((folder_ / "b/../a.cu").string()), "a.cu");
    EXPECT_EQ(sources_.shown_path("/elsewhere/a.cu"), "/elsewhere/a.cu");
    EXPECT_EQ(sources_.shown_path("./a.cu"), "a.cu");
}

}  // namespace
}  // namespace wideload::report
