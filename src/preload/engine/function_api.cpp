// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "arch/compute_capability.h"
#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/occupancy.h"

namespace wideload::preload::api {
namespace {

// cudaFuncAttribute
constexpr int kMaxDynamicSharedBytes = 8, kPreferredCarveout = 9, kLastAttribute = 15;

/// Calls use(context, registration, kernel) for a kernel's host function or handle.
template <class Use>
Error with_kernel(const void* function, Use use) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        KernelRegistration* registration = own.registry.find_kernel(function);
        gpu::Kernel* kernel = nullptr;
        const Error error = find_loaded(own, registration, kernel);
        return error != cudaSuccess ? error : use(own, *registration, *kernel);
    });
}

/// Dynamic shared memory that launches of the kernel may ask for.
std::uint64_t dynamic_shared_limit(const KernelRegistration& registration,
                                   const gpu::KernelAttributes& attributes) {
    if (registration.max_dynamic_shared_bytes != 0) return registration.max_dynamic_shared_bytes;
    const std::uint64_t fixed = attributes.static_shared_bytes;
    return fixed < arch::kSharedBytesPerBlockDefault ? arch::kSharedBytesPerBlockDefault - fixed
                                                     : 0;
}

Error set_dynamic_shared_limit(const Context& own, KernelRegistration& registration,
                               const gpu::Kernel& kernel, int bytes) {
    const std::uint64_t fixed = gpu::attributes(kernel).static_shared_bytes;
    const std::uint64_t most = own.device()->limits().shared_bytes_per_block_optin;
    if (bytes < 0 || static_cast<std::uint64_t>(bytes) + fixed > most) return cudaErrorInvalidValue;
    registration.max_dynamic_shared_bytes = static_cast<std::uint64_t>(bytes);
    return cudaSuccess;
}

arch::BlockResources resources_of(const gpu::Kernel& kernel, int block_size,
                                  std::size_t dynamic_shared_bytes) {
    return gpu::attributes(kernel).block(static_cast<std::uint32_t>(block_size),
                                         dynamic_shared_bytes);
}

}  // namespace

Error cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
    return with_kernel(
        function, [&](Context& own, KernelRegistration& registration, gpu::Kernel& kernel) {
            const gpu::KernelAttributes& known = gpu::attributes(kernel);
            *attributes = {};
            attributes->shared_bytes = known.static_shared_bytes;
            attributes->constant_bytes = known.constant_bytes;
            attributes->local_bytes = known.local_bytes;
            attributes->max_threads_per_block = static_cast<int>(known.max_threads_per_block);
            attributes->registers = static_cast<int>(known.registers);
            // CUB takes its tuning by the first, which so has to be of the PTX that runs here, and
            // finds no kernel where it is not one that it was built for. Of PTX alone, CUDA
            // compiles machine code for the GPU at hand.
            attributes->ptx_version = static_cast<int>(known.ptx_target);
            attributes->binary_version = static_cast<int>(
                known.binary_target != 0 ? known.binary_target : own.device()->capability.number());
            attributes->max_dynamic_shared_bytes =
                static_cast<int>(dynamic_shared_limit(registration, known));
            attributes->preferred_shared_carveout = registration.preferred_carveout;
            return cudaSuccess;
        });
}

Error cudaFuncSetAttribute(const void* function, int attribute, int value) {
    return with_kernel(function,
                       [&](Context& own, KernelRegistration& registration, gpu::Kernel& kernel) {
                           if (attribute < kMaxDynamicSharedBytes || attribute > kLastAttribute)
                               return cudaErrorInvalidValue;
                           if (attribute == kMaxDynamicSharedBytes)
                               return set_dynamic_shared_limit(own, registration, kernel, value);
                           if (attribute == kPreferredCarveout) {
                               if (value < -1 || value > 100) return cudaErrorInvalidValue;
                               registration.preferred_carveout = value;
                           }
                           return cudaSuccess;
                       });
}

Error cudaFuncSetCacheConfig(const void* function, int config) {
    if (config < 0 || config > kMostCacheConfig) return remember(cudaErrorInvalidValue);
    return with_kernel(function,
                       [](Context&, KernelRegistration&, gpu::Kernel&) { return cudaSuccess; });
}

Error cudaFuncSetSharedMemConfig(const void* function, int config) {
    return cudaFuncSetCacheConfig(function, config);
}

Error cudaFuncGetName(const char** name, const void* function) {
    return with_kernel(function, [&](Context&, KernelRegistration& registration, gpu::Kernel&) {
        *name = registration.name.c_str();
        return cudaSuccess;
    });
}

Error cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                           std::size_t* bytes) {
    return with_kernel(function, [&](Context&, KernelRegistration&, gpu::Kernel& kernel) {
        const auto slots = gpu::parameters(kernel);
        if (index >= slots.size() || offset == nullptr) return cudaErrorInvalidValue;
        *offset = slots[index].offset;
        if (bytes != nullptr) *bytes = slots[index].bytes;
        return cudaSuccess;
    });
}

Error cudaGetKernel(KernelRegistration** handle, const void* function) {
    return with_kernel(function, [&](Context&, KernelRegistration& registration, gpu::Kernel&) {
        *handle = &registration;
        return cudaSuccess;
    });
}

Error cudaGetFuncBySymbol(KernelRegistration** handle, const void* function) {
    return cudaGetKernel(handle, function);
}

Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                    int block_size, std::size_t shared_bytes) {
    if (blocks == nullptr || block_size <= 0) return remember(cudaErrorInvalidValue);
    return with_kernel(function, [&](Context& own, KernelRegistration&, gpu::Kernel& kernel) {
        const arch::Occupancy found =
            arch::occupancy(*own.device(), resources_of(kernel, block_size, shared_bytes));
        *blocks = static_cast<int>(found.blocks);
        return cudaSuccess;
    });
}

Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                             int block_size,
                                                             std::size_t shared_bytes,
                                                             unsigned flags) {
    constexpr unsigned kDisableCachingOverride = 1;
    if (flags > kDisableCachingOverride) return remember(cudaErrorInvalidValue);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
                                                         shared_bytes);
}

Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                int blocks, int block_size) {
    if (bytes == nullptr || blocks <= 0 || block_size <= 0) return remember(cudaErrorInvalidValue);
    return with_kernel(function, [&](Context& own, KernelRegistration& registration,
                                     gpu::Kernel& kernel) {
        // More than a launch may ask for is of no use.
        *bytes = std::min<std::size_t>(
            dynamic_shared_bytes_for(*own.device(), resources_of(kernel, block_size, 0), blocks),
            dynamic_shared_limit(registration, gpu::attributes(kernel)));
        return cudaSuccess;
    });
}

}  // namespace wideload::preload::api
