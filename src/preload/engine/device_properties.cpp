// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/device_properties.h"

#include <cstdint>

#include "preload/engine/device_attributes.h"

namespace wideload::preload {
namespace {

int value_of(const arch::Device& device, DeviceAttribute attribute) {
    return find_attribute(device, static_cast<int>(attribute)).value_or(0);
}

void fill_head(const arch::Device& device, DevicePropertiesHead& properties) {
    device.name.copy(properties.name, sizeof properties.name - 1);
    // Programs tell devices apart by it: made of the key, so that it is the same in every process.
    for (std::size_t i = 0; i < device.key.size(); ++i) {
        properties.uuid[i % sizeof properties.uuid] ^= static_cast<unsigned char>(device.key[i]);
    }
    properties.totalGlobalMem = device.global_memory_bytes;
}

}  // namespace

#define VALUE(attribute) value_of(device, DeviceAttribute::attribute)
#define INT(member, attribute) properties.member = VALUE(attribute);
#define SIZE(member, attribute) properties.member = static_cast<std::size_t>(VALUE(attribute));
#define INT2(member, a, b) properties.member[0] = VALUE(a), properties.member[1] = VALUE(b);
#define INT3(member, a, b, c) \
    INT2(member, a, b)        \
    properties.member[2] = VALUE(c);

DeviceProperties12 properties_12(const arch::Device& device) {
    DeviceProperties12 properties{};
    fill_head(device, properties.head);
#define INT_12(member, attribute) INT(member, attribute)
#include "preload/engine/device_properties.def"
#undef INT_12
    return properties;
}

DeviceProperties13 properties_13(const arch::Device& device) {
    DeviceProperties13 properties{};
    fill_head(device, properties.head);
#define INT_12(member, attribute)
#include "preload/engine/device_properties.def"
#undef INT_12
    return properties;
}

}  // namespace wideload::preload
