// SPDX-License-Identifier: Apache-2.0
#include "preload/elf_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace wideload::preload {

ElfFile::ElfFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(Elf64_Ehdr))) {
        const auto bytes = static_cast<std::size_t>(status.st_size);
        void* data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (data != MAP_FAILED) {
            data_ = static_cast<const std::uint8_t*>(data);
            size_ = bytes;
        }
    }
    close(file);
    if (data_ == nullptr) return;

    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(data_);
    if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr))
        return;
    const std::size_t table_bytes = header->e_shnum * sizeof(Elf64_Shdr);
    if (header->e_shoff % alignof(Elf64_Shdr) != 0 || header->e_shoff > size_) return;
    if (table_bytes > size_ - header->e_shoff || header->e_shstrndx >= header->e_shnum) return;
    sections_ = reinterpret_cast<const Elf64_Shdr*>(data_ + header->e_shoff);
    section_count_ = header->e_shnum;
    section_names_ = &sections_[header->e_shstrndx];
}

ElfFile::~ElfFile() {
    if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_);
}

bool ElfFile::inside(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS) return false;
    return section.sh_offset <= size_ && section.sh_size <= size_ - section.sh_offset;
}

const char* ElfFile::string(const Elf64_Shdr& table, std::size_t offset) const {
    if (offset >= table.sh_size) return nullptr;
    const auto* text = reinterpret_cast<const char*>(data_ + table.sh_offset + offset);
    return std::memchr(text, '\0', table.sh_size - offset) != nullptr ? text : nullptr;
}

bool ElfFile::has_section(const char* name) const {
    if (!valid() || !inside(*section_names_)) return false;
    for (std::size_t i = 0; i < section_count_; ++i) {
        const char* own = string(*section_names_, sections_[i].sh_name);
        if (own != nullptr && std::strcmp(own, name) == 0) return true;
    }
    return false;
}

}  // namespace wideload::preload
