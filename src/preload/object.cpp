// SPDX-License-Identifier: Apache-2.0
#include "preload/object.h"

#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "preload/elf_file.h"
#include "preload/entry_points.h"
#include "preload/message.h"
#include "preload/redirect.h"
#include "preload/vendor_libraries.h"

namespace wideload::preload {
namespace {

bool starts_with(const char* text, const char* prefix) {
    return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

bool is_own_library(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return starts_with(slash != nullptr ? slash + 1 : path, "libwideload-");
}

bool is_function(const Elf64_Sym& symbol) {
    return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value != 0;
}

bool has_room_for_jump(const Elf64_Sym& symbol) {
    return symbol.st_size >= kJumpBytes || symbol.st_value % 16 == 0;
}

/// What a symbol table says of the runtime in an object.
struct RuntimeSymbols {
    struct Found {
        const EntryPoint* entry_point;
        std::uintptr_t address;
    };
    Found found[512];
    std::size_t count = 0;
    bool of_cuda_12 = false;
    bool imports_runtime = false;

    void see(const Elf64_Sym& symbol, const char* name) {
        if (!starts_with(name, "cuda") && !starts_with(name, "__cuda")) return;
        if (symbol.st_shndx == SHN_UNDEF) {
            imports_runtime |= starts_with(name, "__cudaRegisterFatBinary");
            return;
        }
        if (!is_function(symbol) || count == sizeof found / sizeof *found) return;
        // CUDA 13 gave the name without a suffix to the new structure.
        of_cuda_12 |= std::strcmp(name, "cudaGetDeviceProperties_v2") == 0;
        if (!has_room_for_jump(symbol)) return;
        if (const EntryPoint* entry_point = find_entry_point(name)) {
            found[count++] = {entry_point, symbol.st_value};
        }
    }
};

void redirect_all(const RuntimeSymbols& symbols, std::uintptr_t base, const char* name) {
    for (std::size_t i = 0; i < symbols.count; ++i) {
        const EntryPoint& entry_point = *symbols.found[i].entry_point;
        const void* target = symbols.of_cuda_12 ? entry_point.entry_12 : entry_point.entry;
        if (!redirect(base + symbols.found[i].address, target)) {
            tell("cannot redirect the CUDA runtime in ", name,
                 ": its code cannot be made writable");
            _exit(kExitCannotRun);
        }
    }
}

void refuse_stripped_program(const char* path) {
    tell(path,
         " was linked with the static CUDA runtime and then stripped, so its CUDA calls cannot be "
         "found: ",
         "link it without -s and do not run strip on it, or build it with nvcc -cudart shared");
    _exit(kExitCannotRun);
}

void warn_of_stripped_library(const char* path) {
    tell(path,
         " was linked with the static CUDA runtime and then stripped: its kernels are not seen; ",
         "do not strip it, or build it with nvcc -cudart shared");
}

}  // namespace

void prepare_object(std::uintptr_t base, const char* path) {
    const bool is_program = *path == '\0';
    if (is_own_library(path)) return;
    const ElfFile file(is_program ? "/proc/self/exe" : path);
    if (!file.valid()) return;
    if (const VendorLibrary* library = find_vendor_library(path)) {
        file.each_symbol(SHT_DYNSYM, [&](const Elf64_Sym& symbol, const char* name) {
            if (symbol.st_shndx == SHN_UNDEF || !is_function(symbol)) return;
            if (has_room_for_jump(symbol))
                redirect_vendor_function(*library, name, base + symbol.st_value);
        });
        return;
    }
    static RuntimeSymbols symbols;  // large, and the loader's lock is held
    symbols.count = 0;
    symbols.of_cuda_12 = symbols.imports_runtime = false;
    const auto see = [](const Elf64_Sym& symbol, const char* name) { symbols.see(symbol, name); };
    file.each_symbol(SHT_SYMTAB, see);
    if (symbols.count == 0) file.each_symbol(SHT_DYNSYM, see);
    if (symbols.count != 0) {
        redirect_all(symbols, base, is_program ? "the program" : path);
    } else if (!symbols.imports_runtime && file.has_section(".nv_fatbin")) {
        is_program ? refuse_stripped_program("the program") : warn_of_stripped_library(path);
    }
}

}  // namespace wideload::preload
