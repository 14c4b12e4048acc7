// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "gpu/memory.h"

namespace wideload::gpu {

/// Device memory in which the blocks of a cooperative launch count their arrivals at grid barriers:
/// cooperative groups find it through %envreg1 and %envreg2
/// (cooperative_groups/details/driver_abi.h).
class GridWorkspace {
public:
    explicit GridWorkspace(Memory& memory)
        : memory_(memory),
          address_(memory.allocate(sizeof(Layout), AllocationKind::internal).value_or(0)) {
        if (address_ == 0) return;
        const Layout fresh{sizeof(Layout), 0};
        std::memcpy(memory.engine_pointer(address_), &fresh, sizeof fresh);
    }
    ~GridWorkspace() {
        if (address_ != 0) memory_.free(address_);
    }
    GridWorkspace(const GridWorkspace&) = delete;
    GridWorkspace& operator=(const GridWorkspace&) = delete;

    /// 0 where there was no memory.
    [[nodiscard]] std::uint64_t address() const { return address_; }

private:
    struct Layout {
        std::uint32_t bytes;
        std::uint32_t barrier;
    };

    Memory& memory_;
    std::uint64_t address_;
};

}  // namespace wideload::gpu
