// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/streams.h"

#include "preload/engine/graph.h"

namespace wideload::preload {
namespace {

/// CUDA Runtime API, cudaThreadExchangeStreamCaptureMode.
bool prohibits(const Capture& capture) {
    switch (thread_capture_mode()) {
        case CaptureMode::relaxed:
            return false;
        case CaptureMode::own_thread:
            return capture.thread == std::this_thread::get_id() &&
                   capture.mode != CaptureMode::relaxed;
        default:
            return capture.mode == CaptureMode::global ||
                   (capture.thread == std::this_thread::get_id() &&
                    capture.mode == CaptureMode::own_thread);
    }
}

}  // namespace

CaptureMode& thread_capture_mode() {
    thread_local CaptureMode mode = CaptureMode::global;
    return mode;
}

Streams::Streams() { per_thread_.per_thread = true; }

Stream* Streams::create(unsigned flags, int priority) {
    auto stream = std::make_unique<Stream>();
    stream->number = next_number_++;
    stream->flags = flags;
    stream->priority = priority;
    Stream* created = stream.get();
    streams_.emplace(created, std::move(stream));
    return created;
}

bool Streams::destroy(Stream* stream) { return streams_.erase(stream) != 0; }

Stream* Streams::find(Stream* handle) {
    if (handle == nullptr || handle == kLegacyStream) return &legacy_;
    if (handle == kPerThreadStream) return &per_thread_;
    return streams_.contains(handle) ? handle : nullptr;
}

Event* Streams::create_event(unsigned flags) {
    auto event = std::make_shared<Event>();
    event->flags = flags;
    Event* created = event.get();
    events_.emplace(created, std::move(event));
    return created;
}

bool Streams::destroy(Event* event) { return events_.erase(event) != 0; }

std::shared_ptr<Event> Streams::find(Event* handle) const {
    const auto found = events_.find(handle);
    return found == events_.end() ? nullptr : found->second;
}

std::shared_ptr<Capture> Streams::any_capture() const {
    if (per_thread_.capture) return per_thread_.capture;
    for (const auto& [handle, stream] : streams_) {
        if (stream->capture) return stream->capture;
    }
    return nullptr;
}

std::shared_ptr<Capture> Streams::prohibiting_capture() const {
    if (per_thread_.capture && prohibits(*per_thread_.capture)) return per_thread_.capture;
    for (const auto& [handle, stream] : streams_) {
        if (stream->capture && prohibits(*stream->capture)) return stream->capture;
    }
    return nullptr;
}

void Streams::end(const Capture& capture) {
    const auto leave = [&](Stream& stream) {
        if (stream.capture.get() != &capture) return;
        stream.last_nodes.clear();
        stream.capture = nullptr;
    };
    const std::shared_ptr<Capture> keep = any_capture();
    leave(per_thread_);
    for (const auto& [handle, stream] : streams_) leave(*stream);
}

}  // namespace wideload::preload
