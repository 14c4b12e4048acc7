// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace wideload::gpu {

/// Memory that grows and is kept, aligned to cache lines; contents are undefined after growing.
class Buffer {
public:
    ~Buffer();
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    /// @return null where the host has no memory left
    std::byte* at_least(std::size_t bytes);

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace wideload::gpu
