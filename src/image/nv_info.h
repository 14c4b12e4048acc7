// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"

namespace wideload::image {

/// Attributes of a cubin's `.nv.info` sections that are read here; their names are those that
/// cuobjdump -elf prints.
/// Others occur, and have any value of the type.
enum class NvInfo : std::uint8_t {
    max_threads = 0x05,
    required_threads = 0x10,
    frame_size = 0x11,
    min_stack_size = 0x12,
    kernel_parameter = 0x17,
    parameter_bytes = 0x19,
    register_count = 0x2f,
    barrier_count = 0x4c,
    annotations = 0x55,
};

/// One attribute. Formats 1 to 3 carry `value`, format 4 carries `data`.
struct NvInfoAttribute {
    std::uint8_t format = 0;
    NvInfo code{};
    std::uint16_t value = 0;
    ByteRange data;
};

/// All attributes of one `.nv.info` or `.nv.info.<kernel>` section, in order, known or not.
[[nodiscard]] Result<std::vector<NvInfoAttribute>> read_nv_info(const ByteRange& section);

}  // namespace wideload::image
