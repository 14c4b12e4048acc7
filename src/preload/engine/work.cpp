// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/work.h"

#include <algorithm>

#include "preload/engine/call.h"
#include "preload/engine/context.h"
#include "preload/engine/graph.h"

namespace wideload::preload {
namespace {

/// Kinds of work that nothing can be wrong with.
template <class Other>
Error check(Context&, const Other&) {
    return cudaSuccess;
}

Error run(Context&, const Stream&, const EmptyWork&) { return cudaSuccess; }

Error run(Context&, const Stream&, const FreeWork&) { return cudaSuccess; }

Error run(Context&, const Stream&, const HostWork& work) {
    work.function();
    return cudaSuccess;
}

Error run(Context& context, const Stream&, const EventWork& work) {
    const std::lock_guard lock(context.mutex);
    work.event->recorded = true;
    work.event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}

/// Copies between the device and memory that the runtime does not know end before the call does.
bool uses_pageable_memory(Context& context, const CopyWork& work) {
    const gpu::Memory& memory = context.gpu()->memory();
    return !memory.lookup(work.destination.address) || !memory.lookup(work.source.address);
}

bool goes_beside(const Context& context, const Work& work) {
    if (std::holds_alternative<HostWork>(work)) return true;
    if (const auto* graph = std::get_if<GraphWork>(&work)) {
        const auto& nodes = graph->graph->nodes;
        return std::any_of(nodes.begin(), nodes.end(),
                           [&](const auto& node) { return goes_beside(context, node->work); });
    }
    return std::holds_alternative<KernelWork>(work) && context.can_be_watched();
}

/// The events that the work records are complete when it has ended.
void note_recording(const Work& work, const TaskHandle& task) {
    if (const auto* one = std::get_if<EventWork>(&work)) one->event->task = task;
    if (const auto* graph = std::get_if<GraphWork>(&work)) {
        for (const auto& node : graph->graph->nodes) note_recording(node->work, task);
    }
}

}  // namespace

Error run(Context& context, const Stream& stream, const Work& work) {
    if (context.faulted()) return cudaSuccess;
    return std::visit([&](const auto& one) { return run(context, stream, one); }, work);
}

Error enqueue(Context& context, Stream* handle, Work work, bool returns_when_done) {
    Stream* stream = context.streams.find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const Error wrong = std::visit([&](const auto& one) { return check(context, one); }, work);
    if (wrong != cudaSuccess) {
        const auto* kernel = std::get_if<KernelWork>(&work);
        if (kernel != nullptr && !stream->capture) record_refusal(context, *stream, *kernel);
        return wrong;
    }
    if (stream->capture) {
        GraphNode* node = stream->capture->graph->add(std::move(work), stream->last_nodes);
        stream->last_nodes = {node};
        return cudaSuccess;
    }
    if (stream->per_thread) context.note_watcher();
    std::vector<TaskHandle> after = context.tasks.before(*stream);
    if (after.empty() && !goes_beside(context, work)) {
        note_recording(work, nullptr);
        return run(context, *stream, work);
    }
    const auto* copy = std::get_if<CopyWork>(&work);
    const bool whole = returns_when_done || (copy && uses_pageable_memory(context, *copy));
    const TaskHandle task =
        context.tasks.start(context, *stream, std::move(work), std::move(after));
    note_recording(task->work, task);
    stay_for(task, whole);
    return cudaSuccess;
}

}  // namespace wideload::preload
