// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"

namespace wideload::image {

enum class EntryKind : std::uint8_t {
    ptx,
    elf,    ///< a cubin: machine code
    other,  ///< LTO intermediate code, and whatever else later toolkits add
};

enum class Compression : std::uint8_t { none, lz4, zstd };

/// One entry of a fat binary. Its payload is expanded by decompress() (image/decompress.h), only
/// when it is asked for.
struct Entry {
    EntryKind kind = EntryKind::other;
    std::uint32_t arch = 0;  ///< 90 for compute_90 and sm_90
    char suffix = '\0';      ///< 'a' of sm_90a (this GPU only), 'f' of sm_100f (its family), or NUL
    std::uint16_t version_major = 0;  ///< of PTX: its ISA version, 9.0
    std::uint16_t version_minor = 0;
    std::uint64_t flags = 0;
    Compression compression = Compression::none;
    std::uint64_t expanded_bytes =
        0;              ///< of the payload after decompression; 0 where the header does not say
    ByteRange payload;  ///< without padding where the header tells how much there is
    std::string object_name;  ///< source file; only debug builds name it
    std::string options;      ///< of the compiler that a driver would call: "--compile-only"

    /// "compute_90a" or "sm_90", as nvcc's options name it.
    [[nodiscard]] std::string target_name() const;
};

/// What one translation unit embeds: the same code for several GPUs.
struct FatBinary {
    std::string name;  ///< for messages: "./app: .nv_fatbin at byte 0x8f620"
    bool relocatable =
        false;  ///< its functions and variables are linked with those of others (nvcc -rdc=true)
    std::vector<Entry> entries;
    std::shared_ptr<const void>
        storage;  ///< keeps the payloads' bytes alive; null where the caller owns them
};

inline constexpr std::uint32_t kFatBinaryMagic = 0xBA55ED50;
inline constexpr std::uint64_t kFatBinaryHeaderBytes = 16;

[[nodiscard]] bool is_fat_binary(std::span<const std::byte> bytes);

/// Bytes of header and payload together, from the header.
/// @param header at least the first kFatBinaryHeaderBytes bytes
[[nodiscard]] Result<std::uint64_t> fat_binary_extent(const ByteRange& header);

/// Reads the fat binaries that lie one behind the other in a section or a file, with zeros between
/// them.
[[nodiscard]] Result<std::vector<FatBinary>> read_fat_binaries(const ByteRange& bytes);

}  // namespace wideload::image
