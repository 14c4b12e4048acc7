// SPDX-License-Identifier: Apache-2.0
#include "image/registered.h"

#include <fmt/format.h>

#include "image/elf.h"
#include "image/program.h"

namespace wideload::image {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243B1;
constexpr std::uint32_t kWholeProgram = 1;
constexpr std::uint32_t kLinkedProgram = 2;

/// __fatBinC_Wrapper_t.
struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const void* data;
    const void* const*
        prelinked;  ///< version 2: ends with null; version 1: the name of a file that nothing reads
};

template <class T>
T load(const void* pointer) {
    T value;
    std::memcpy(&value, pointer, sizeof value);
    return value;
}

std::span<const std::byte> bytes_at(const void* pointer, std::uint64_t bytes) {
    return {static_cast<const std::byte*>(pointer), bytes};
}

Result<std::vector<FatBinary>> read_data(const void* data, const std::string& name) {
    if (data == nullptr) return failure_in(name, "registers no fat binary: null");
    const auto extent = fat_binary_extent({bytes_at(data, kFatBinaryHeaderBytes), name});
    if (!extent) return extent.errors();
    auto binaries = read_fat_binaries({bytes_at(data, *extent), name});
    if (!binaries) return binaries;
    // In memory there is no file whose bytes a place could count.
    for (FatBinary& binary : *binaries) binary.name = name;
    return binaries;
}

}  // namespace

Result<std::vector<FatBinary>> read_registered(const void* wrapper, const std::string& name) {
    if (wrapper == nullptr) return failure_in(name, "registers no fat binary: null");
    const auto header = load<Wrapper>(wrapper);
    if (header.magic != kWrapperMagic) {
        return failure_in(name,
                          fmt::format("registers a fat binary with magic {:#x}, {:#x} is expected",
                                      header.magic, kWrapperMagic));
    }
    if (header.version != kWholeProgram && header.version != kLinkedProgram) {
        return failure_in(
            name,
            fmt::format("registers a fat binary of version {}, 1 and 2 are known", header.version),
            "build it with CUDA 13 or older");
    }
    auto binaries = read_data(header.data, name);
    if (!binaries || header.version == kWholeProgram || header.prelinked == nullptr)
        return binaries;
    std::size_t number = 0;
    for (const void* const* object = header.prelinked; *object != nullptr; ++object) {
        auto relocatable = read_data(*object, fmt::format("{}, module {}", name, ++number));
        if (!relocatable) return relocatable;
        for (FatBinary& binary : *relocatable) {
            binary.relocatable = true;
            binaries->push_back(std::move(binary));
        }
    }
    return binaries;
}

Result<std::vector<FatBinary>> read_loaded(const void* image, std::string name) {
    if (image == nullptr) return failure_in(name, "no image: null");
    const auto magic = load<std::uint32_t>(image);
    if (magic == kWrapperMagic) return read_registered(image, name);
    if (magic == kFatBinaryMagic) return read_data(image, name);
    if (is_elf(bytes_at(image, sizeof magic))) {
        constexpr std::uint64_t kElfHeaderBytes = 64;
        const auto extent = elf_extent({bytes_at(image, kElfHeaderBytes), name});
        if (!extent) return extent.errors();
        return read_bytes(bytes_at(image, *extent), std::move(name));
    }
    return read_bytes(bytes_at(image, std::strlen(static_cast<const char*>(image))),
                      std::move(name));
}

}  // namespace wideload::image
