// SPDX-License-Identifier: Apache-2.0
#include "cli/program_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "cli/exit_codes.h"

namespace wideload::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ProgramCheck : public ::testing::Test {
protected:
    ProgramCheck() { fs::create_directories(folder_); }
    ~ProgramCheck() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& content, bool executable = true) {
        const fs::path path = folder_ / name;
        std::ofstream(path, std::ios::binary) << content;
        if (executable) fs::permissions(path, fs::perms::owner_all);
        return path.string();
    }

    fs::path folder_ =
        fs::path(::testing::TempDir()) / ("program_check." + std::to_string(::getpid()));
};

Refusal refusal_of(const std::string& name) {
    const auto found = find_program(name);
    const auto* refusal = std::get_if<Refusal>(&found);
    return refusal == nullptr ? Refusal{} : *refusal;
}

TEST_F(ProgramCheck, FindsPathsAndNames) {
    const std::string script = write("tool", "#!/bin/sh\n");
    EXPECT_EQ(refusal_of(script).sentence, "");
    EXPECT_EQ(refusal_of("sh").sentence, "");
    EXPECT_EQ(refusal_of(folder_ / "missing").exit_code, kNotFound);
    EXPECT_EQ(refusal_of("no-such-program-anywhere").exit_code, kNotFound);
    EXPECT_EQ(refusal_of(folder_.string()).exit_code, kCannotRun);
}

TEST_F(ProgramCheck, WantsPermissionToExecute) {
    const Refusal refusal = refusal_of(write("data", "#!/bin/sh\n", false));
    EXPECT_EQ(refusal.exit_code, kCannotRun);
    EXPECT_THAT(refusal.sentence, HasSubstr("chmod +x"));
}

// chmod +x would only lead to the next refusal; a script may have any name.
TEST_F(ProgramCheck, WantsSourceToBeCompiled) {
    const std::string source = write("kernel.cu", "int main() {}\n", false);
    EXPECT_EQ(refusal_of(source).exit_code, kCannotRun);
    EXPECT_THAT(refusal_of(source).sentence, HasSubstr("nvcc -lineinfo -o kernel " + source));
    fs::permissions(source, fs::perms::owner_all);
    EXPECT_THAT(check_program(source).sentence, HasSubstr("nvcc -lineinfo"));
    EXPECT_EQ(check_program(write("script.cu", "#!/bin/sh\n")).sentence, "");
}

TEST_F(ProgramCheck, TakesScriptsAndDynamicPrograms) {
    EXPECT_EQ(check_program(write("script", "#!/bin/sh\nexec ./a\n")).sentence, "");
    EXPECT_EQ(check_program("/proc/self/exe").sentence, "");
}

TEST_F(ProgramCheck, RefusesWhatIsNoProgram) {
    for (const std::string& content :
         {std::string("int main() {}\n"), std::string(), std::string("MZ\x90")}) {
        const Refusal refusal = check_program(write("text", content));
        EXPECT_EQ(refusal.exit_code, kCannotRun);
        EXPECT_THAT(refusal.sentence, HasSubstr("neither an ELF file nor a script"));
    }
    EXPECT_THAT(check_program(write("old", std::string("\x7f"
                                                       "ELF\x01\x01\x01",
                                                       7) +
                                               std::string(60, '\0')))
                    .sentence,
                HasSubstr("32-bit"));
}

}  // namespace
}  // namespace wideload::cli
