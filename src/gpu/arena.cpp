// SPDX-License-Identifier: Apache-2.0
#include "gpu/arena.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace wideload::gpu {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kHugePageBytes = 2u << 20;
constexpr std::uint64_t kLeastHalfBytes = 256u << 20;

/// A mapping of the whole file, or 0. Its begin is a multiple of a power of two that is no less
/// than its size: how addresses within it differ, by which atomics are priced, is the same in every
/// run.
std::uint64_t map_aligned(int file, std::uint64_t bytes, int protection) {
    const std::uint64_t alignment = std::bit_ceil(bytes);
    void* reserved = mmap(nullptr, bytes + alignment, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return 0;
    const auto start = reinterpret_cast<std::uint64_t>(reserved);
    const std::uint64_t aligned = (start + alignment - 1) & ~(alignment - 1);
    if (aligned != start) munmap(reserved, aligned - start);
    const std::uint64_t tail = start + alignment - aligned;
    if (tail != 0) munmap(reinterpret_cast<void*>(aligned + bytes), tail);
    void* address = reinterpret_cast<void*>(aligned);
    if (mmap(address, bytes, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0) ==
        MAP_FAILED) {
        munmap(address, bytes);
        return 0;
    }
    madvise(address, bytes, MADV_DONTFORK);
    madvise(address, bytes, MADV_DONTDUMP);
    return aligned;
}

}  // namespace

Result<std::unique_ptr<Arena>> Arena::create(std::uint64_t bytes) {
    const int file = memfd_create("wideload-gpu-memory", MFD_CLOEXEC);
    if (file < 0) {
        return failure(fmt::format("cannot create the GPU's memory: {}", std::strerror(errno)));
    }
    std::uint64_t half = (bytes + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
    for (; half >= kLeastHalfBytes; half = half / 2 & ~(kHugePageBytes - 1)) {
        std::unique_ptr<Arena> arena(new Arena(dup(file), half));
        if (arena->map()) {
            close(file);
            return arena;
        }
    }
    const int error = errno;
    close(file);
    return failure(
        fmt::format("cannot reserve address space for the GPU's memory: {}", std::strerror(error)),
        "raise the limit of `ulimit -v`");
}

bool Arena::map() {
    const std::uint64_t bytes = 2 * half_bytes_;
    if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) return false;
    program_view_ = map_aligned(file_, bytes, PROT_NONE);
    if (program_view_ == 0) return false;
    engine_view_ = map_aligned(file_, bytes, PROT_READ | PROT_WRITE);
    if (engine_view_ == 0) return false;
    return mprotect(reinterpret_cast<void*>(host_visible_begin()), half_bytes_,
                    PROT_READ | PROT_WRITE) == 0;
}

Arena::~Arena() {
    if (program_view_ != 0) munmap(reinterpret_cast<void*>(program_view_), 2 * half_bytes_);
    if (engine_view_ != 0) munmap(reinterpret_cast<void*>(engine_view_), 2 * half_bytes_);
    if (file_ >= 0) close(file_);
}

void Arena::release_pages(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t first = (address - begin()) & ~(kPageBytes - 1);
    const std::uint64_t last = (address - begin() + bytes + kPageBytes - 1) & ~(kPageBytes - 1);
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
              static_cast<off_t>(last - first));
}

std::uint64_t Arena::resident_bytes() const {
    struct stat status{};
    if (fstat(file_, &status) != 0) return 0;
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

}  // namespace wideload::gpu
