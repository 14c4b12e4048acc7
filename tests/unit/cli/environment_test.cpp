// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace wideload::cli {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> environment_of(const RunCommand& command) {
    const auto workspace = Workspace::create();
    EXPECT_TRUE(workspace.ok());
    const auto environment =
        environment_of_program(command, {"/p/preload.so", "/p/engine.so"}, *workspace);
    EXPECT_TRUE(environment.ok());
    return environment ? *environment : std::vector<std::string>{};
}

TEST(Environment, KeepsWhatWasPreloadedAlready) {
    ::setenv("LD_PRELOAD", "/other.so", 1);
    EXPECT_THAT(environment_of({}), Contains("LD_PRELOAD=/other.so:/p/preload.so"));
    ::unsetenv("LD_PRELOAD");
    EXPECT_THAT(environment_of({}), Contains("LD_PRELOAD=/p/preload.so"));
}

TEST(Environment, SaysWhatTheOptionsSay) {
    RunCommand command;
    command.gpu = "a100";
    command.workers = 3;
    command.deterministic = true;
    command.counters = false;
    command.kernel_timeout_s = 2.5;
    command.host_isa = "avx2";
    const std::vector<std::string> environment = environment_of(command);
    for (const char* entry : {"WIDELOAD_GPU=a100", "WIDELOAD_WORKERS=3", "WIDELOAD_DETERMINISTIC=1",
                              "WIDELOAD_COUNTERS=0", "WIDELOAD_KERNEL_TIMEOUT=2.5",
                              "WIDELOAD_ISA=avx2", "WIDELOAD_ENGINE=/p/engine.so"}) {
        EXPECT_THAT(environment, Contains(entry));
    }
}

// Writing and reading what ten thousand launches counted takes seconds.
TEST(Environment, AsksForNoProfileThatNobodyReads) {
    RunCommand command;
    EXPECT_THAT(environment_of(command), Contains(StartsWith("WIDELOAD_PROFILE=")));
    command.quiet = true;
    EXPECT_THAT(environment_of(command), Not(Contains(StartsWith("WIDELOAD_PROFILE="))));
    command.json = "p.json";
    EXPECT_THAT(environment_of(command), Contains(StartsWith("WIDELOAD_PROFILE=")));
    command.json.clear();
    command.report = "r.txt";
    EXPECT_THAT(environment_of(command), Contains(StartsWith("WIDELOAD_PROFILE=")));
}

// wideload run -- wideload run -- ./a: the inner run's options are the ones that count.
TEST(Environment, ForgetsAnOuterRun) {
    ::setenv("WIDELOAD_DETERMINISTIC", "1", 1);
    EXPECT_THAT(environment_of({}), Not(Contains(StartsWith("WIDELOAD_DETERMINISTIC="))));
    ::unsetenv("WIDELOAD_DETERMINISTIC");
}

// The loader would take the second word of "/a prefix" for another library.
TEST(Environment, PreloadsPastSeparatorsByALink) {
    const auto workspace = Workspace::create();
    ASSERT_TRUE(workspace.ok());
    const auto environment =
        environment_of_program({}, {"/a prefix/preload.so", "/a prefix/engine.so"}, *workspace);
    ASSERT_TRUE(environment.ok());
    const std::filesystem::path link = workspace->library_link();
    EXPECT_THAT(*environment, Contains("LD_PRELOAD=" + (link / "preload.so").string()));
    EXPECT_THAT(*environment, Contains("WIDELOAD_ENGINE=/a prefix/engine.so"));
    EXPECT_EQ(std::filesystem::read_symlink(link), "/a prefix");
}

// What the user set comes first; a folder that is not there is no help to the loader.
TEST(Environment, KeepsTheLibraryPath) {
    ::setenv("LD_LIBRARY_PATH", "/mine", 1);
    EXPECT_THAT(environment_of({}), Contains("LD_LIBRARY_PATH=/mine"));
    ::unsetenv("LD_LIBRARY_PATH");
    EXPECT_THAT(environment_of({}), Not(Contains(StartsWith("LD_LIBRARY_PATH="))));
}

}  // namespace
}  // namespace wideload::cli
