// SPDX-License-Identifier: Apache-2.0
#include "image/elf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wideload::image {
namespace {

constexpr std::array<std::uint8_t, 4> kElfMagic = {0x7f, 'E', 'L', 'F'};
constexpr std::uint8_t kClass64 = 2;
constexpr std::uint8_t kLittleEndian = 1;
constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::uint64_t kSectionHeaderBytes = 64;
constexpr std::uint64_t kProgramHeaderBytes = 56;
constexpr std::uint64_t kSymbolBytes = 24;
constexpr std::uint16_t kNamesInFirstSection = 0xffff;

struct Header {
    std::uint16_t type, machine;
    std::uint8_t abi_version;
    std::uint64_t program_headers, section_headers;
    std::uint32_t flags;
    std::uint16_t program_header_count;
    std::uint64_t section_count;
    std::uint32_t names_section;
};

/// Section header as it stands in the file.
struct RawSection {
    std::uint32_t name, type;
    std::uint64_t flags, address, offset, bytes;
    std::uint32_t link, info;
};

Result<Header> read_header(const ByteRange& file) {
    if (!is_elf(file.data)) return file.error_at(0, "not an ELF file");
    ByteReader reader(file);
    reader.skip(4, "ELF header");
    const auto elf_class = reader.read<std::uint8_t>("ELF header");
    const auto encoding = reader.read<std::uint8_t>("ELF header");
    reader.skip(2, "ELF header");
    Header header{};
    header.abi_version = reader.read<std::uint8_t>("ELF header");
    reader.skip(7, "ELF header");
    header.type = reader.read<std::uint16_t>("ELF header");
    header.machine = reader.read<std::uint16_t>("ELF header");
    reader.skip(12, "ELF header");  // version, entry point
    header.program_headers = reader.read<std::uint64_t>("ELF header");
    header.section_headers = reader.read<std::uint64_t>("ELF header");
    header.flags = reader.read<std::uint32_t>("ELF header");
    reader.skip(4, "ELF header");  // sizes of this header and of a program header
    header.program_header_count = reader.read<std::uint16_t>("ELF header");
    const auto section_header_bytes = reader.read<std::uint16_t>("ELF header");
    header.section_count = reader.read<std::uint16_t>("ELF header");
    header.names_section = reader.read<std::uint16_t>("ELF header");
    if (!reader.ok()) return reader.error();
    if (elf_class != kClass64 || encoding != kLittleEndian) {
        return file.error_at(4, "not a 64-bit little-endian ELF file");
    }
    if (header.section_headers != 0 && section_header_bytes != kSectionHeaderBytes) {
        return file.error_at(58, fmt::format("section headers of {} bytes, {} are expected",
                                             section_header_bytes, kSectionHeaderBytes));
    }
    return header;
}

Result<RawSection> read_section_header(const ByteRange& file, std::uint64_t offset) {
    auto bytes = file.slice(offset, kSectionHeaderBytes, "section header");
    if (!bytes) return bytes.errors();
    ByteReader reader(*bytes);
    RawSection raw{};
    raw.name = reader.read<std::uint32_t>("section header");
    raw.type = reader.read<std::uint32_t>("section header");
    raw.flags = reader.read<std::uint64_t>("section header");
    raw.address = reader.read<std::uint64_t>("section header");
    raw.offset = reader.read<std::uint64_t>("section header");
    raw.bytes = reader.read<std::uint64_t>("section header");
    raw.link = reader.read<std::uint32_t>("section header");
    raw.info = reader.read<std::uint32_t>("section header");
    if (!reader.ok()) return reader.error();
    return raw;
}

/// Counts that do not fit the header's 16 bits stand in the first section header.
Diagnostics widen_counts(const ByteRange& file, Header& header) {
    const bool count_is_elsewhere = header.section_count == 0;
    const bool names_are_elsewhere = header.names_section == kNamesInFirstSection;
    if (!count_is_elsewhere && !names_are_elsewhere) return {};
    auto first = read_section_header(file, header.section_headers);
    if (!first) return first.errors();
    if (count_is_elsewhere) header.section_count = first->bytes;
    if (names_are_elsewhere) header.names_section = first->link;
    return {};
}

/// The whole table at once, so that a made-up count fails before anything is allocated for it.
Result<std::vector<RawSection>> read_section_headers(const ByteRange& file, Header& header) {
    if (header.section_headers == 0) return std::vector<RawSection>{};
    if (Diagnostics errors = widen_counts(file, header); !errors.empty()) return errors;
    const std::uint64_t most = file.size() / kSectionHeaderBytes;
    if (header.section_count > most) {
        return file.error_at(
            60, fmt::format("{} sections, the file has room for {}", header.section_count, most));
    }
    std::vector<RawSection> sections;
    sections.reserve(header.section_count);
    if (auto table = file.slice(header.section_headers, header.section_count * kSectionHeaderBytes,
                                "section header table");
        !table) {
        return table.errors();
    }
    for (std::uint64_t i = 0; i < header.section_count; ++i) {
        auto raw = read_section_header(file, header.section_headers + i * kSectionHeaderBytes);
        if (!raw) return raw.errors();
        sections.push_back(*raw);
    }
    return sections;
}

Result<ByteRange> contents_of(const ByteRange& file, const RawSection& raw, std::string_view what) {
    const bool in_file = raw.type != kSectionNoBits && raw.type != 0;
    return in_file ? file.slice(raw.offset, raw.bytes, what)
                   : ByteRange{{}, file.input, file.origin};
}

}  // namespace

