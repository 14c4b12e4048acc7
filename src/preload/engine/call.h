// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <new>
#include <vector>

#include "preload/engine/context.h"
#include "preload/engine/error.h"

namespace wideload::preload {

/// Tells the call that is being carried out to stay for work which it started: to its end, or only
/// for a moment, so that most work is over when the call returns and what is wrong with it is the
/// call's own error.
void stay_for(const TaskHandle& task, bool to_its_end);

/// Does what `stay_for` asked for, and returns what the call does. Nothing may be locked.
Error stay(Context& context, Error error);

/// Runs the body of a runtime function: `Error body(Context&)`, alone, unless an earlier fault
/// makes every call fail. Its result becomes the thread's last error.
template <class Body>
Error call(Body body) {
    Context& own = context();
    Error error = cudaSuccess;
    {
        const std::lock_guard lock(own.mutex);
        own.note_use();
        if (own.lost_by_fork()) return remember(cudaErrorInitializationError);
        if (own.sticky_error() != cudaSuccess) return remember(own.sticky_error());
        if (own.device() == nullptr) return remember(cudaErrorNoDevice);
        try {
            error = body(own);
        } catch (const std::bad_alloc&) {
            error = cudaErrorMemoryAllocation;
        }
    }
    return remember(stay(own, error));
}

/// As call(), for functions that need the virtual GPU: `Error body(Context&, gpu::Gpu&)`.
template <class Body>
Error gpu_call(Body body) {
    return call([&](Context& own) {
        gpu::Gpu* gpu = own.gpu();
        return gpu != nullptr ? body(own, *gpu) : cudaErrorInitializationError;
    });
}

/// How long a query waits for what has not ended, so that programs that ask again and again leave
/// the processor to what they ask for.
inline constexpr std::chrono::microseconds kPollingPause{50};

/// What a stream's next work comes after; none for what is no stream, or is being captured.
[[nodiscard]] std::vector<TaskHandle> before(Context& context, Stream* stream);

/// As gpu_call(), for functions that cannot be part of a capture and spoil one that is going on.
template <class Body>
Error uncapturable_call(Body body) {
    return gpu_call([&](Context& own, gpu::Gpu& gpu) {
        const std::shared_ptr<Capture> capture = own.streams.prohibiting_capture();
        if (!capture) return body(own, gpu);
        capture->invalidated = true;
        return cudaErrorStreamCaptureUnsupported;
    });
}

/// As gpu_call(), for functions that wait for the device and so return the fault of an earlier
/// kernel, before `body` runs.
template <class Body>
Error synchronising_call(Body body) {
    context().tasks.wait(context().tasks.unfinished());
    return gpu_call([&](Context& own, gpu::Gpu& gpu) {
        const Error fault = own.synchronise();
        return fault != cudaSuccess ? fault : body(own, gpu);
    });
}

/// As synchronising_call(), for functions that wait for one stream alone.
template <class Body>
Error synchronising_call(Stream* stream, Body body) {
    context().tasks.wait(before(context(), stream));
    return gpu_call([&](Context& own, gpu::Gpu& gpu) {
        const Error fault = own.synchronise();
        return fault != cudaSuccess ? fault : body(own, gpu);
    });
}

}  // namespace wideload::preload
