// SPDX-License-Identifier: Apache-2.0
#include "image/decompress.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

namespace wideload::image {
namespace {

/// Checks the size that the entry states before memory is spent on it.
Result<std::uint64_t> expanded_size(const Entry& entry, std::uint64_t most) {
    std::uint64_t bytes = entry.expanded_bytes;
    if (entry.compression == Compression::zstd) {
        const auto frame =
            ZSTD_getFrameContentSize(entry.payload.data.data(), entry.payload.size());
        if (frame == ZSTD_CONTENTSIZE_ERROR) {
            return entry.payload.error_at(0, "not a zstd frame");
        }
        if (frame != ZSTD_CONTENTSIZE_UNKNOWN && bytes == 0) bytes = frame;
        if (frame != ZSTD_CONTENTSIZE_UNKNOWN && frame != bytes) {
            return entry.payload.error_at(
                0, fmt::format("zstd frame of {} bytes, the entry says {}", frame, bytes));
        }
    }
    if (entry.compression == Compression::lz4) {
        constexpr std::uint64_t kBestRatio = 255;  // of the block format
        if (bytes / kBestRatio > entry.payload.size()) {
            return entry.payload.error_at(
                0, fmt::format("{} bytes of LZ4 cannot expand to {}", entry.payload.size(), bytes));
        }
    }
    if (bytes > most) {
        return entry.payload.error_at(
            0, fmt::format("entry expands to {} bytes, {} is the most", bytes, most));
    }
    return bytes;
}

Result<std::vector<std::byte>> expand_lz4(const Entry& entry, std::uint64_t bytes) {
    if (bytes > LZ4_MAX_INPUT_SIZE || entry.payload.size() > LZ4_MAX_INPUT_SIZE) {
        return entry.payload.error_at(0, "LZ4 block larger than the format allows");
    }
    std::vector<std::byte> expanded(bytes);
    const int written =
        LZ4_decompress_safe(reinterpret_cast<const char*>(entry.payload.data.data()),
                            reinterpret_cast<char*>(expanded.data()),
                            static_cast<int>(entry.payload.size()), static_cast<int>(bytes));
    if (written < 0) return entry.payload.error_at(0, "corrupt LZ4 data");
    if (static_cast<std::uint64_t>(written) != bytes) {
        return entry.payload.error_at(
            0, fmt::format("LZ4 data of {} bytes, the entry says {}", written, bytes));
    }
    return expanded;
}

Result<std::vector<std::byte>> expand_zstd(const Entry& entry, std::uint64_t bytes) {
    std::vector<std::byte> expanded(bytes);
    const std::size_t written = ZSTD_decompress(expanded.data(), expanded.size(),
                                                entry.payload.data.data(), entry.payload.size());
    if (ZSTD_isError(written) != 0) {
        return entry.payload.error_at(
            0, fmt::format("corrupt zstd data: {}", ZSTD_getErrorName(written)));
    }
    if (written != bytes) {
        return entry.payload.error_at(
            0, fmt::format("zstd data of {} bytes, the entry says {}", written, bytes));
    }
    return expanded;
}

}  // namespace

Result<std::vector<std::byte>> decompress(const Entry& entry, std::uint64_t most) {
    const auto bytes = expanded_size(entry, most);
    if (!bytes) return bytes.errors();
    switch (entry.compression) {
        case Compression::lz4:
            return expand_lz4(entry, *bytes);
        case Compression::zstd:
            return expand_zstd(entry, *bytes);
        case Compression::none:
            break;
    }
    return std::vector<std::byte>(entry.payload.data.begin(), entry.payload.data.end());
}

Result<std::string> ptx_text(const Entry& entry, std::uint64_t most) {
    auto bytes = decompress(entry, most);
    if (!bytes) return bytes.errors();
    std::string text(as_text(*bytes));
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
}

}  // namespace wideload::image
