// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "preload/engine/abi.h"

namespace wideload::preload {

/// cudaStreamCaptureMode: which threads a capture keeps from calls that cannot be part of one.
enum class CaptureMode : std::uint8_t { global, own_thread, relaxed };

/// The calling thread's, which cudaThreadExchangeStreamCaptureMode sets.
[[nodiscard]] CaptureMode& thread_capture_mode();

/// A recording of a stream's work into a graph, from cudaStreamBeginCapture to
/// cudaStreamEndCapture. Streams join it by waiting for its events.
struct Capture {
    std::uint64_t id = 0;
    std::unique_ptr<Graph> graph;
    Stream* origin = nullptr;
    CaptureMode mode = CaptureMode::global;
    std::thread::id thread;    ///< that began it
    bool invalidated = false;  ///< by a call that a capture does not allow
};

struct Task;

struct Stream {
    std::uint64_t number = 0;  ///< as profiles count streams: 0 the default one
    bool per_thread = false;   ///< the default stream of whichever thread uses it
    unsigned flags = 0;
    int priority = 0;
    std::map<int, LaunchAttribute::Value> attributes;  ///< that were set, by cudaStreamAttrID
    std::shared_ptr<Capture> capture;                  ///< null: work is carried out
    std::vector<GraphNode*> last_nodes;          ///< of the capture: what the next node depends on
    std::vector<std::shared_ptr<Task>> awaited;  ///< cudaStreamWaitEvent: what the rest comes after
};

struct Event {
    unsigned flags = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
    std::shared_ptr<Task> task;      ///< that records it; null where it was recorded at once
    std::weak_ptr<Capture> capture;  ///< recorded in a capture: stands for these nodes
    std::vector<GraphNode*> nodes;
};

inline constexpr unsigned kEventDisableTiming = 2;

/// The process's streams and events.
class Streams {
public:
    Streams();
    Stream* create(unsigned flags, int priority);
    bool destroy(Stream* stream);
    /// The stream behind a handle, null and the two reserved ones included; null for what is none.
    [[nodiscard]] Stream* find(Stream* handle);

    Event* create_event(unsigned flags);
    bool destroy(Event* event);
    /// Null for what is no event.
    [[nodiscard]] std::shared_ptr<Event> find(Event* handle) const;

    /// The capture that is going on in any stream, or null.
    [[nodiscard]] std::shared_ptr<Capture> any_capture() const;
    /// The capture that keeps the calling thread from what cannot be part of one, or null.
    [[nodiscard]] std::shared_ptr<Capture> prohibiting_capture() const;
    /// Takes every stream out of a capture that ended.
    void end(const Capture& capture);

    std::uint64_t next_capture_id = 1;

private:
    Stream legacy_, per_thread_;
    std::unordered_map<Stream*, std::unique_ptr<Stream>> streams_;
    std::unordered_map<Event*, std::shared_ptr<Event>> events_;
    std::uint64_t next_number_ = 1;
};

}  // namespace wideload::preload
