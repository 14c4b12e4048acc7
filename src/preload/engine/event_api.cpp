// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/work.h"

namespace wideload::preload::api {
namespace {

constexpr unsigned kKnownFlags = 0x1 | kEventDisableTiming | 0x4;

/// What has to end before the event is complete.
std::vector<TaskHandle> recording_of(Event* handle) {
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    const auto event = own.streams.find(handle);
    if (!event || !event->task) return {};
    return {event->task};
}

/// What waiting for a complete event returns.
Error end_of(Event* handle) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const auto event = own.streams.find(handle);
        if (!event) return cudaErrorInvalidResourceHandle;
        if (!event->capture.expired()) return cudaErrorCapturedEvent;
        return own.synchronise();
    });
}

}  // namespace

Error cudaEventCreateWithFlags(Event** event, unsigned flags) {
    if (event == nullptr || (flags & ~kKnownFlags) != 0) return remember(cudaErrorInvalidValue);
    return gpu_call([&](Context& own, gpu::Gpu&) {
        *event = own.streams.create_event(flags);
        return cudaSuccess;
    });
}

Error cudaEventCreate(Event** event) { return cudaEventCreateWithFlags(event, 0); }

Error cudaEventDestroy(Event* event) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        return own.streams.destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

Error cudaEventRecordWithFlags(Event* handle, Stream* stream_handle, unsigned flags) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const auto event = own.streams.find(handle);
        const Stream* stream = own.streams.find(stream_handle);
        if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
        constexpr unsigned kExternal = 1;
        if (stream->capture && (flags & kExternal) == 0) {
            event->capture = stream->capture;
            event->nodes = stream->last_nodes;
            return cudaSuccess;
        }
        event->capture.reset();
        return enqueue(own, stream_handle, EventWork{event});
    });
}

Error cudaEventRecord(Event* event, Stream* stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}

Error cudaEventSynchronize(Event* event) {
    context().tasks.wait(recording_of(event));
    return end_of(event);
}

Error cudaEventQuery(Event* event) {
    return context().tasks.wait(recording_of(event), kPollingPause) ? end_of(event)
                                                                    : cudaErrorNotReady;
}

Error cudaEventElapsedTime(float* milliseconds, Event* start_handle, Event* end_handle) {
    if (milliseconds == nullptr) return remember(cudaErrorInvalidValue);
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const auto start = own.streams.find(start_handle), end = own.streams.find(end_handle);
        const auto timed = [](const std::shared_ptr<Event>& event) {
            return event && (event->recorded || event->task) &&
                   (event->flags & kEventDisableTiming) == 0;
        };
        if (!timed(start) || !timed(end)) return cudaErrorInvalidResourceHandle;
        if (!own.tasks.done(start->task) || !own.tasks.done(end->task)) return cudaErrorNotReady;
        *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
        return cudaSuccess;
    });
}

}  // namespace wideload::preload::api
