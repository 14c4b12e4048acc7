// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "arch/device.h"

namespace wideload::preload {

// cudaDeviceProp of CUDA 12 and of CUDA 13, which took members away. Members have NVIDIA's names.
#define INT(member, attribute) int member;
#define SIZE(member, attribute) std::size_t member;
#define INT2(member, a, b) int member[2];
#define INT3(member, a, b, c) int member[3];

struct DevicePropertiesHead {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem;
};

struct DeviceProperties12 {
    DevicePropertiesHead head;
#define INT_12(member, attribute) int member;
#include "preload/engine/device_properties.def"
#undef INT_12
    int unifiedFunctionPointers;
    int reserved[63];
};

struct DeviceProperties13 {
    DevicePropertiesHead head;
#define INT_12(member, attribute)
#include "preload/engine/device_properties.def"
#undef INT_12
    int unifiedFunctionPointers;
    int reserved[63];
};

#undef INT
#undef SIZE
#undef INT2
#undef INT3

[[nodiscard]] DeviceProperties12 properties_12(const arch::Device& device);
[[nodiscard]] DeviceProperties13 properties_13(const arch::Device& device);

}  // namespace wideload::preload
