// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wideload::counters {

/// Which of the first-level cache's four queues serves the atomics on a line: two parities of the
/// address' bits 7 to 36. Found on an H200 with pairs of lines that differ in one bit; of bit 36
/// only together with 37, 2^37 bytes being the most that could be allocated there. Whether two
/// lines share a queue depends only on the bits in which they differ, not on where the memory lies.
inline constexpr std::uint64_t kAtomicQueueBits[] = {0x175d6aed00, 0xaf7bd5a80};

inline unsigned atomic_queue(std::uint64_t address) {
    return static_cast<unsigned>(__builtin_parityll(address & kAtomicQueueBits[0]) +
                                 __builtin_parityll(address & kAtomicQueueBits[1]) * 2);
}

}  // namespace wideload::counters
