// SPDX-License-Identifier: Apache-2.0
#include "gpu/allocation.h"

#include <fmt/format.h>

#include "gpu/memory.h"

namespace wideload::gpu {
namespace {

std::string count_of_bytes(std::int64_t bytes) {
    return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace

const char* describe(AllocationKind kind) {
    switch (kind) {
        case AllocationKind::device:
            return "device memory";
        case AllocationKind::managed:
            return "managed memory";
        case AllocationKind::pinned:
            return "pinned host memory";
        case AllocationKind::registered:
            return "registered host memory";
        case AllocationKind::module_variable:
            return "a device variable";
        case AllocationKind::managed_variable:
            return "a managed variable";
        case AllocationKind::heap:
            return "the kernels' heap";
        case AllocationKind::internal:
            return "the engine's memory";
    }
    return "memory";
}

std::string describe(const Allocation& allocation) {
    if (!allocation.name.empty()) {
        return fmt::format("`{}` ({} bytes at {:#x})", allocation.name, allocation.bytes,
                           allocation.begin);
    }
    return fmt::format("{} bytes of {} at {:#x} (allocation {})", allocation.bytes,
                       describe(allocation.kind), allocation.begin, allocation.serial);
}

std::string describe(const Memory::Neighbour& neighbour) {
    const std::string what = describe(neighbour.allocation);
    if (neighbour.distance < 0) {
        return fmt::format("{} before the begin of {}", count_of_bytes(-neighbour.distance), what);
    }
    if (neighbour.distance > 0) {
        return fmt::format("{} past the end of {}", count_of_bytes(neighbour.distance), what);
    }
    return neighbour.allocation.freed ? fmt::format("inside {}, which was freed", what)
                                      : fmt::format("inside {}", what);
}

}  // namespace wideload::gpu
