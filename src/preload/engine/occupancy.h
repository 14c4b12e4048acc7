// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "arch/occupancy.h"

namespace wideload::preload {

/// The most dynamic shared memory with which `blocks` blocks still fit on one multiprocessor.
[[nodiscard]] std::size_t dynamic_shared_bytes_for(const arch::Device& device,
                                                   arch::BlockResources resources, int blocks);

}  // namespace wideload::preload
