// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "support/result.h"

namespace wideload::image {

/// A file's bytes, mapped read-only: libraries with device code reach gigabytes, of which little is
/// read.
class MappedFile {
public:
    MappedFile(const void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::span<const std::byte> bytes() const {
        return {static_cast<const std::byte*>(data_), bytes_};
    }

private:
    const void* data_;
    std::size_t bytes_;
};

/// Errors: no such file, not readable, not a regular file.
[[nodiscard]] Result<std::shared_ptr<const MappedFile>> map_file(const std::filesystem::path& path);

}  // namespace wideload::image
