// SPDX-License-Identifier: Apache-2.0
#include "cli/program_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/exit_codes.h"
#include "image/elf.h"
#include "image/mapped_file.h"

namespace wideload::cli {
namespace {

namespace fs = std::filesystem;

/// ELF's numbers (System V ABI): e_ident[EI_CLASS] of 64-bit files, e_machine of x86-64.
constexpr std::size_t kClassOffset = 4;
constexpr std::byte kClass64{2};
constexpr std::uint16_t kMachineX8664 = 62;

bool is_script(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{'#'} && bytes[1] == std::byte{'!'};
}

bool has_symbol(const image::Elf& elf, std::uint32_t table_type, std::string_view name) {
    for (const image::ElfSection& section : elf.sections) {
        if (section.type != table_type) continue;
        const auto symbols = image::read_symbols(elf, section);
        if (!symbols) continue;
        if (std::ranges::find(*symbols, name, &image::ElfSymbol::name) != symbols->end())
            return true;
    }
    return false;
}

/// The runtime's entry points are found by name: imported, or in the symbol table that `strip`
/// removes.
bool hides_cuda_runtime(const image::Elf& elf) {
    const bool has_device_code =
        elf.section(".nv_fatbin") != nullptr || elf.section("__nv_relfatbin") != nullptr;
    static constexpr std::string_view kRegistration = "__cudaRegisterFatBinary";
    return has_device_code && !has_symbol(elf, image::kSectionDynamicSymbols, kRegistration) &&
           !has_symbol(elf, image::kSectionSymbolTable, kRegistration);
}

std::string elf_problem(const image::Elf& elf) {
    if (elf.machine != kMachineX8664) return "is built for another processor than x86-64";
    // Section headers are optional in a program; without them there is nothing to tell by.
    if (elf.sections.empty()) return {};
    if (elf.section(".interp") == nullptr) {
        return "is linked without a dynamic loader (-static), so that nothing can be preloaded "
               "into it; link it without "
               "-static";
    }
    if (hides_cuda_runtime(elf)) {
        return "holds the CUDA runtime in itself and was stripped, so that its calls cannot be "
               "found; build it without "
               "-s and strip, or with nvcc's -cudart=shared";
    }
    return {};
}

/// Permission to execute would not make a program of it.
bool is_cuda_source(const fs::path& path) {
    std::error_code error;
    return path.extension() == ".cu" && fs::is_regular_file(path, error);
}

std::string source_problem(const fs::path& path) {
    return fmt::format("is CUDA source, not a program; compile it: nvcc -lineinfo -o {} {}",
                       path.stem().string(), path.string());
}

std::string content_problem(const fs::path& path) {
    const auto file = image::map_file(path);
    if (!file)
        return {};  // execute permission without read permission: the kernel may still run it
    const std::span<const std::byte> bytes = (*file)->bytes();
    if (is_script(bytes)) return {};
    if (!image::is_elf(bytes)) {
        return is_cuda_source(path) ? source_problem(path)
                                    : "is not a program: neither an ELF file nor a script";
    }
    if (bytes.size() > kClassOffset && bytes[kClassOffset] != kClass64) {
        return "is a 32-bit program; CUDA has been 64-bit only since version 7";
    }
    const auto elf = image::read_elf({bytes, path.string(), 0});
    return elf ? elf_problem(*elf) : std::string{};  // the loader has the last word
}

bool is_executable_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::variant<fs::path, Refusal> find_program(const std::string& name) {
    std::error_code error;
    if (name.find('/') != std::string::npos) {
        if (!fs::exists(name, error)) return Refusal{kNotFound, "there is no file " + name};
        if (fs::is_directory(name, error)) return Refusal{kCannotRun, name + " is a folder"};
        if (!is_executable_file(name)) {
            return Refusal{kCannotRun,
                           name + ' ' +
                               (is_cuda_source(name) ? source_problem(name)
                                                     : "is not executable; chmod +x makes it so")};
        }
        return fs::path(name);
    }
    const char* path = std::getenv("PATH");
    std::string_view folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        fs::path candidate = fs::path(end == 0 ? "." : folders.substr(0, end)) / name;
        if (is_executable_file(candidate)) return candidate;
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    if (is_cuda_source(name)) return Refusal{kCannotRun, name + ' ' + source_problem(name)};
    const bool is_here = fs::is_regular_file(name, error);
    return Refusal{kNotFound, "there is no program '" + name + "' on PATH" +
                                  (is_here ? "; did you mean ./" + name + "?" : "")};
}

Refusal check_program(const fs::path& path) {
    const std::string problem = content_problem(path);
    if (problem.empty()) return {};
    return {kCannotRun, path.string() + ' ' + problem};
}

}  // namespace wideload::cli
