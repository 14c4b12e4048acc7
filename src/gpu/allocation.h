// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace wideload::gpu {

/// Who asked for a piece of memory, which decides what the host may do with it.
enum class AllocationKind : std::uint8_t {
    device,            ///< cudaMalloc and its kind: the host may not touch it
    managed,           ///< cudaMallocManaged
    pinned,            ///< cudaMallocHost, cudaHostAlloc
    registered,        ///< cudaHostRegister: the program's own pages, outside the arena
    module_variable,   ///< __device__ and __constant__ variables
    managed_variable,  ///< __managed__ variables
    heap,              ///< what kernels' malloc hands out pieces of
    internal,          ///< the engine's own: parameter buffers, local memory, ...
};

/// True where host code may read and write the allocation.
[[nodiscard]] constexpr bool host_visible(AllocationKind kind) {
    return kind == AllocationKind::managed || kind == AllocationKind::pinned ||
           kind == AllocationKind::registered || kind == AllocationKind::managed_variable;
}

/// "device memory", "managed memory", ... for diagnostics.
[[nodiscard]] const char* describe(AllocationKind kind);

/// One piece of memory that kernels may use: [begin, begin + bytes).
struct Allocation {
    std::uint64_t begin = 0;  ///< as the program and its kernels see it
    std::uint64_t bytes = 0;
    AllocationKind kind = AllocationKind::device;
    std::int64_t displacement = 0;  ///< the engine finds the bytes at begin + displacement
    bool freed = false;
    std::uint64_t serial = 0;  ///< 1 for the first allocation of the process
    std::string name;          ///< of a variable; empty for a plain allocation

    [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
    [[nodiscard]] bool contains(std::uint64_t address) const { return address - begin < bytes; }
};

}  // namespace wideload::gpu
