// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <limits>

#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/console.h"
#include "preload/engine/pools.h"
#include "preload/engine/work.h"

namespace wideload::preload::api {
namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Once: programs that look for the most that they can get ask often.
void say_what_the_host_lacks(const gpu::Memory& memory, std::size_t bytes) {
    static std::atomic<bool> said{false};
    const auto lack = memory.what_the_host_lacks(bytes);
    if (lack && !said.exchange(true)) say(*lack);
}

Error allocate_in(gpu::Memory& memory, void** pointer, std::size_t bytes,
                  gpu::AllocationKind kind) {
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    const auto address = memory.allocate(bytes, kind);
    if (!address) {
        say_what_the_host_lacks(memory, bytes);
        return cudaErrorMemoryAllocation;
    }
    *pointer = reinterpret_cast<void*>(*address);
    return cudaSuccess;
}

Error allocate(void** pointer, std::size_t bytes, gpu::AllocationKind kind) {
    if (pointer == nullptr) return remember(cudaErrorInvalidValue);
    return uncapturable_call([&](Context& own, gpu::Gpu& gpu) {
        if (kind != gpu::AllocationKind::device) own.note_watcher();
        return allocate_in(gpu.memory(), pointer, bytes, kind);
    });
}

/// Frees an allocation if `is_right_kind` says so of its kind; null is nothing to free.
template <class Predicate>
Error release(gpu::Memory& memory, void* pointer, Predicate is_right_kind) {
    if (pointer == nullptr) return cudaSuccess;
    const auto allocation = memory.lookup(address_of(pointer));
    if (!allocation || !is_right_kind(allocation->kind)) return cudaErrorInvalidValue;
    if (!memory.free(address_of(pointer))) return cudaErrorInvalidValue;
    note_pool_release(address_of(pointer));
    return cudaSuccess;
}

/// @param pool null: the device's
Error allocate_from(MemoryPool* pool, void** pointer, std::size_t bytes, Stream* stream) {
    if (pointer == nullptr) return remember(cudaErrorInvalidValue);
    return gpu_call([&](Context& own, gpu::Gpu& gpu) {
        if (own.streams.find(stream) == nullptr) return cudaErrorInvalidResourceHandle;
        const Error error = allocate_in(gpu.memory(), pointer, bytes, gpu::AllocationKind::device);
        if (*pointer != nullptr) note_pool_allocation(pool, address_of(*pointer), bytes);
        return error;
    });
}

bool is_pinned(gpu::AllocationKind kind) { return kind == gpu::AllocationKind::pinned; }
bool is_device_or_managed(gpu::AllocationKind kind) {
    return kind == gpu::AllocationKind::device || kind == gpu::AllocationKind::managed;
}

/// Frees what a graph had, if it is still there: a forked child lacks the GPU.
void give_back(void* pointer) {
    if (context().has_gpu()) release(context().gpu()->memory(), pointer, is_device_or_managed);
}

/// Rows of `width` bytes, `height` of them, at the pitch that aligns every row.
Error allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
    if (pitch == nullptr) return remember(cudaErrorInvalidValue);
    *pitch = gpu::Memory::pitch(width);
    if (height != 0 && *pitch > std::numeric_limits<std::size_t>::max() / height) {
        return remember(cudaErrorMemoryAllocation);
    }
    return allocate(pointer, *pitch * height, gpu::AllocationKind::device);
}

PointerAttributes::Type type_of(gpu::AllocationKind kind) {
    switch (kind) {
        case gpu::AllocationKind::pinned:
        case gpu::AllocationKind::registered:
            return PointerAttributes::kHost;
        case gpu::AllocationKind::managed:
        case gpu::AllocationKind::managed_variable:
            return PointerAttributes::kManaged;
        default:
            return PointerAttributes::kDevice;
    }
}

/// For advice and prefetching: nothing to do, but only for managed memory.
Error check_managed(const void* pointer, std::size_t bytes) {
    return gpu_call([&](Context&, gpu::Gpu& gpu) {
        const auto allocation = gpu.memory().lookup(address_of(pointer));
        const bool managed = allocation && type_of(allocation->kind) == PointerAttributes::kManaged;
        return managed && bytes <= allocation->end() - address_of(pointer) ? cudaSuccess
                                                                           : cudaErrorInvalidValue;
    });
}

}  // namespace

Error cudaMalloc(void** pointer, std::size_t bytes) {
    return allocate(pointer, bytes, gpu::AllocationKind::device);
}

Error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
    return allocate_pitched(pointer, pitch, width, height);
}

