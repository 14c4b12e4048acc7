// SPDX-License-Identifier: Apache-2.0
#include "image/elf.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "cuda_files.h"

namespace wideload::image {
namespace {

using testing::HasSubstr;

const ElfSection* table_of(const Elf& elf, std::uint32_t type) {
    const auto found = std::ranges::find(elf.sections, type, &ElfSection::type);
    return found == elf.sections.end() ? nullptr : &*found;
}

const ElfSymbol* find_symbol(const std::vector<ElfSymbol>& symbols, std::string_view name) {
    const auto found = std::ranges::find(symbols, name, &ElfSymbol::name);
    return found == symbols.end() ? nullptr : &*found;
}

// The static runtime's functions are found by name in .symtab: redirection depends on it.
TEST(Elf, FindsTheStaticRuntimeInTheSymbolTable) {
    const auto bytes = cuda_bytes("image_static_runtime");
    const auto elf = read_elf({bytes, "app"});
    ASSERT_TRUE(elf.ok()) << format(elf.errors());
    const ElfSection* table = table_of(*elf, kSectionSymbolTable);
    ASSERT_NE(table, nullptr);
    const auto symbols = read_symbols(*elf, *table);
    ASSERT_TRUE(symbols.ok()) << format(symbols.errors());
    for (const char* name : {"cudaMalloc", "__cudaRegisterFatBinary", "main"}) {
        const ElfSymbol* symbol = find_symbol(*symbols, name);
        ASSERT_NE(symbol, nullptr) << name;
        EXPECT_EQ(symbol->type, kSymbolFunction);
        ASSERT_LT(symbol->section, elf->sections.size());
        EXPECT_EQ(elf->sections[symbol->section].name, ".text");
    }
}

// With the shared runtime the same names are undefined, in the dynamic table.
TEST(Elf, FindsUndefinedDynamicSymbols) {
    const auto bytes = cuda_bytes("image_shared_runtime");
    const auto elf = read_elf({bytes, "app"});
    ASSERT_TRUE(elf.ok()) << format(elf.errors());
    const ElfSection* table = table_of(*elf, kSectionDynamicSymbols);
    ASSERT_NE(table, nullptr);
    const auto symbols = read_symbols(*elf, *table);
    ASSERT_TRUE(symbols.ok()) << format(symbols.errors());
    const ElfSymbol* registration = find_symbol(*symbols, "__cudaRegisterFatBinary");
    ASSERT_NE(registration, nullptr);
    EXPECT_EQ(registration->section, 0u);
}

TEST(Elf, SectionsWithoutBytesInTheFileHaveASizeAndNoContents) {
    const auto bytes = cuda_bytes("image_sm_80.cubin");
    const auto elf = read_elf({bytes, "cubin"});
    ASSERT_TRUE(elf.ok()) << format(elf.errors());
    EXPECT_EQ(elf->machine, kMachineCuda);
    const ElfSection* shared = elf->section(".nv.shared._Z5scalePKfPfi");
    ASSERT_NE(shared, nullptr);
    EXPECT_EQ(shared->bytes, 256 * sizeof(float));
    EXPECT_EQ(shared->contents.size(), 0u);
}

// nvcc writes the section headers last: any cut removes some of them.
TEST(Elf, EveryTruncationIsAnErrorWithAnOffset) {
    const auto whole = cuda_bytes("image_relocatable.o");
    for (std::size_t size = 4; size < whole.size(); ++size) {
        const auto result = read_elf({std::span(whole).first(size), "cut"});
        ASSERT_FALSE(result.ok()) << size;
        ASSERT_THAT(message_of(result), HasSubstr("(at byte 0x")) << size;
    }
}

TEST(Elf, OtherClassesAreNamed) {
    auto bytes = cuda_bytes("image_relocatable.o");
    bytes[4] = std::byte{1};
    EXPECT_THAT(message_of(read_elf({bytes, "elf32"})),
                HasSubstr("not a 64-bit little-endian ELF file"));
}

TEST(Elf, ExtentReachesTheEndOfACubin) {
    for (const char* file : {"image_sm_75.cubin", "image_sm_90.cubin", "image_sm_120.cubin"}) {
        const auto bytes = cuda_bytes(file);
        const auto extent = elf_extent({std::span(bytes).first(64), file});
        ASSERT_TRUE(extent.ok());
        EXPECT_EQ(*extent, bytes.size()) << file;
    }
}

}  // namespace
}  // namespace wideload::image
