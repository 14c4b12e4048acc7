// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <new>

#include "preload/engine/context.h"
#include "preload/engine/error.h"

namespace wideload::preload {

/// Runs the body of a runtime function: `Error body(Context&)`, alone, unless an earlier fault
/// makes every call fail. Its result becomes the thread's last error.
template <class Body>
Error call(Body body) {
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    own.note_use();
    if (own.lost_by_fork()) return remember(cudaErrorInitializationError);
    if (own.sticky_error() != cudaSuccess) return remember(own.sticky_error());
    if (own.device() == nullptr) return remember(cudaErrorNoDevice);
    try {
        return remember(body(own));
    } catch (const std::bad_alloc&) {
        return remember(cudaErrorMemoryAllocation);
    }
}

/// As call(), for functions that need the virtual GPU: `Error body(Context&, gpu::Gpu&)`.
template <class Body>
Error gpu_call(Body body) {
    return call([&](Context& own) {
        gpu::Gpu* gpu = own.gpu();
        return gpu != nullptr ? body(own, *gpu) : cudaErrorInitializationError;
    });
}

/// As gpu_call(), for functions that wait for the device and so return the fault of an earlier
/// kernel, before `body` runs.
template <class Body>
Error synchronising_call(Body body) {
    return gpu_call([&](Context& own, gpu::Gpu& gpu) {
        const Error fault = own.synchronise();
        return fault != cudaSuccess ? fault : body(own, gpu);
    });
}

}  // namespace wideload::preload
