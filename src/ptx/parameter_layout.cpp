// SPDX-License-Identifier: Apache-2.0
#include "ptx/parameter_layout.h"

namespace wideload::ptx {

void lay_out_parameters(Function& entry) {
    std::uint64_t offset = 0;
    entry.parameter_offsets.clear();
    for (const Variable& parameter : entry.parameters) {
        const std::uint64_t alignment = parameter.alignment;
        offset = (offset + alignment - 1) / alignment * alignment;
        entry.parameter_offsets.push_back(static_cast<std::uint32_t>(offset));
        offset += parameter.size;
    }
    entry.parameter_bytes = static_cast<std::uint32_t>(offset);
}

}  // namespace wideload::ptx
