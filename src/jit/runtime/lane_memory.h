// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "jit/abi.h"
#include "jit/runtime/host.h"

/// How one lane's address reaches bytes of the host.
namespace wideload::jit {

[[nodiscard]] inline bool in_window(std::uint64_t address, std::uint64_t window) {
    return address - window < kWindowBytes;
}

/// Calls visit(lane) for each active lane.
template <class Visit>
inline void for_each_lane(std::uint32_t mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// The lanes whose generic address lies in a window; `offsets` gets where.
[[nodiscard]] inline std::uint32_t lanes_in_window(const std::uint64_t* addresses,
                                                   std::uint32_t mask, std::uint64_t window,
                                                   std::array<std::uint64_t, kLanes>& offsets) {
    std::uint32_t inside = 0;
    for_each_lane(mask, [&](unsigned lane) {
        if (!in_window(addresses[lane], window)) return;
        inside |= 1u << lane;
        offsets[lane] = addresses[lane] - window;
    });
    return inside;
}

/// 4-byte words of local memory are interleaved by lane; an access within one word is contiguous, a
/// wider one is not.
[[nodiscard]] inline std::byte* local_word(const BlockContext& block, std::uint32_t warp,
                                           unsigned lane, std::uint64_t offset) {
    return block.local + warp * block.local_stride + (offset / 4) * 4 * kLanes + lane * 4 +
           offset % 4;
}

/// Copies a lane's bytes out of, or into, its local memory.
void read_local(const BlockContext& block, std::uint32_t warp, unsigned lane, std::uint64_t offset,
                void* to, std::size_t bytes);
void write_local(const BlockContext& block, std::uint32_t warp, unsigned lane, std::uint64_t offset,
                 const void* from, std::size_t bytes);

/// The host's bytes behind [address, address + bytes) of shared, global or constant memory; null
/// where any is illegal.
[[nodiscard]] std::byte* find_bytes(BlockContext& block, std::uint64_t address, std::size_t bytes);

/// Reads through a generic address of one lane; false where it is illegal.
[[nodiscard]] bool read_generic(BlockContext& block, std::uint32_t warp, unsigned lane,
                                std::uint64_t address, void* to, std::size_t bytes);

/// Later requests of the site that lie in the range need no search.
inline void cache(const LegalRange& range, counters::SiteRow& row) {
    row.legal_begin = range.begin;
    row.legal_bytes = range.bytes;
    row.legal_displacement = static_cast<std::uint64_t>(range.displacement);
}

}  // namespace wideload::jit
