// SPDX-License-Identifier: Apache-2.0
#include "cli/loader_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wideload::cli {
namespace {

namespace fs = std::filesystem;

class LoaderPath : public ::testing::Test {
protected:
    LoaderPath() { fs::create_directories(folder_); }
    ~LoaderPath() override { fs::remove_all(folder_); }

    fs::path folder_ =
        fs::path(::testing::TempDir()) / ("loader_path." + std::to_string(::getpid()));
    fs::path link_ = folder_ / "lib";
};

TEST_F(LoaderPath, IsTheFoldersOwnWhereItCanBe) {
    const auto path = path_for_loader("/opt/wideload-0.1/lib", link_);
    ASSERT_TRUE(path.ok());
    EXPECT_EQ(*path, "/opt/wideload-0.1/lib");
    EXPECT_FALSE(fs::exists(fs::symlink_status(link_)));
}

TEST_F(LoaderPath, IsALinkPastEverySeparator) {
    for (const char* folder : {"/a b", "/a:b", "/a;b"}) {
        const auto path = path_for_loader(folder, link_);
        ASSERT_TRUE(path.ok()) << folder;
        EXPECT_EQ(*path, link_);
        EXPECT_EQ(fs::read_symlink(link_), folder);
        fs::remove(link_);
    }
}

TEST_F(LoaderPath, RefusesWhatNoLinkHelps) {
    const auto separated = path_for_loader("/a b", "/t m p/lib");
    ASSERT_FALSE(separated.ok());
    EXPECT_EQ(separated.errors().front().hint,
              "set TMPDIR to a folder whose path has none of them");
    EXPECT_FALSE(path_for_loader("/a b", "/no/such/folder/lib").ok());
}

}  // namespace
}  // namespace wideload::cli
