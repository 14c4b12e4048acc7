// SPDX-License-Identifier: Apache-2.0
#include "cli/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "preload/protocol.h"

namespace wideload::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(Workspace, FindsProfilesInTheOrderOfProcesses) {
    const auto workspace = Workspace::create();
    ASSERT_TRUE(workspace.ok());
    const fs::path folder = workspace->profile_pattern().parent_path();
    for (const char* name : {"profile.100.json", "profile.20.json", "profile.30.json.partial",
                             "profile.20-2.json", "profile.20-10.json"}) {
        std::ofstream(folder / name) << "{}";
    }
    EXPECT_THAT(workspace->profiles(),
                ElementsAre(folder / "profile.20.json", folder / "profile.20-2.json",
                            folder / "profile.20-10.json", folder / "profile.100.json"));
}

TEST(Workspace, SharesAStatusPageOfZeros) {
    const auto workspace = Workspace::create();
    ASSERT_TRUE(workspace.ok());
    EXPECT_EQ(workspace->status().processes_using_cuda, 0u);
    EXPECT_EQ(fs::file_size(workspace->status_file()), sizeof(preload::StatusPage));
}

// Every child says the same of the engine it cannot load; once is enough.
TEST(Workspace, SaysEachMessageOnce) {
    const auto workspace = Workspace::create();
    ASSERT_TRUE(workspace.ok());
    std::ofstream(workspace->message_file(), std::ios::app) << "one\ntwo\none\n";
    EXPECT_THAT(workspace->messages(), ElementsAre("one", "two"));
}

TEST(Workspace, LeavesNothingBehind) {
    fs::path folder;
    {
        auto workspace = Workspace::create();
        ASSERT_TRUE(workspace.ok());
        folder = workspace->status_file().parent_path();
        EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all)
            << "profiles are nobody else's";
    }
    EXPECT_FALSE(fs::exists(folder));
}

TEST(Workspace, SaysWhereItCannotWrite) {
    ::setenv("TMPDIR", "/no/such/folder", 1);
    const auto workspace = Workspace::create();
    ::unsetenv("TMPDIR");
    ASSERT_FALSE(workspace.ok());
    EXPECT_EQ(workspace.errors().front().hint, "set TMPDIR to a folder that can be written");
}

}  // namespace
}  // namespace wideload::cli
