// SPDX-License-Identifier: Apache-2.0
#include "preload/redirect.h"

#include <sys/mman.h>

#include <cstring>

namespace wideload::preload {
namespace {

constexpr std::uintptr_t kPageBytes = 4096;

}  // namespace

bool redirect(std::uintptr_t address, const void* target) {
    const std::uintptr_t first = address & ~(kPageBytes - 1);
    const std::uintptr_t last = (address + kJumpBytes + kPageBytes - 1) & ~(kPageBytes - 1);
    void* pages = reinterpret_cast<void*>(first);
    if (mprotect(pages, last - first, PROT_READ | PROT_WRITE) != 0) return false;
    // jmp *(%rip), with the target right behind.
    unsigned char jump[kJumpBytes] = {0xff, 0x25, 0, 0, 0, 0};
    std::memcpy(jump + 6, &target, sizeof target);
    std::memcpy(reinterpret_cast<void*>(address), jump, sizeof jump);
    return mprotect(pages, last - first, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace wideload::preload
