// SPDX-License-Identifier: Apache-2.0
// Memory pools as far as programs use them: everything comes from one arena, whichever pool is
// named.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>

#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/pools.h"

namespace wideload::preload {

struct MemoryPool {
    std::map<int, std::uint64_t> attributes;
    int access = 3;  ///< cudaMemAccessFlagsProtReadWrite
    std::uint64_t used = 0;
    /// The most of it since each was set to 0.
    std::uint64_t most_used = 0, most_reserved = 0;
};

namespace {

struct PoolAllocation {
    MemoryPool* pool;
    std::uint64_t bytes;
};
MemoryPool default_pool;
MemoryPool* current_pool = &default_pool;
std::map<std::uint64_t, PoolAllocation> pool_allocations;  ///< by address

}  // namespace

void note_pool_allocation(MemoryPool* pool, std::uint64_t address, std::uint64_t bytes) {
    if (pool == nullptr) pool = current_pool;
    pool_allocations[address] = {pool, bytes};
    pool->used += bytes;
    pool->most_used = std::max(pool->most_used, pool->used);
    pool->most_reserved = std::max(pool->most_reserved, pool->used);
}

void note_pool_release(std::uint64_t address) {
    const auto found = pool_allocations.find(address);
    if (found == pool_allocations.end()) return;
    found->second.pool->used -= found->second.bytes;
    pool_allocations.erase(found);
}

void note_pools_release() {
    while (!pool_allocations.empty()) note_pool_release(pool_allocations.begin()->first);
}

namespace api {
namespace {

// cudaMemPoolAttr: the first three are ints, the others 64-bit numbers.
constexpr int kFirstPoolAttribute = 1, kLastInt = 3, kReservedNow = 5, kMostReserved = 6,
              kUsedNow = 7, kMostUsed = 8;

std::uint64_t default_of(int attribute) { return attribute <= kLastInt ? 1 : 0; }

bool is_attribute(int attribute) {
    return attribute >= kFirstPoolAttribute && attribute <= kMostUsed;
}

/// The attribute's value, where the pool counts it.
std::optional<std::uint64_t> counted(const MemoryPool& pool, int attribute) {
    switch (attribute) {
        case kReservedNow:
        case kUsedNow:
            return pool.used;
        case kMostReserved:
            return pool.most_reserved;
        case kMostUsed:
            return pool.most_used;
        default:
            return std::nullopt;
    }
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
        std::erase_if(pool_allocations,
                      [&](const auto& entry) { return entry.second.pool == pool; });
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
            counted(*pool, attribute)
                .value_or(set != pool->attributes.end() ? set->second : default_of(attribute));
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
        if (!counted(*pool, attribute)) {
            pool->attributes[attribute] = set;
            return cudaSuccess;
        }
        // High-water marks can be set back to 0, and that is all.
        if (attribute == kReservedNow || attribute == kUsedNow || set != 0) {
            return cudaErrorInvalidValue;
        }
        (attribute == kMostUsed ? pool->most_used : pool->most_reserved) = 0;
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
