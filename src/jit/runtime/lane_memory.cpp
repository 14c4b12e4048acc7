// SPDX-License-Identifier: Apache-2.0
#include "jit/runtime/lane_memory.h"

#include <algorithm>
#include <cstring>

namespace wideload::jit {
namespace {

/// Calls visit(pointer, bytes) for each piece of a lane's local range that is contiguous in the
/// host's memory.
template <class Visit>
void for_each_piece(const BlockContext& block, std::uint32_t warp, unsigned lane,
                    std::uint64_t offset, std::size_t bytes, Visit visit) {
    while (bytes > 0) {
        const std::size_t piece = std::min<std::size_t>(bytes, 4 - offset % 4);
        visit(local_word(block, warp, lane, offset), piece);
        offset += piece;
        bytes -= piece;
    }
}

}  // namespace

void read_local(const BlockContext& block, std::uint32_t warp, unsigned lane, std::uint64_t offset,
                void* to, std::size_t bytes) {
    auto* out = static_cast<std::byte*>(to);
    for_each_piece(block, warp, lane, offset, bytes, [&](std::byte* piece, std::size_t size) {
        std::memcpy(out, piece, size);
        out += size;
    });
}

void write_local(const BlockContext& block, std::uint32_t warp, unsigned lane, std::uint64_t offset,
                 const void* from, std::size_t bytes) {
    const auto* in = static_cast<const std::byte*>(from);
    for_each_piece(block, warp, lane, offset, bytes, [&](std::byte* piece, std::size_t size) {
        std::memcpy(piece, in, size);
        in += size;
    });
}

std::byte* find_bytes(BlockContext& block, std::uint64_t address, std::size_t bytes) {
    if (in_window(address, kSharedWindow)) {
        const std::uint64_t offset = address - kSharedWindow;
        return offset + bytes <= block.shared_bytes ? block.shared + offset : nullptr;
    }
    LegalRange range;
    if (!host_of(block).find(address, range)) return nullptr;
    if (address - range.begin + bytes > range.bytes) return nullptr;
    return reinterpret_cast<std::byte*>(address + static_cast<std::uint64_t>(range.displacement));
}

bool read_generic(BlockContext& block, std::uint32_t warp, unsigned lane, std::uint64_t address,
                  void* to, std::size_t bytes) {
    if (in_window(address, kLocalWindow)) {
        const std::uint64_t offset = address - kLocalWindow;
        if (offset + bytes > block.local_bytes) return false;
        read_local(block, warp, lane, offset, to, bytes);
        return true;
    }
    if (in_window(address, kParameterWindow)) {
        const std::uint64_t offset = address - kParameterWindow;
        if (offset + bytes > block.parameter_bytes) return false;
        std::memcpy(to, block.parameters + offset, bytes);
        return true;
    }
    const std::byte* from = find_bytes(block, address, bytes);
    if (from == nullptr) return false;
    std::memcpy(to, from, bytes);
    return true;
}

}  // namespace wideload::jit