bool is_elf(std::span<const std::byte> bytes) {
    return bytes.size() >= kElfMagic.size() &&
           std::memcmp(bytes.data(), kElfMagic.data(), kElfMagic.size()) == 0;
}

const ElfSection* Elf::section(std::string_view name) const {
    const auto found = std::ranges::find(sections, name, &ElfSection::name);
    return found == sections.end() ? nullptr : &*found;
}

Result<Elf> read_elf(const ByteRange& file) {
    auto header = read_header(file);
    if (!header) return header.errors();
    auto raw_sections = read_section_headers(file, *header);
    if (!raw_sections) return raw_sections.errors();

    Elf elf{header->type, header->machine, header->abi_version, header->flags, {}};
    if (raw_sections->empty()) return elf;
    if (header->names_section >= raw_sections->size()) {
        return file.error_at(62, fmt::format("section names in section {}, there are {}",
                                             header->names_section, raw_sections->size()));
    }
    const auto names = contents_of(file, (*raw_sections)[header->names_section], "section names");
    if (!names) return names.errors();

    for (const RawSection& raw : *raw_sections) {
        const auto name = names->terminated_string(raw.name, "section name");
        if (!name) return name.errors();
        const auto contents = contents_of(file, raw, fmt::format("section {}", *name));
        if (!contents) return contents.errors();
        elf.sections.push_back(
            {*name, raw.type, raw.address, raw.bytes, raw.link, raw.info, *contents});
    }
    return elf;
}

Result<std::vector<ElfSymbol>> read_symbols(const Elf& elf, const ElfSection& table) {
    if (table.link >= elf.sections.size()) {
        return table.contents.error_at(0, fmt::format("symbol names in section {}, there are {}",
                                                      table.link, elf.sections.size()));
    }
    const ByteRange& names = elf.sections[table.link].contents;
    std::vector<ElfSymbol> symbols;
    symbols.reserve(table.contents.size() / kSymbolBytes);
    ByteReader reader(table.contents);
    while (!reader.at_end()) {
        const auto name_offset = reader.read<std::uint32_t>("symbol");
        const auto info = reader.read<std::uint8_t>("symbol");
        ElfSymbol symbol;
        symbol.type = info & 0xf;
        symbol.binding = info >> 4;
        symbol.other = reader.read<std::uint8_t>("symbol");
        symbol.section = reader.read<std::uint16_t>("symbol");
        symbol.value = reader.read<std::uint64_t>("symbol");
        symbol.bytes = reader.read<std::uint64_t>("symbol");
        if (!reader.ok()) return reader.error();
        const auto name = names.terminated_string(name_offset, "symbol name");
        if (!name) return name.errors();
        symbol.name = *name;
        symbols.push_back(symbol);
    }
    return symbols;
}

Result<std::uint64_t> elf_extent(const ByteRange& header_bytes) {
    auto header = read_header(header_bytes);
    if (!header) return header.errors();
    // The tables are the last parts of what NVIDIA's and LLVM's tools write; a section behind them
    // would be cut off and reported as such.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    if (header->section_headers > kMost || header->program_headers > kMost) {
        return header_bytes.error_at(32, "header tables lie beyond any real file");
    }
    const std::uint64_t sections_end =
        header->section_headers + header->section_count * kSectionHeaderBytes;
    const std::uint64_t programs_end =
        header->program_headers + header->program_header_count * kProgramHeaderBytes;
    return std::max({kHeaderBytes, sections_end, programs_end});
}

}  // namespace wideload::image
