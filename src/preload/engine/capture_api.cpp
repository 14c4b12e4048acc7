// SPDX-License-Identifier: Apache-2.0
#include <thread>
#include <utility>

#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/graph.h"

namespace wideload::preload::api {
namespace {

// cudaStreamCaptureStatus
constexpr int kNone = 0, kActive = 1, kInvalidated = 2;

int status_of(const Stream& stream) {
    if (!stream.capture) return kNone;
    return stream.capture->invalidated ? kInvalidated : kActive;
}

bool is_mode(int mode) { return mode >= 0 && mode <= static_cast<int>(CaptureMode::relaxed); }

}  // namespace

Error cudaStreamBeginCapture(Stream* handle, int mode) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        if (!is_mode(mode)) return cudaErrorInvalidValue;
        if (handle == nullptr || handle == kLegacyStream) return cudaErrorStreamCaptureUnsupported;
        Stream* stream = own.streams.find(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (stream->capture) return cudaErrorIllegalState;
        auto capture = std::make_shared<Capture>();
        capture->id = own.streams.next_capture_id++;
        capture->graph = std::make_unique<Graph>();
        capture->origin = stream;
        capture->mode = static_cast<CaptureMode>(mode);
        capture->thread = std::this_thread::get_id();
        stream->last_nodes.clear();
        stream->capture = std::move(capture);
        return cudaSuccess;
    });
}

Error cudaStreamEndCapture(Stream* handle, Graph** graph) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        if (graph != nullptr) *graph = nullptr;
        const Stream* stream = own.streams.find(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        const std::shared_ptr<Capture> capture = stream->capture;
        if (!capture) return cudaErrorIllegalState;
        if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
        own.streams.end(*capture);
        if (capture->invalidated) return cudaErrorStreamCaptureInvalidated;
        if (graph != nullptr) *graph = capture->graph.release();
        return cudaSuccess;
    });
}

Error cudaStreamIsCapturing(Stream* handle, int* status) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const Stream* stream = own.streams.find(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        *status = status_of(*stream);
        return cudaSuccess;
    });
}

Error cudaStreamGetCaptureInfo(Stream* handle, int* status, unsigned long long* id, Graph** graph,
                               GraphNode* const** dependencies, const void** edge_data,
                               std::size_t* dependency_count) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const Stream* stream = own.streams.find(handle);
        if (stream == nullptr || status == nullptr) return cudaErrorInvalidValue;
        *status = status_of(*stream);
        if (*status != kActive) return cudaSuccess;
        if (id != nullptr) *id = stream->capture->id;
        if (graph != nullptr) *graph = stream->capture->graph.get();
        if (dependencies != nullptr) *dependencies = stream->last_nodes.data();
        if (edge_data != nullptr) *edge_data = nullptr;
        if (dependency_count != nullptr) *dependency_count = stream->last_nodes.size();
        return cudaSuccess;
    });
}

Error cudaStreamGetCaptureInfo_12(Stream* stream, int* status, unsigned long long* id) {
    return cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

Error cudaThreadExchangeStreamCaptureMode(int* mode) {
    if (mode == nullptr || !is_mode(*mode)) return remember(cudaErrorInvalidValue);
    const CaptureMode before =
        std::exchange(thread_capture_mode(), static_cast<CaptureMode>(*mode));
    *mode = static_cast<int>(before);
    return cudaSuccess;
}

}  // namespace wideload::preload::api
