// SPDX-License-Identifier: Apache-2.0
#include "image/decompress.h"

#include <gmock/gmock.h>

#include <sstream>

#include "cuda_files.h"

namespace wideload::image {
namespace {

using testing::HasSubstr;

const Entry* entry_of(const std::vector<FatBinary>& binaries, EntryKind kind) {
    for (const FatBinary& binary : binaries) {
        for (const Entry& entry : binary.entries) {
            if (entry.kind == kind) return &entry;
        }
    }
    return nullptr;
}

/// fatbinary drops the comments and most blanks of the PTX that it embeds.
std::string without_layout(const std::string& ptx) {
    std::istringstream lines(ptx);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        line.resize(std::min(line.size(), line.find("//")));
        std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        kept += line;
    }
    return kept;
}

struct Mode {
    const char* file;
    Compression ptx, elf;
};

class EveryMode : public testing::TestWithParam<Mode> {};

// nvcc's own uncompressed output is the reference: -ptx for the text, -cubin for the machine code.
TEST_P(EveryMode, ExpandsToWhatNvccWritesUncompressed) {
    const auto binaries = read_cuda_file(GetParam().file);
    const Entry* ptx = entry_of(binaries, EntryKind::ptx);
    const Entry* elf = entry_of(binaries, EntryKind::elf);
    ASSERT_NE(ptx, nullptr);
    ASSERT_NE(elf, nullptr);
    EXPECT_EQ(ptx->compression, GetParam().ptx);
    EXPECT_EQ(elf->compression, GetParam().elf);

    const auto text = ptx_text(*ptx);
    ASSERT_TRUE(text.ok()) << format(text.errors());
    EXPECT_EQ(without_layout(*text), without_layout(read_text(cuda_file("image.ptx"))));
    const auto code = decompress(*elf);
    ASSERT_TRUE(code.ok()) << format(code.errors());
    EXPECT_EQ(code->size(), elf->expanded_bytes);
    EXPECT_EQ(code->size(), cuda_bytes("image_sm_90.cubin").size());
}

INSTANTIATE_TEST_SUITE_P(
    Modes, EveryMode,
    testing::Values(Mode{"image_none.fatbin", Compression::none, Compression::none},
                    Mode{"image_speed.fatbin", Compression::lz4, Compression::none},
                    Mode{"image_balance.fatbin", Compression::zstd, Compression::none},
                    Mode{"image_size.fatbin", Compression::zstd, Compression::zstd}),
    [](const auto& mode) {
        const std::string file = mode.param.file;
        const auto start = file.find('_') + 1;
        return file.substr(start, file.find('.') - start);
    });

// A made-up size must fail before memory is spent on it.
TEST(Decompress, RefusesSizesThatCannotBe) {
    for (const char* file : {"image_speed.fatbin", "image_balance.fatbin"}) {
        const auto binaries = read_cuda_file(file);
        const Entry* ptx = entry_of(binaries, EntryKind::ptx);
        ASSERT_NE(ptx, nullptr);
        EXPECT_THAT(message_of(decompress(*ptx, ptx->expanded_bytes - 1)),
                    HasSubstr("is the most"));
        Entry lying = *ptx;
        lying.expanded_bytes = std::uint64_t{1} << 29;
        EXPECT_FALSE(decompress(lying).ok());
        lying.expanded_bytes = ptx->expanded_bytes - 1;
        EXPECT_FALSE(decompress(lying).ok());
        lying.expanded_bytes = ptx->expanded_bytes + 1;
        EXPECT_FALSE(decompress(lying).ok());
    }
}

TEST(Decompress, NamesCorruptData) {
    const auto binaries = read_cuda_file("image_balance.fatbin");
    const Entry* ptx = entry_of(binaries, EntryKind::ptx);
    ASSERT_NE(ptx, nullptr);
    std::vector<std::byte> bytes(ptx->payload.data.begin(), ptx->payload.data.end());
    Entry corrupt = *ptx;
    corrupt.payload.data = bytes;
    bytes[bytes.size() / 2] ^= std::byte{0xff};
    bytes[bytes.size() / 2 + 1] ^= std::byte{0xff};
    const auto damaged = decompress(corrupt);
    if (damaged.ok()) {
        // zstd frames of nvcc carry no checksum: damage in a literal goes through, but never
        // changes the size.
        EXPECT_EQ(damaged->size(), ptx->expanded_bytes);
    }
    bytes[0] ^= std::byte{0xff};
    EXPECT_THAT(message_of(decompress(corrupt)), HasSubstr("not a zstd frame"));
}

}  // namespace
}  // namespace wideload::image
