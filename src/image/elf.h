// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"

namespace wideload::image {

/// ELF's numbers for what this project reads (System V ABI; CUDA's from LLVM's BinaryFormat/ELF.h).
inline constexpr std::uint16_t kMachineCuda = 190;
inline constexpr std::uint32_t kSectionSymbolTable = 2;
inline constexpr std::uint32_t kSectionNoBits = 8;
inline constexpr std::uint32_t kSectionDynamicSymbols = 11;
inline constexpr std::uint8_t kSymbolFunction = 2;

struct ElfSection {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< in memory; `contents` is empty where the file holds none of them
    std::uint32_t link = 0;
    std::uint32_t info = 0;
    ByteRange contents;
};

struct ElfSymbol {
    std::string_view name;
    std::uint64_t value = 0;
    std::uint64_t bytes = 0;
    std::uint8_t type = 0;
    std::uint8_t binding = 0;
    std::uint8_t other = 0;
    std::uint16_t section = 0;
};

/// A little-endian ELF64 file: executable, shared object, relocatable file or cubin. Names and
/// contents refer to the bytes it was read from.
struct Elf {
    std::uint16_t type = 0;
    std::uint16_t machine = 0;
    std::uint8_t abi_version = 0;
    std::uint32_t flags = 0;
    std::vector<ElfSection> sections;

    /// @returns the first of that name, or null
    [[nodiscard]] const ElfSection* section(std::string_view name) const;
};

[[nodiscard]] bool is_elf(std::span<const std::byte> bytes);

[[nodiscard]] Result<Elf> read_elf(const ByteRange& file);

/// All symbols of a table (kSectionSymbolTable or kSectionDynamicSymbols), by index: the first is
/// the empty one.
[[nodiscard]] Result<std::vector<ElfSymbol>> read_symbols(const Elf& elf, const ElfSection& table);

/// How many bytes an ELF image in memory has, from its headers; for images that are given by a
/// pointer alone.
/// @param header the first 64 bytes
[[nodiscard]] Result<std::uint64_t> elf_extent(const ByteRange& header);

}  // namespace wideload::image
