// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/device_attributes.h"

namespace wideload::preload {

std::optional<int> find_attribute(const arch::Device& device, int number) {
    const arch::MultiprocessorLimits& limits = device.limits();
    switch (static_cast<DeviceAttribute>(number)) {
#define DEVICE_ATTRIBUTE(number, name, value) \
    case DeviceAttribute::name:               \
        return static_cast<int>(value);
#include "preload/engine/device_attributes.def"
#undef DEVICE_ATTRIBUTE
    }
    return std::nullopt;
}

}  // namespace wideload::preload
