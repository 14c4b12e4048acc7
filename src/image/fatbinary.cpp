// SPDX-License-Identifier: Apache-2.0
#include "image/fatbinary.h"

#include <fmt/format.h>

#include <algorithm>

namespace wideload::image {
namespace {

// The layout is NVIDIA's and undocumented; it was read off the output of CUDA 13.0's tools.
constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint16_t kKindElf = 2;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagArchSpecific = 0x100000;
constexpr std::uint64_t kFlagFamilySpecific = 0x200000;
constexpr std::uint64_t kSmallestEntryHeader = 64;

/// The header of a fat binary and, in `payload`, its entries.
struct Container {
    std::uint64_t header_bytes = 0;
    std::uint64_t payload_bytes = 0;
};

Result<Container> read_container(const ByteRange& bytes) {
    ByteReader reader(bytes);
    const auto magic = reader.read<std::uint32_t>("fat binary header");
    reader.skip(2, "fat binary header");  // version: 1 since CUDA 4
    Container container;
    container.header_bytes = reader.read<std::uint16_t>("fat binary header");
    container.payload_bytes = reader.read<std::uint64_t>("fat binary header");
    if (!reader.ok()) return reader.error();
    if (magic != kFatBinaryMagic) {
        return bytes.error_at(0, fmt::format("{:#x} where a fat binary should start", magic));
    }
    if (container.header_bytes < kFatBinaryHeaderBytes) {
        return bytes.error_at(6, fmt::format("fat binary header of {} bytes, {} is the least",
                                             container.header_bytes, kFatBinaryHeaderBytes));
    }
    return container;
}

/// Where the entry header keeps two strings; offsets are from the entry's start, 0 for none.
struct StringPlaces {
    std::uint32_t options_place = 0;
    std::uint32_t name = 0, name_bytes = 0;
};

std::string text_at(const ByteRange& header, std::uint64_t offset, std::uint64_t bytes) {
    const auto text = header.slice(offset, bytes, "text");
    if (!text) return {};
    std::string_view view = as_text(text->data);
    view = view.substr(0, view.find('\0'));
    const auto start = view.find_first_not_of(' ');
    return start == view.npos
               ? ""
               : std::string(view.substr(start, view.find_last_not_of(' ') + 1 - start));
}

/// Both strings only inform; where their places make no sense they are left empty.
void read_strings(const ByteRange& header, const StringPlaces& places, Entry& entry) {
    if (places.name != 0) entry.object_name = text_at(header, places.name, places.name_bytes);
    if (places.options_place == 0) return;
    const auto place = header.slice(places.options_place, 8, "options");
    if (!place) return;
    ByteReader reader(*place);
    const auto offset = reader.read<std::uint32_t>("options");
    const auto bytes = reader.read<std::uint32_t>("options");
    entry.options = text_at(header, offset, bytes);
}

EntryKind kind_of(std::uint16_t kind) {
    if (kind == kKindPtx) return EntryKind::ptx;
    if (kind == kKindElf) return EntryKind::elf;
    return EntryKind::other;
}

Compression compression_of(std::uint64_t flags) {
    if ((flags & kFlagZstd) != 0) return Compression::zstd;
    if ((flags & kFlagLz4) != 0) return Compression::lz4;
    return Compression::none;
}

char suffix_of(std::uint64_t flags) {
    if ((flags & kFlagArchSpecific) != 0) return 'a';
    if ((flags & kFlagFamilySpecific) != 0) return 'f';
    return '\0';
}

/// @param rest from the entry's start to the container's end
/// @param[out] entry_bytes how far the next entry is
Result<Entry> read_entry(const ByteRange& rest, std::uint64_t& entry_bytes) {
    constexpr std::string_view kWhat = "fat binary entry";
    ByteReader reader(rest);
    Entry entry;
    entry.kind = kind_of(reader.read<std::uint16_t>(kWhat));
    reader.skip(2, kWhat);  // version of the entry's layout
    const std::uint64_t header_bytes = reader.read<std::uint32_t>(kWhat);
    const auto padded_bytes = reader.read<std::uint64_t>(kWhat);
    const std::uint64_t compressed_bytes = reader.read<std::uint32_t>(kWhat);
    StringPlaces places;
    places.options_place = reader.read<std::uint32_t>(kWhat);
    entry.version_minor = reader.read<std::uint16_t>(kWhat);
    entry.version_major = reader.read<std::uint16_t>(kWhat);
    entry.arch = reader.read<std::uint32_t>(kWhat);
    places.name = reader.read<std::uint32_t>(kWhat);
    places.name_bytes = reader.read<std::uint32_t>(kWhat);
    entry.flags = reader.read<std::uint64_t>(kWhat);
    reader.skip(8, kWhat);
    entry.expanded_bytes = reader.read<std::uint64_t>(kWhat);
    if (!reader.ok()) return reader.error();
    if (header_bytes < kSmallestEntryHeader) {
        return rest.error_at(4, fmt::format("entry header of {} bytes, {} is the least",
                                            header_bytes, kSmallestEntryHeader));
    }
    entry.compression = compression_of(entry.flags);
    entry.suffix = suffix_of(entry.flags);
    const auto header = rest.slice(0, header_bytes, "entry header");
    if (!header) return header.errors();
    read_strings(*header, places, entry);
    auto payload = rest.slice(header_bytes, padded_bytes, "entry payload");
    if (!payload) return payload.errors();
    entry_bytes = header_bytes + padded_bytes;
    if (entry.compression == Compression::none) {
        entry.expanded_bytes = padded_bytes;
    } else if (compressed_bytes != 0) {
        payload = payload->slice(0, compressed_bytes, "compressed payload");
        if (!payload) return payload.errors();
    }
    entry.payload = std::move(*payload);
    return entry;
}

Result<FatBinary> read_fat_binary(const ByteRange& bytes, const Container& container) {
    FatBinary binary;
    binary.name = fmt::format("{} at byte {:#x}", bytes.input, bytes.origin);
    std::uint64_t offset = container.header_bytes;
    while (offset < bytes.size()) {
        const auto rest = bytes.slice(offset, bytes.size() - offset, "fat binary entry");
        if (!rest) return rest.errors();
        std::uint64_t entry_bytes = 0;
        auto entry = read_entry(*rest, entry_bytes);
        if (!entry) return entry.errors();
        binary.entries.push_back(std::move(*entry));
        offset += entry_bytes;
    }
    return binary;
}

}  // namespace

std::string Entry::target_name() const {
    std::string name = fmt::format("{}_{}", kind == EntryKind::ptx ? "compute" : "sm", arch);
    if (suffix != '\0') name += suffix;
    return name;
}

bool is_fat_binary(std::span<const std::byte> bytes) {
    return bytes.size() >= sizeof kFatBinaryMagic &&
           std::memcmp(bytes.data(), &kFatBinaryMagic, sizeof kFatBinaryMagic) == 0;
}

Result<std::uint64_t> fat_binary_extent(const ByteRange& header) {
    const auto container = read_container(header);
    if (!container) return container.errors();
    if (container->payload_bytes > UINT64_MAX - container->header_bytes) {
        return header.error_at(8, "fat binary larger than memory");
    }
    return container->header_bytes + container->payload_bytes;
}

Result<std::vector<FatBinary>> read_fat_binaries(const ByteRange& bytes) {
    std::vector<FatBinary> binaries;
    std::uint64_t offset = 0;
    while (true) {
        // Alignment in the section is the linker's choice: whatever lies between two is zero.
        const auto next =
            std::find_if(bytes.data.begin() + static_cast<std::ptrdiff_t>(offset), bytes.data.end(),
                         [](std::byte b) { return b != std::byte{0}; });
        if (next == bytes.data.end()) return binaries;
        offset = static_cast<std::uint64_t>(next - bytes.data.begin());
        auto rest = bytes.slice(offset, bytes.size() - offset, "fat binary");
        if (!rest) return rest.errors();
        const auto container = read_container(*rest);
        if (!container) return container.errors();
        const auto extent = fat_binary_extent(*rest);
        if (!extent) return extent.errors();
        const auto whole = rest->slice(0, *extent, "fat binary");
        if (!whole) return whole.errors();
        auto binary = read_fat_binary(*whole, *container);
        if (!binary) return binary.errors();
        binaries.push_back(std::move(*binary));
        offset += *extent;
    }
}

}  // namespace wideload::image
