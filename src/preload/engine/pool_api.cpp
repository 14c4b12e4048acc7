// SPDX-License-Identifier: Apache-2.0
// Memory pools as far as programs use them: everything comes from one arena, whichever pool is
// named.
#include <cstdint>
#include <cstring>
#include <map>

#include "preload/engine/api.h"
#include "preload/engine/call.h"

namespace wideload::preload {

struct MemoryPool {
    std::map<int, std::uint64_t> attributes;
    int access = 3;  ///< cudaMemAccessFlagsProtReadWrite
};

namespace api {
namespace {

// cudaMemPoolAttr: the first three are ints, the others 64-bit numbers.
constexpr int kFirstPoolAttribute = 1, kLastInt = 3, kReleaseThreshold = 4, kLastPoolAttribute = 8;

MemoryPool default_pool;
MemoryPool* current_pool = &default_pool;

std::uint64_t default_of(int attribute) { return attribute <= kLastInt ? 1 : 0; }

bool is_attribute(int attribute) {
    return attribute >= kFirstPoolAttribute && attribute <= kLastPoolAttribute;
}

}  // namespace

Error cudaDeviceGetDefaultMemPool(MemoryPool** pool, int device) {
    return call([&](Context&) {
        if (device != 0) return cudaErrorInvalidDevice;
        *pool = &default_pool;
        return cudaSuccess;
    });
}

Error cudaDeviceGetMemPool(MemoryPool** pool, int device) {
    return call([&](Context&) {
        if (device != 0) return cudaErrorInvalidDevice;
        *pool = current_pool;
        return cudaSuccess;
    });
}

Error cudaDeviceSetMemPool(int device, MemoryPool* pool) {
    return call([&](Context&) {
        if (device != 0) return cudaErrorInvalidDevice;
        if (pool == nullptr) return cudaErrorInvalidValue;
        current_pool = pool;
        return cudaSuccess;
    });
}

Error cudaMemPoolCreate(MemoryPool** pool, const void*) {
    return call([&](Context&) {
        *pool = new MemoryPool;
        return cudaSuccess;
    });
}

Error cudaMemPoolDestroy(MemoryPool* pool) {
    return call([&](Context&) {
        if (pool == nullptr || pool == &default_pool) return cudaErrorInvalidValue;
        if (current_pool == pool) current_pool = &default_pool;
        delete pool;
        return cudaSuccess;
    });
}

Error cudaMemPoolGetAttribute(MemoryPool* pool, int attribute, void* value) {
    return call([&](Context&) {
        if (pool == nullptr || value == nullptr || !is_attribute(attribute))
            return cudaErrorInvalidValue;
        const auto set = pool->attributes.find(attribute);
        const std::uint64_t found =
            set != pool->attributes.end() ? set->second : default_of(attribute);
        std::memcpy(value, &found, attribute <= kLastInt ? sizeof(int) : sizeof found);
        return cudaSuccess;
    });
}

Error cudaMemPoolSetAttribute(MemoryPool* pool, int attribute, void* value) {
    return call([&](Context&) {
        if (pool == nullptr || value == nullptr || !is_attribute(attribute))
            return cudaErrorInvalidValue;
        std::uint64_t set = 0;
        std::memcpy(&set, value, attribute <= kLastInt ? sizeof(int) : sizeof set);
        // High-water marks can only be set back to 0.
        if (attribute > kReleaseThreshold && set != 0) return cudaErrorInvalidValue;
        pool->attributes[attribute] = set;
        return cudaSuccess;
    });
}

Error cudaMemPoolGetAccess(int* flags, MemoryPool* pool, MemoryLocation*) {
    return call([&](Context&) {
        *flags = pool->access;
        return cudaSuccess;
    });
}

Error cudaMemPoolSetAccess(MemoryPool* pool, const MemoryAccess* access, std::size_t count) {
    return call([&](Context&) {
        for (std::size_t i = 0; i < count; ++i) pool->access = access[i].flags;
        return cudaSuccess;
    });
}

Error cudaMemPoolTrimTo(MemoryPool*, std::size_t) {
    return call([](Context&) { return cudaSuccess; });
}

}  // namespace api
}  // namespace wideload::preload
