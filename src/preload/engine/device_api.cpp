// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/device_attributes.h"
#include "preload/engine/device_properties.h"
#include "preload/engine/pools.h"

namespace wideload::preload::api {
namespace {

constexpr int kVersion = 13000;

// There is one device.
Error check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

/// Runs the body for a device number that exists.
template <class Body>
Error device_call(int device, Body body) {
    return call([&](Context& own) {
        const Error error = check_device(device);
        return error != cudaSuccess ? error : body(own);
    });
}

/// For settings that steer hardware alone.
Error accept() {
    return call([](Context&) { return cudaSuccess; });
}

Error give_zero(int* value) {
    return call([&](Context&) {
        *value = 0;
        return cudaSuccess;
    });
}

std::string pci_bus_id(const arch::Device& device) {
    return fmt::format("{:04X}:{:02X}:{:02X}.0", device.pci.domain, device.pci.bus,
                       device.pci.device);
}

/// "domain:bus:device.function", where the domain or the function may be missing, as four numbers.
std::optional<std::array<unsigned, 4>> parse_pci_bus_id(std::string_view text) {
    std::vector<unsigned> numbers;
    std::string separators;
    while (true) {
        unsigned& number = numbers.emplace_back();
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), number, 16);
        if (error != std::errc()) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) break;
        separators += text[0];
        text.remove_prefix(1);
    }
    if (separators == "::.") return std::array{numbers[0], numbers[1], numbers[2], numbers[3]};
    if (separators == "::") return std::array{numbers[0], numbers[1], numbers[2], 0u};
    if (separators == ":.") return std::array{0u, numbers[0], numbers[1], numbers[2]};
    return std::nullopt;
}

constexpr unsigned kMostScheduling = 4;  // cudaDeviceScheduleBlockingSync
constexpr unsigned kScheduling = 7, kMapHost = 8, kResizeToMax = 16, kSyncMemoryOperations = 128;
/// What cudaSetDeviceFlags set. With unified addresses all host memory can be mapped, as
/// cudaGetDeviceFlags then says.
unsigned device_flags = 0;

int cache_config = 0;

constexpr int kStackSize = 0;         // cudaLimitStackSize
constexpr int kFetchGranularity = 5;  // cudaLimitMaxL2FetchGranularity
/// CUDA C++ Programming Guide, "Technical Specifications": the most local memory of a thread.
constexpr std::size_t kMostStackBytes = 512 << 10;
/// CUDA Runtime API, cudaDeviceSetLimit: "The value can be between 0B and 128B". A hint, which
/// changes no count.
constexpr std::size_t kMostFetchBytes = 128;

struct Limit {
    std::size_t value, most = SIZE_MAX;
};
/// By cudaLimit, as a fresh context has them.
const std::map<int, Limit> kLimits = {
    {kStackSize, {1024, kMostStackBytes}},
    {1, {1u << 20}},
    {2, {8u << 20}},
    {3, {2}},
    {4, {2048}},
    {kFetchGranularity, {64, kMostFetchBytes}},
    {6, {0}},
};
std::map<int, Limit> limits = kLimits;

}  // namespace

Error cudaGetDeviceCount(int* count) {
    if (count == nullptr) return remember(cudaErrorInvalidValue);
    *count = 0;
    return call([&](Context&) {
        *count = 1;
        return cudaSuccess;
    });
}

Error cudaGetDevice(int* device) {
    if (device == nullptr) return remember(cudaErrorInvalidValue);
    return give_zero(device);
}

Error cudaSetDevice(int device) {
    return device_call(device, [](Context&) { return cudaSuccess; });
}

Error cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

Error cudaSetValidDevices(int* devices, int count) {
    return call([&](Context&) {
        for (int i = 0; i < count; ++i) {
            if (const Error error = check_device(devices[i])) return error;
        }
        return cudaSuccess;
    });
}

Error cudaChooseDevice(int* device, const void*) { return cudaGetDevice(device); }

Error cudaGetDeviceFlags(unsigned* flags) {
    return call([&](Context&) {
        *flags = device_flags | kMapHost;
        return cudaSuccess;
    });
}

Error cudaSetDeviceFlags(unsigned flags) {
    return call([&](Context&) {
        constexpr unsigned kKnown = kScheduling | kMapHost | kResizeToMax | kSyncMemoryOperations;
        if ((flags & ~kKnown) != 0 || (flags & kScheduling) > kMostScheduling)
            return cudaErrorInvalidValue;
        device_flags = flags;
        return cudaSuccess;
    });
}

Error cudaGetDeviceProperties(void* properties, int device) {
    return device_call(device, [&](Context& own) {
        const DeviceProperties13 filled = properties_13(*own.device());
        std::memcpy(properties, &filled, sizeof filled);
        return cudaSuccess;
    });
}

