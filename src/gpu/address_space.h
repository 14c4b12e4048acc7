// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace wideload::gpu {

/// Hands out ranges of [begin, end). Fresh addresses come first and freed ones are used again only
/// when those have run out, so that a use after free is seen as one for as long as possible.
class AddressSpace {
public:
    AddressSpace(std::uint64_t begin, std::uint64_t end) : next_(begin), end_(end) {}

    /// A range of `bytes` at a multiple of `alignment` (a power of two).
    [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment);
    void give_back(std::uint64_t begin, std::uint64_t bytes);

private:
    [[nodiscard]] std::optional<std::uint64_t> take_freed(std::uint64_t bytes,
                                                          std::uint64_t alignment);

    std::uint64_t next_, end_;
    std::map<std::uint64_t, std::uint64_t> freed_;  ///< begin -> end; neighbours are merged
};

}  // namespace wideload::gpu
