// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>

namespace wideload::preload {

/// An ELF file on disk, mapped to read its symbols: those of .symtab are in no loaded segment.
/// Whatever the file says is checked against its size before it is followed.
class ElfFile {
public:
    explicit ElfFile(const char* path);
    ~ElfFile();
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    /// False where it is no 64-bit ELF file with section headers.
    [[nodiscard]] bool valid() const { return sections_ != nullptr; }
    [[nodiscard]] bool has_section(const char* name) const;

    /// Calls visit(const Elf64_Sym&, const char* name) for the symbols of every section of the
    /// type.
    template <class Visitor>
    void each_symbol(std::uint32_t section_type, Visitor visit) const {
        for (std::size_t i = 0; i < section_count_; ++i) {
            const Elf64_Shdr& section = sections_[i];
            if (section.sh_type != section_type || section.sh_link >= section_count_) continue;
            const Elf64_Shdr& names = sections_[section.sh_link];
            if (!inside(section) || !inside(names) || section.sh_offset % alignof(Elf64_Sym) != 0)
                continue;
            const auto* symbols = reinterpret_cast<const Elf64_Sym*>(data_ + section.sh_offset);
            for (std::size_t s = 0; s < section.sh_size / sizeof(Elf64_Sym); ++s) {
                if (const char* name = string(names, symbols[s].st_name)) visit(symbols[s], name);
            }
        }
    }

private:
    [[nodiscard]] bool inside(const Elf64_Shdr& section) const;
    /// A terminated string of a string table, or null.
    [[nodiscard]] const char* string(const Elf64_Shdr& table, std::size_t offset) const;

    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
    const Elf64_Shdr* sections_ = nullptr;
    std::size_t section_count_ = 0;
    const Elf64_Shdr* section_names_ = nullptr;
};

}  // namespace wideload::preload