Error cudaGetDeviceProperties_12(void* properties, int device) {
    return device_call(device, [&](Context& own) {
        const DeviceProperties12 filled = properties_12(*own.device());
        std::memcpy(properties, &filled, sizeof filled);
        return cudaSuccess;
    });
}

Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
    return device_call(device, [&](Context& own) {
        const auto found = find_attribute(*own.device(), attribute);
        if (!found || value == nullptr) return cudaErrorInvalidValue;
        *value = *found;
        return cudaSuccess;
    });
}

Error cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return device_call(device, [&](Context& own) {
        const std::string id = pci_bus_id(*own.device());
        if (text == nullptr || length <= static_cast<int>(id.size())) return cudaErrorInvalidValue;
        std::memcpy(text, id.c_str(), id.size() + 1);
        return cudaSuccess;
    });
}

Error cudaDeviceGetByPCIBusId(int* device, const char* text) {
    return call([&](Context& own) {
        if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
        const auto named = parse_pci_bus_id(text);
        if (!named) return cudaErrorInvalidValue;
        if (named != parse_pci_bus_id(pci_bus_id(*own.device()))) return cudaErrorInvalidDevice;
        *device = 0;
        return cudaSuccess;
    });
}

// A device has no access to itself as a peer, and there is no other.
Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (device != 0 || peer != 0) return remember(cudaErrorInvalidDevice);
    return give_zero(can);
}

Error cudaDeviceEnablePeerAccess(int peer, unsigned) {
    return remember(peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}
Error cudaDeviceDisablePeerAccess(int peer) {
    return remember(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}
Error cudaDeviceGetP2PAttribute(int*, int, int, int) { return remember(cudaErrorInvalidDevice); }

Error cudaDeviceFlushGPUDirectRDMAWrites(int, int) { return accept(); }
Error cudaDeviceGetCacheConfig(int* config) {
    return call([&](Context&) {
        if (config == nullptr) return cudaErrorInvalidValue;
        *config = cache_config;
        return cudaSuccess;
    });
}
Error cudaDeviceSetCacheConfig(int config) {
    return call([&](Context&) {
        if (config < 0 || config > kMostCacheConfig) return cudaErrorInvalidValue;
        cache_config = config;
        return cudaSuccess;
    });
}
Error cudaDeviceGetSharedMemConfig(int* config) {
    constexpr int kFourByteBanks = 1;
    return call([&](Context&) {
        *config = kFourByteBanks;
        return cudaSuccess;
    });
}
Error cudaDeviceSetSharedMemConfig(int) { return accept(); }
Error cudaCtxResetPersistingL2Cache() { return accept(); }
Error cudaProfilerStart() { return accept(); }
Error cudaProfilerStop() { return accept(); }

Error cudaDeviceGetLimit(std::size_t* value, int limit) {
    return call([&](Context&) {
        const auto found = limits.find(limit);
        if (value == nullptr || found == limits.end()) return cudaErrorUnsupportedLimit;
        *value = found->second.value;
        return cudaSuccess;
    });
}

Error cudaDeviceSetLimit(int limit, std::size_t value) {
    const auto found = limits.find(limit);
    if (found == limits.end()) return remember(cudaErrorUnsupportedLimit);
    const auto set = [&] {
        if (value > found->second.most) return cudaErrorInvalidValue;
        found->second.value = value;
        return cudaSuccess;
    };
    if (limit != kStackSize) return call([&](Context&) { return set(); });
    return synchronising_call([&](Context&, gpu::Gpu& gpu) {
        if (const Error error = set()) return error;
        gpu.set_stack_bytes(value);
        return cudaSuccess;
    });
}

Error cudaDeviceSynchronize() {
    return synchronising_call([](Context& own, gpu::Gpu&) {
        const std::shared_ptr<Capture> capture = own.streams.any_capture();
        if (!capture) return cudaSuccess;
        capture->invalidated = true;
        return cudaErrorStreamCaptureUnsupported;
    });
}

// What was set of kernels stays, as on a real device. So do streams and events, which programs may
// destroy afterwards. After a kernel's fault a real device says that it was reset, too, but carries
// out nothing more for this process.
Error cudaDeviceReset() {
    const Error error = synchronising_call([](Context& own, gpu::Gpu& gpu) {
        gpu.memory().free_all_of_program();
        note_pools_release();
        own.registry.restore_variables();
        limits = kLimits;
        gpu.set_stack_bytes(limits.at(kStackSize).value);
        device_flags = 0;
        cache_config = 0;
        return cudaSuccess;
    });
    return context().faulted() ? cudaSuccess : error;
}

Error cudaDriverGetVersion(int* version) {
    if (version == nullptr) return remember(cudaErrorInvalidValue);
    *version = kVersion;
    return cudaSuccess;
}

Error cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

}  // namespace wideload::preload::api
