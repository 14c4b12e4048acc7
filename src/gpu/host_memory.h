// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wideload::gpu {

/// Bytes that this process could still touch before the kernel would have to kill something: the
/// least of what the machine has available and what every memory control group above the process
/// leaves.
[[nodiscard]] std::uint64_t host_memory_available();

}  // namespace wideload::gpu
