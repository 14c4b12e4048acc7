// SPDX-License-Identifier: Apache-2.0
#include "support/tool_process.h"

#include <gmock/gmock.h>

#include <span>

namespace wideload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Diagnostics shell(const std::string& script, std::vector<std::string>* lines = nullptr) {
    ToolCall call;
    call.program = "/bin/sh";
    call.arguments = {"-c", script};
    if (lines != nullptr) {
        call.on_line = [lines](std::string_view line) { lines->emplace_back(line); };
    }
    return run_tool(call);
}

TEST(ToolProcess, GivesLinesWholeAndWithoutTheirEnds) {
    std::vector<std::string> lines;
    EXPECT_TRUE(shell("printf 'one\\n\\ntwo'; sleep 0.05; printf ' more\\nlast'", &lines).empty());
    EXPECT_THAT(lines, ElementsAre("one", "", "two more", "last"));
}

// A tool that never ends its line must not fill the memory.
TEST(ToolProcess, BoundsALine) {
    std::vector<std::string> lines;
    EXPECT_TRUE(shell("head -c 5000000 /dev/zero; echo; echo end", &lines).empty());
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_LE(lines[0].size(), std::size_t{1} << 20);
    EXPECT_EQ(lines[1], "end");
}

TEST(ToolProcess, SaysWhyAToolFailed) {
    EXPECT_THAT(format(shell("echo what is wrong >&2; exit 3")),
                testing::AllOf(HasSubstr("failed with exit code 3"), HasSubstr("what is wrong")));
    EXPECT_THAT(format(shell("kill -9 $$")), HasSubstr("was ended by signal 9"));
    ToolCall call;
    call.program = "/nowhere/tool";
    EXPECT_THAT(format(run_tool(call)), HasSubstr("cannot run /nowhere/tool"));
}

TEST(ToolProcess, HandsFilesInMemoryOver) {
    const std::string text = "first\nsecond\n";
    const auto file = MemoryFile::create(std::as_bytes(std::span(text)));
    ASSERT_TRUE(file.ok());
    std::vector<std::string> lines;
    ToolCall call;
    call.program = "/bin/sh";
    call.arguments = {"-c", "cat " + file->path() + "; echo third >> " + file->path()};
    call.descriptors = {file->descriptor()};
    call.on_line = [&](std::string_view line) { lines.emplace_back(line); };
    EXPECT_TRUE(run_tool(call).empty());
    EXPECT_THAT(lines, ElementsAre("first", "second"));
    const auto bytes = file->contents();
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(bytes->size(), text.size() + 6);
}

}  // namespace
}  // namespace wideload
