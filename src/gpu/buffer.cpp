// SPDX-License-Identifier: Apache-2.0
#include "gpu/buffer.h"

#include <sys/mman.h>

#include <algorithm>

namespace wideload::gpu {

namespace {
constexpr std::size_t kStep = std::size_t{64} << 10;
}  // namespace

Buffer::~Buffer() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
}

std::byte* Buffer::at_least(std::size_t bytes) {
    if (bytes <= bytes_ && data_ != nullptr) return data_;
    if (data_ != nullptr) ::munmap(data_, bytes_);
    bytes_ = (std::max<std::size_t>(bytes, 1) + kStep - 1) / kStep * kStep;
    void* fresh = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = fresh == MAP_FAILED ? nullptr : static_cast<std::byte*>(fresh);
    return data_;
}

}  // namespace wideload::gpu
