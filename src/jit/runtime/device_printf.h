// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "jit/abi.h"

namespace wideload::jit {

/// Reads a NUL-terminated text through a generic address; false where a byte of it is illegal or it
/// has no end within 64 KiB.
[[nodiscard]] bool read_device_string(BlockContext& block, std::uint32_t warp, unsigned lane,
                                      std::uint64_t address, std::string& text);

struct DevicePrint {
    std::string text;
    std::int32_t arguments = 0;  ///< what vprintf returns: how many the format took
};

/// One lane's printf. `values` is the generic address of the arguments as nvcc lays them out: each
/// at a multiple of its size, small integers as 4 bytes, floating point as 8. Conversions that CUDA
/// does not know print as they stand.
[[nodiscard]] DevicePrint format_device_print(BlockContext& block, std::uint32_t warp,
                                              unsigned lane, const std::string& format,
                                              std::uint64_t values);

}  // namespace wideload::jit
