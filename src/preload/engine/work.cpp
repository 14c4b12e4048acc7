// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/work.h"

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

Error run(Context&, const Stream&, const HostWork& work) {
    work.function();
    return cudaSuccess;
}

Error run(Context&, const Stream&, const EventWork& work) {
    work.event->recorded = true;
    work.event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}

}  // namespace

Error run(Context& context, const Stream& stream, const Work& work) {
    if (context.faulted()) return cudaSuccess;
    return std::visit([&](const auto& one) { return run(context, stream, one); }, work);
}

Error enqueue(Context& context, Stream* handle, Work work) {
    Stream* stream = context.streams.find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const Error wrong = std::visit([&](const auto& one) { return check(context, one); }, work);
    if (wrong != cudaSuccess) return wrong;
    if (!stream->capture) return run(context, *stream, work);
    GraphNode* node = stream->capture->graph->add(std::move(work), stream->last_nodes);
    stream->last_nodes = {node};
    return cudaSuccess;
}

}  // namespace wideload::preload
