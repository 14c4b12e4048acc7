// SPDX-License-Identifier: Apache-2.0
#include "image/fatbinary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <set>

#include "cuda_files.h"

namespace wideload::image {
namespace {

using testing::HasSubstr;

std::vector<std::byte> operator+(std::vector<std::byte> left, const std::vector<std::byte>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

template <class T>
void overwrite(std::vector<std::byte>& bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// nvcc's options name what has to be found: machine code and PTX of each, with its suffix.
TEST(FatBinary, ListsWhatNvccWasAskedFor) {
    std::multiset<std::string> targets;
    for (const FatBinary& binary : read_cuda_file("image_many.fatbin")) {
        for (const Entry& entry : binary.entries) targets.insert(entry.target_name());
    }
    EXPECT_EQ(targets, (std::multiset<std::string>{"sm_80", "compute_80", "sm_90a", "compute_90a",
                                                   "compute_90", "compute_100f", "compute_120"}));
}

TEST(FatBinary, KnowsVersionOptionsAndObjectName) {
    const auto debug = read_cuda_file("image_debug.fatbin");
    ASSERT_EQ(debug.size(), 1u);
    for (const Entry& entry : debug[0].entries) {
        EXPECT_THAT(entry.object_name, HasSubstr("scale.cu"));
        if (entry.kind != EntryKind::ptx) continue;
        EXPECT_GE(entry.version_major, 7);
        EXPECT_THAT(entry.options, HasSubstr("-g"));
    }
    const auto relocatable = read_cuda_file("image_relocatable.o");
    ASSERT_EQ(relocatable.size(), 1u);
    for (const Entry& entry : relocatable[0].entries) {
        if (entry.kind == EntryKind::ptx) {
            EXPECT_EQ(entry.options, "--compile-only");
        }
    }
}

// The linker lays the fat binaries of several objects into one section and aligns them with zeros.
TEST(FatBinary, ReadsSeveralWithZerosBetween) {
    const auto one = cuda_bytes("image_size.fatbin");
    const auto section = one + std::vector<std::byte>(24) + one + std::vector<std::byte>(7);
    const auto binaries = read_fat_binaries({section, "section"});
    ASSERT_TRUE(binaries.ok()) << format(binaries.errors());
    ASSERT_EQ(binaries->size(), 2u);
    EXPECT_EQ((*binaries)[1].entries.size(), (*binaries)[0].entries.size());
    EXPECT_THAT((*binaries)[1].name, HasSubstr(fmt::format("at byte {:#x}", one.size() + 24)));
}

// A byte that is missing is always noticed, wherever the file was cut.
TEST(FatBinary, EveryTruncationIsAnErrorWithAnOffset) {
    const auto whole = cuda_bytes("image_size.fatbin");
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const auto result = read_fat_binaries({std::span(whole).first(size), "cut"});
        ASSERT_FALSE(result.ok()) << size;
        ASSERT_THAT(message_of(result), HasSubstr("(at byte 0x")) << size;
    }
}

// Offsets are those of the whole file, not of the entry: they are looked up with a hex editor.
TEST(FatBinary, ErrorsNameTheOffsetInTheFile) {
    constexpr std::size_t kFirstEntry = 16;
    auto bytes = cuda_bytes("image_size.fatbin");
    overwrite<std::uint64_t>(bytes, kFirstEntry + 8, bytes.size());
    EXPECT_EQ(message_of(read_fat_binaries({bytes, "x"})),
              fmt::format("truncated: entry payload needs {} bytes, {} are left (at byte 0x50)",
                          bytes.size(), bytes.size() - kFirstEntry - 64));

    bytes = cuda_bytes("image_size.fatbin");
    overwrite<std::uint32_t>(bytes, kFirstEntry + 4, 0);
    EXPECT_EQ(message_of(read_fat_binaries({bytes, "x"})),
              "entry header of 0 bytes, 64 is the least (at byte 0x14)");

    bytes = cuda_bytes("image_size.fatbin");
    bytes.push_back(std::byte{1});
    EXPECT_THAT(message_of(read_fat_binaries({bytes, "x"})),
                HasSubstr(fmt::format("(at byte {:#x})", bytes.size() - 1)));
}

// Payload sizes near 2^64 must not wrap to small ones.
TEST(FatBinary, HugeSizesDoNotWrap) {
    auto bytes = cuda_bytes("image_size.fatbin");
    overwrite<std::uint64_t>(bytes, 8, UINT64_MAX - 8);
    EXPECT_THAT(message_of(read_fat_binaries({bytes, "x"})), HasSubstr("larger than memory"));
    bytes = cuda_bytes("image_size.fatbin");
    overwrite<std::uint64_t>(bytes, 16 + 8, UINT64_MAX - 32);
    EXPECT_FALSE(read_fat_binaries({bytes, "x"}).ok());
}

}  // namespace
}  // namespace wideload::image
