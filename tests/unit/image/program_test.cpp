// SPDX-License-Identifier: Apache-2.0
#include "image/program.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "cuda_files.h"
#include "image/select.h"

namespace wideload::image {
namespace {

using testing::HasSubstr;

/// The PTX of every fat binary that has some for an H200.
std::vector<std::string> ptx_texts(const std::vector<FatBinary>& binaries) {
    std::vector<std::string> texts;
    for (const FatBinary& binary : binaries) {
        if (auto text = select_ptx(binary, 90)) texts.push_back(*text);
    }
    return texts;
}

// Whatever the container, the kernels that the program launches must come out of it.
class EveryContainer : public testing::TestWithParam<const char*> {};

TEST_P(EveryContainer, YieldsThePtxOfItsKernels) {
    const auto texts = ptx_texts(read_cuda_file(GetParam()));
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_THAT(texts[0], HasSubstr(".target sm_90"));
    EXPECT_THAT(texts[0], HasSubstr(".entry _Z5scalePKfPfi("));
    EXPECT_THAT(texts[0], HasSubstr(".entry _Z7look_upPKiPii("));
    EXPECT_EQ(texts[0].find('\0'), std::string::npos) << "padding is part of the text";
}

INSTANTIATE_TEST_SUITE_P(Files, EveryContainer,
                         testing::Values("image_static_runtime", "image_shared_runtime",
                                         "image_library.so", "image_object.o",
                                         "image_relocatable.o", "image_library.a", "image.ptx",
                                         "image_none.fatbin", "image_speed.fatbin",
                                         "image_balance.fatbin", "image_size.fatbin"),
                         [](const auto& file) {
                             std::string name = file.param;
                             std::ranges::replace(name, '.', '_');
                             return name;
                         });

// Relocatable code is found by another section, has to be linked, and says so.
TEST(Program, MarksRelocatableCode) {
    const auto relocatable = read_cuda_file("image_relocatable.o");
    ASSERT_EQ(relocatable.size(), 1u);
    EXPECT_TRUE(relocatable[0].relocatable);
    for (const FatBinary& binary : read_cuda_file("image_object.o"))
        EXPECT_FALSE(binary.relocatable);
}

// nvlink leaves machine code in .nv_fatbin; the PTX of both translation units lies in the other
// section.
TEST(Program, FindsBothHalvesOfALinkedProgram) {
    const auto binaries = read_cuda_file("image_linked");
    EXPECT_EQ(std::ranges::count(binaries, true, &FatBinary::relocatable), 2);
    const auto texts = ptx_texts(binaries);
    ASSERT_EQ(texts.size(), 2u);
    EXPECT_THAT(texts, testing::Contains(HasSubstr(".entry _Z5applyPi")));
    EXPECT_THAT(texts, testing::Contains(HasSubstr(".visible .func")));
}

TEST(Program, ReadsACubin) {
    const auto binaries = read_cuda_file("image_sm_80.cubin");
    ASSERT_EQ(binaries.size(), 1u);
    ASSERT_EQ(binaries[0].entries.size(), 1u);
    EXPECT_EQ(binaries[0].entries[0].kind, EntryKind::elf);
    EXPECT_EQ(binaries[0].entries[0].arch, 80u);
}

// A file's fat binaries are used after read_file() returned: they must own the mapping.
TEST(Program, KeepsTheBytesOfAFileAlive) {
    FatBinary kept;
    {
        auto binaries = read_cuda_file("image_size.fatbin");
        ASSERT_EQ(binaries.size(), 1u);
        kept = binaries[0];
    }
    EXPECT_TRUE(select_ptx(kept, 90).ok());
}

// Each way of not being a CUDA program has its own sentence, so that the user knows what to do.
TEST(Program, SaysWhyAFileIsNoCudaProgram) {
    EXPECT_THAT(message_of(read_file("/proc/self/exe")), HasSubstr("holds no CUDA code"));
    EXPECT_THAT(message_of(read_file("/nonexistent/app")), HasSubstr("No such file"));
    EXPECT_THAT(message_of(read_file(std::filesystem::temp_directory_path())),
                HasSubstr("Is a directory"));
    EXPECT_THAT(message_of(read_file("/dev/null")), HasSubstr("not a regular file"));

    const auto script = to_bytes("#!/bin/sh\nexec ./app\n");
    const auto result = read_bytes(script, "run.sh");
    EXPECT_THAT(message_of(result), HasSubstr("not a program"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.errors()[0].where.file, "run.sh");
    EXPECT_THAT(result.errors()[0].hint, HasSubstr("script"));

    EXPECT_THAT(message_of(read_bytes({}, "empty")), HasSubstr("not a program"));
}

}  // namespace
}  // namespace wideload::image
