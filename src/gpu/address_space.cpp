// SPDX-License-Identifier: Apache-2.0
#include "gpu/address_space.h"

#include <iterator>

namespace wideload::gpu {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace

std::optional<std::uint64_t> AddressSpace::take(std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t begin = round_up(next_, alignment);
    if (begin > end_ || bytes > end_ - begin) return take_freed(bytes, alignment);
    if (begin != next_) give_back(next_, begin - next_);
    next_ = begin + bytes;
    return begin;
}

std::optional<std::uint64_t> AddressSpace::take_freed(std::uint64_t bytes,
                                                      std::uint64_t alignment) {
    for (auto range = freed_.begin(); range != freed_.end(); ++range) {
        const auto [range_begin, range_end] = *range;
        const std::uint64_t begin = round_up(range_begin, alignment);
        if (begin >= range_end || bytes > range_end - begin) continue;
        freed_.erase(range);
        if (begin != range_begin) freed_.emplace(range_begin, begin);
        if (begin + bytes != range_end) freed_.emplace(begin + bytes, range_end);
        return begin;
    }
    return std::nullopt;
}

void AddressSpace::give_back(std::uint64_t begin, std::uint64_t bytes) {
    std::uint64_t end = begin + bytes;
    auto after = freed_.lower_bound(begin);
    if (after != freed_.end() && after->first == end) {
        end = after->second;
        after = freed_.erase(after);
    }
    if (after != freed_.begin()) {
        const auto before = std::prev(after);
        if (before->second == begin) {
            before->second = end;
            return;
        }
    }
    freed_.emplace_hint(after, begin, end);
}

}  // namespace wideload::gpu
