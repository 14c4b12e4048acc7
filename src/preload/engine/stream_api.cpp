// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/work.h"

namespace wideload::preload::api {
namespace {

constexpr int kGreatestPriority = -5,
              kLeastPriority = 0;  // as cudaDeviceGetStreamPriorityRange says since 7.0
constexpr unsigned kNonBlocking = 1;

/// Calls use(context, stream) for the stream behind a handle.
template <class Use>
Error with_stream(Stream* handle, Use use) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        Stream* stream = own.streams.find(handle);
        return stream != nullptr ? use(own, *stream) : cudaErrorInvalidResourceHandle;
    });
}

/// A capture does not allow to wait for what it only records.
Error refuse_in_capture(const Stream& stream) {
    if (!stream.capture) return cudaSuccess;
    stream.capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
}

/// What waiting for a stream returns, once it has nothing left to do.
Error end_of(Stream* handle) {
    return with_stream(handle, [&](Context& own, Stream& stream) {
        const Error refused = refuse_in_capture(stream);
        return refused != cudaSuccess ? refused : own.synchronise();
    });
}

}  // namespace

Error cudaStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
    if (stream == nullptr || flags > kNonBlocking) return remember(cudaErrorInvalidValue);
    return gpu_call([&](Context& own, gpu::Gpu&) {
        own.note_watcher();
        *stream =
            own.streams.create(flags, std::clamp(priority, kGreatestPriority, kLeastPriority));
        return cudaSuccess;
    });
}

Error cudaStreamCreateWithFlags(Stream** stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, kLeastPriority);
}

Error cudaStreamCreate(Stream** stream) { return cudaStreamCreateWithFlags(stream, 0); }

Error cudaStreamDestroy(Stream* stream) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        return own.streams.destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

Error cudaStreamSynchronize(Stream* handle) {
    context().tasks.wait(before(context(), handle));
    return end_of(handle);
}

Error cudaStreamQuery(Stream* handle) {
    return context().tasks.wait(before(context(), handle), kPollingPause) ? end_of(handle)
                                                                          : cudaErrorNotReady;
}

Error cudaStreamWaitEvent(Stream* handle, Event* event, unsigned) {
    return with_stream(handle, [&](Context& own, Stream& stream) {
        const auto found = own.streams.find(event);
        if (!found) return cudaErrorInvalidResourceHandle;
        // What was recorded in a capture draws the stream in.
        const std::shared_ptr<Capture> capture = found->capture.lock();
        if (!capture) {
            std::erase_if(stream.awaited,
                          [&](const TaskHandle& task) { return own.tasks.done(task); });
            if (!own.tasks.done(found->task)) stream.awaited.push_back(found->task);
            return cudaSuccess;
        }
        stream.capture = capture;
        stream.last_nodes.insert(stream.last_nodes.end(), found->nodes.begin(), found->nodes.end());
        return cudaSuccess;
    });
}

Error cudaStreamAddCallback(Stream* stream, StreamCallback callback, void* data, unsigned) {
    if (callback == nullptr) return remember(cudaErrorInvalidValue);
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const auto say_success = [=] { callback(stream, cudaSuccess, data); };
        return enqueue(own, stream, HostWork{say_success});
    });
}

Error cudaLaunchHostFunc(Stream* stream, HostFunction function, void* data) {
    if (function == nullptr) return remember(cudaErrorInvalidValue);
    return gpu_call([&](Context& own, gpu::Gpu&) {
        return enqueue(own, stream, HostWork{[=] { function(data); }});
    });
}

Error cudaStreamGetDevice(Stream* handle, int* device) {
    return with_stream(handle, [&](Context&, Stream&) {
        *device = 0;
        return cudaSuccess;
    });
}

Error cudaStreamGetFlags(Stream* handle, unsigned* flags) {
    return with_stream(handle, [&](Context&, Stream& stream) {
        *flags = stream.flags;
        return cudaSuccess;
    });
}

Error cudaStreamGetId(Stream* handle, unsigned long long* id) {
    return with_stream(handle, [&](Context&, Stream& stream) {
        *id = stream.number;
        return cudaSuccess;
    });
}

Error cudaStreamGetPriority(Stream* handle, int* priority) {
    return with_stream(handle, [&](Context&, Stream& stream) {
        *priority = stream.priority;
        return cudaSuccess;
    });
}

Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return call([&](Context&) {
        if (least != nullptr) *least = kLeastPriority;
        if (greatest != nullptr) *greatest = kGreatestPriority;
        return cudaSuccess;
    });
}

// The attributes (access policies of the L2 cache, ...) steer what is not modelled: any is
// accepted and kept.
Error cudaStreamGetAttribute(Stream* handle, int attribute, LaunchAttribute::Value* value) {
    return with_stream(handle, [&](Context&, Stream& stream) {
        if (value == nullptr) return cudaErrorInvalidValue;
        const auto found = stream.attributes.find(attribute);
        *value = found != stream.attributes.end() ? found->second : LaunchAttribute::Value{};
        return cudaSuccess;
    });
}

Error cudaStreamSetAttribute(Stream* handle, int attribute, const LaunchAttribute::Value* value) {
    return with_stream(handle, [&](Context&, Stream& stream) {
        if (value == nullptr) return cudaErrorInvalidValue;
        stream.attributes[attribute] = *value;
        return cudaSuccess;
    });
}

Error cudaStreamCopyAttributes(Stream* destination, Stream* source) {
    return with_stream(destination, [&](Context& own, Stream& stream) {
        const Stream* found = own.streams.find(source);
        if (found == nullptr) return cudaErrorInvalidResourceHandle;
        stream.attributes = found->attributes;
        return cudaSuccess;
    });
}

}  // namespace wideload::preload::api
