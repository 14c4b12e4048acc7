// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arch/device.h"

namespace wideload::preload {

/// cudaDeviceAttr, without the prefix of the names.
enum class DeviceAttribute : int {
#define DEVICE_ATTRIBUTE(number, name, value) name = number,
#include "preload/engine/device_attributes.def"
#undef DEVICE_ATTRIBUTE
};

/// What cudaDeviceGetAttribute says; nothing for a number that is no attribute.
[[nodiscard]] std::optional<int> find_attribute(const arch::Device& device, int number);

}  // namespace wideload::preload
