// SPDX-License-Identifier: Apache-2.0
#include "image/select.h"

#include <gmock/gmock.h>

#include "cuda_files.h"

namespace wideload::image {
namespace {

using testing::HasSubstr;

/// A fat binary with an uncompressed PTX entry for each target: {90, 'a'} is compute_90a. The text
/// is only the header, which names the same target.
FatBinary with_ptx(const std::vector<std::pair<std::uint32_t, char>>& targets) {
    auto texts = std::make_shared<std::vector<std::string>>();
    FatBinary binary;
    binary.name = "app";
    for (const auto& [arch, suffix] : targets) {
        std::string target = "sm_" + std::to_string(arch);
        if (suffix != '\0') target += suffix;
        texts->push_back(".version 9.0\n.target " + target + "\n");
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        Entry entry;
        entry.kind = EntryKind::ptx;
        entry.arch = targets[i].first;
        entry.suffix = targets[i].second;
        entry.payload.data = std::as_bytes(std::span((*texts)[i]));
        entry.expanded_bytes = (*texts)[i].size();
        binary.entries.push_back(entry);
    }
    binary.storage = texts;
    return binary;
}

std::string selected(const FatBinary& binary, std::uint32_t gpu) {
    const auto text = select_ptx(binary, gpu);
    if (!text) return "none";
    const auto start = text->find("sm_");
    return text->substr(start, text->find('\n', start) - start);
}

TEST(SelectPtx, TakesTheHighestThatTheGpuMayRun) {
    const FatBinary binary = with_ptx({{80, 0}, {120, 0}, {90, 0}, {75, 0}});
    EXPECT_EQ(selected(binary, 75), "sm_75");
    EXPECT_EQ(selected(binary, 86), "sm_80");
    EXPECT_EQ(selected(binary, 90), "sm_90");
    EXPECT_EQ(selected(binary, 100), "sm_90");
    EXPECT_EQ(selected(binary, 120), "sm_120");
    EXPECT_EQ(selected(binary, 70), "none");
}

// compute_90a code runs on 9.0 alone; compute_100f on 10.0 and its family.
TEST(SelectPtx, HonoursSuffixes) {
    const FatBinary binary = with_ptx({{90, 0}, {90, 'a'}, {100, 'f'}, {80, 0}});
    EXPECT_EQ(selected(binary, 90), "sm_90a");
    EXPECT_EQ(selected(binary, 89), "sm_80");
    EXPECT_EQ(selected(binary, 100), "sm_100f");
    EXPECT_EQ(selected(binary, 103), "sm_100f");
    EXPECT_EQ(selected(binary, 120), "sm_90");
}

// Older toolkits do not mark the suffix in the entry: the text's own target decides.
TEST(SelectPtx, BelievesTheTextOverTheEntry) {
    FatBinary binary = with_ptx({{80, 0}, {90, 'a'}});
    binary.entries[1].suffix = '\0';
    EXPECT_EQ(selected(binary, 100), "sm_80");
    EXPECT_EQ(selected(binary, 90), "sm_90a");
}

TEST(SelectPtx, TakesFromWhatNvccBuilt) {
    const auto binaries = read_cuda_file("image_many.fatbin");
    ASSERT_EQ(binaries.size(), 1u);
    EXPECT_EQ(selected(binaries[0], 80), "sm_80");
    EXPECT_EQ(selected(binaries[0], 89), "sm_80");
    EXPECT_EQ(selected(binaries[0], 90), "sm_90a");
    EXPECT_EQ(selected(binaries[0], 100), "sm_100f");
    EXPECT_EQ(selected(binaries[0], 120), "sm_120");
}

// The message has to say what there is and what to build instead.
TEST(SelectPtx, SaysWhatThereIsAndWhatToDo) {
    const auto binaries = read_cuda_file("image_machine_code_only");
    std::string all;
    for (const FatBinary& binary : binaries) {
        const auto text = select_ptx(binary, 90);
        ASSERT_FALSE(text.ok());
        all += format(text.errors());
    }
    EXPECT_THAT(
        all,
        HasSubstr("no PTX that compute capability 9.0 can run; it holds machine code for sm_90"));
    EXPECT_THAT(all, HasSubstr("hint: rebuild with -gencode arch=compute_90,code=compute_90"));
    EXPECT_THAT(message_of(select_ptx(with_ptx({{120, 0}}), 90)),
                HasSubstr("it holds PTX for compute_120"));
}

TEST(SelectCubin, TakesOnlyItsOwnMajorNumber) {
    const auto binaries = read_cuda_file("image_many.fatbin");
    ASSERT_EQ(binaries.size(), 1u);
    ASSERT_NE(select_cubin(binaries[0], 86), nullptr);
    EXPECT_EQ(select_cubin(binaries[0], 86)->arch, 80u);
    EXPECT_EQ(select_cubin(binaries[0], 90)->arch, 90u);
    EXPECT_EQ(select_cubin(binaries[0], 75), nullptr);
    EXPECT_EQ(select_cubin(binaries[0], 120), nullptr);
}

// sm_100a runs on 10.0 alone, sm_100f on its family.
TEST(SelectCubin, HonoursSuffixes) {
    FatBinary binary = with_ptx({{100, 'a'}, {100, 'f'}});
    for (Entry& entry : binary.entries) entry.kind = EntryKind::elf;
    ASSERT_NE(select_cubin(binary, 100), nullptr);
    EXPECT_EQ(select_cubin(binary, 100)->suffix, 'a');
    ASSERT_NE(select_cubin(binary, 103), nullptr);
    EXPECT_EQ(select_cubin(binary, 103)->suffix, 'f');
}

// Objects without PTX cannot be linked again: the linker's errors should be able to name them.
TEST(SelectModules, LinksTheRelocatableOnesAndNamesTheRest) {
    FatBinary linked = with_ptx({});
    FatBinary first = with_ptx({{90, 0}}), second = with_ptx({{80, 0}}), runtime = with_ptx({});
    first.name = "first";
    second.name = "second";
    runtime.name = "runtime";
    first.relocatable = second.relocatable = runtime.relocatable = true;
    const std::vector<FatBinary> binaries = {linked, first, runtime, second};
    const auto selection = select_modules(binaries, 90);
    ASSERT_TRUE(selection.ok()) << format(selection.errors());
    ASSERT_EQ(selection->modules.size(), 2u);
    EXPECT_EQ(selection->modules[0].name, "first");
    EXPECT_EQ(selection->modules[1].name, "second");
    EXPECT_THAT(selection->without_ptx, testing::ElementsAre("runtime"));
    EXPECT_FALSE(select_modules(std::span(&linked, 1), 90).ok());
    EXPECT_FALSE(select_modules({}, 90).ok());
}

}  // namespace
}  // namespace wideload::image