Error cudaMalloc3D(PitchedPointer* pointer, Extent extent) {
    if (pointer == nullptr) return remember(cudaErrorInvalidValue);
    pointer->x_size = extent.width;
    pointer->y_size = extent.height;
    if (extent.depth != 0 &&
        extent.height > std::numeric_limits<std::size_t>::max() / extent.depth) {
        return remember(cudaErrorMemoryAllocation);
    }
    return allocate_pitched(&pointer->pointer, &pointer->pitch, extent.width,
                            extent.height * extent.depth);
}

Error cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
    if (bytes == 0) return remember(cudaErrorInvalidValue);
    return allocate(pointer, bytes, gpu::AllocationKind::managed);
}

Error cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
    return allocate(pointer, bytes, gpu::AllocationKind::pinned);
}

Error cudaMallocHost(void** pointer, std::size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

Error cudaFree(void* pointer) {
    return synchronising_call([&](Context&, gpu::Gpu& gpu) {
        return release(gpu.memory(), pointer, is_device_or_managed);
    });
}

Error cudaFreeHost(void* pointer) {
    return synchronising_call(
        [&](Context&, gpu::Gpu& gpu) { return release(gpu.memory(), pointer, is_pinned); });
}

Error cudaMallocAsync(void** pointer, std::size_t bytes, Stream* stream) {
    return allocate_from(nullptr, pointer, bytes, stream);
}

Error cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, MemoryPool* pool, Stream* stream) {
    if (pool == nullptr) return remember(cudaErrorInvalidValue);
    return allocate_from(pool, pointer, bytes, stream);
}

Error cudaFreeAsync(void* pointer, Stream* stream) {
    context().tasks.wait(before(context(), stream));
    return gpu_call([&](Context& own, gpu::Gpu& gpu) {
        const Stream* found = own.streams.find(stream);
        if (found == nullptr) return cudaErrorInvalidResourceHandle;
        if (found->capture && pointer != nullptr)
            return enqueue(own, stream, FreeWork{{pointer, give_back}});
        return release(gpu.memory(), pointer, is_device_or_managed);
    });
}

Error cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
    return gpu_call([&](Context& own, gpu::Gpu& gpu) {
        if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
        own.note_watcher();
        return gpu.memory().register_host(address_of(pointer), bytes)
                   ? cudaSuccess
                   : cudaErrorHostMemoryAlreadyRegistered;
    });
}

Error cudaHostUnregister(void* pointer) {
    return synchronising_call([&](Context&, gpu::Gpu& gpu) {
        return gpu.memory().unregister_host(address_of(pointer)) ? cudaSuccess
                                                                 : cudaErrorHostMemoryNotRegistered;
    });
}

Error cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned) {
    return gpu_call([&](Context&, gpu::Gpu& gpu) {
        const auto allocation = gpu.memory().lookup(address_of(pointer));
        if (!allocation || type_of(allocation->kind) != PointerAttributes::kHost)
            return cudaErrorInvalidValue;
        *device_pointer = pointer;
        return cudaSuccess;
    });
}

Error cudaHostGetFlags(unsigned* flags, void* pointer) {
    return gpu_call([&](Context&, gpu::Gpu& gpu) {
        constexpr unsigned kMapped = 2;  // cudaHostAllocMapped: all of it is
        const auto allocation = gpu.memory().lookup(address_of(pointer));
        if (!allocation || !is_pinned(allocation->kind)) return cudaErrorInvalidValue;
        *flags = kMapped;
        return cudaSuccess;
    });
}

Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
    if (attributes == nullptr) return remember(cudaErrorInvalidValue);
    return gpu_call([&](Context&, gpu::Gpu& gpu) {
        void* address = const_cast<void*>(pointer);
        const auto allocation = gpu.memory().lookup(address_of(pointer));
        if (!allocation) {
            constexpr int kNoDevice = -2;  // cudaInvalidDeviceId
            *attributes = {PointerAttributes::kUnregistered, kNoDevice, nullptr, address};
            return cudaSuccess;
        }
        const PointerAttributes::Type type = type_of(allocation->kind);
        *attributes = {type, 0, address, type == PointerAttributes::kDevice ? nullptr : address};
        return cudaSuccess;
    });
}

Error cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    return gpu_call([&](Context&, gpu::Gpu& gpu) {
        if (free != nullptr) *free = gpu.memory().free_bytes();
        if (total != nullptr) *total = gpu.memory().total_bytes();
        return cudaSuccess;
    });
}

Error cudaMemAdvise(const void* pointer, std::size_t bytes, int, MemoryLocation) {
    return check_managed(pointer, bytes);
}

Error cudaMemPrefetchAsync(const void* pointer, std::size_t bytes) {
    return check_managed(pointer, bytes);
}

Error cudaStreamAttachMemAsync(Stream*, void* pointer, std::size_t, unsigned) {
    return check_managed(pointer, 0);
}

}  // namespace wideload::preload::api
