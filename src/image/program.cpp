// SPDX-License-Identifier: Apache-2.0
#include "image/program.h"

#include <fmt/format.h>

#include "image/archive.h"
#include "image/cubin.h"
#include "image/elf.h"
#include "image/mapped_file.h"
#include "image/ptx_header.h"

namespace wideload::image {
namespace {

using FatBinaries = std::vector<FatBinary>;

/// What the CUDA toolkit names the sections of host files.
constexpr std::string_view kSection = ".nv_fatbin";
constexpr std::string_view kRelocatableSection = "__nv_relfatbin";

Diagnostic no_cuda_code(const std::string& input) {
    return failure_in(
        input,
        fmt::format("holds no CUDA code: no section {} or {}", kSection, kRelocatableSection),
        "if a library of the program launches the kernels, name that library");
}

FatBinaries single_entry(const ByteRange& bytes, Entry entry) {
    entry.payload = bytes;
    entry.expanded_bytes = bytes.size();
    FatBinary binary;
    binary.name = bytes.input;
    binary.entries.push_back(std::move(entry));
    FatBinaries binaries;
    binaries.push_back(std::move(binary));
    return binaries;
}

FatBinaries from_ptx(const ByteRange& bytes, const PtxHeader& header) {
    Entry entry;
    entry.kind = EntryKind::ptx;
    entry.arch = header.arch;
    entry.suffix = header.suffix;
    entry.version_major = header.version_major;
    entry.version_minor = header.version_minor;
    return single_entry(bytes, std::move(entry));
}

FatBinaries from_cubin(const ByteRange& bytes, const Elf& elf) {
    Entry entry;
    entry.kind = EntryKind::elf;
    entry.arch = cubin_arch(elf);
    return single_entry(bytes, std::move(entry));
}

/// @returns none where a host file has no CUDA section
Result<FatBinaries> from_elf(const ByteRange& bytes) {
    const auto elf = read_elf(bytes);
    if (!elf) return elf.errors();
    if (elf->machine == kMachineCuda) return from_cubin(bytes, *elf);
    FatBinaries all;
    for (const ElfSection& section : elf->sections) {
        const bool relocatable = section.name == kRelocatableSection;
        if (!relocatable && section.name != kSection) continue;
        auto binaries = read_fat_binaries(section.contents);
        if (!binaries) return binaries.errors();
        for (FatBinary& binary : *binaries) {
            binary.relocatable = relocatable;
            all.push_back(std::move(binary));
        }
    }
    return all;
}

Result<FatBinaries> from_archive(const ByteRange& bytes) {
    const auto members = read_archive(bytes);
    if (!members) return members.errors();
    FatBinaries all;
    for (const ByteRange& member : *members) {
        if (!is_elf(member.data)) continue;
        auto binaries = from_elf(member);
        if (!binaries) return binaries.errors();
        for (FatBinary& binary : *binaries) all.push_back(std::move(binary));
    }
    return all;
}

Result<FatBinaries> read_range(const ByteRange& bytes) {
    if (is_fat_binary(bytes.data)) return read_fat_binaries(bytes);
    if (is_elf(bytes.data) || is_archive(bytes.data)) {
        auto binaries = is_elf(bytes.data) ? from_elf(bytes) : from_archive(bytes);
        if (binaries && binaries->empty()) return no_cuda_code(bytes.input);
        return binaries;
    }
    if (const auto header = read_ptx_header(as_text(bytes.data))) return from_ptx(bytes, *header);
    return failure_in(
        bytes.input, "not a program: neither ELF, a static library, a fat binary nor PTX",
        as_text(bytes.data).starts_with("#!") ? "this is a script: name the program that it starts"
                                              : "");
}

}  // namespace

Result<FatBinaries> read_bytes(std::span<const std::byte> bytes, std::string name) {
    return read_range(ByteRange{bytes, std::move(name)});
}

Result<FatBinaries> read_file(const std::filesystem::path& path) {
    const auto file = map_file(path);
    if (!file) return file.errors();
    auto binaries = read_bytes((*file)->bytes(), path.string());
    if (!binaries) return binaries;
    for (FatBinary& binary : *binaries) binary.storage = *file;
    return binaries;
}

}  // namespace wideload::image
