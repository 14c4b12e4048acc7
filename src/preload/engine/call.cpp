// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/call.h"

#include <utility>

namespace wideload::preload {
namespace {

/// Long enough for most launches, and not felt where the program has to do something for the kernel
/// to end.
constexpr std::chrono::milliseconds kMoment{5};

thread_local TaskHandle started;
thread_local bool stays_to_the_end = false;

}  // namespace

void stay_for(const TaskHandle& task, bool to_its_end) {
    started = task;
    stays_to_the_end = to_its_end;
}

Error stay(Context& context, Error error) {
    const TaskHandle task = std::exchange(started, nullptr);
    if (!task) return error;
    if (stays_to_the_end) {
        context.tasks.wait({task});
    } else if (!context.tasks.wait({task}, kMoment)) {
        return error;
    }
    return task->result;
}

std::vector<TaskHandle> before(Context& context, Stream* handle) {
    const std::lock_guard lock(context.mutex);
    const Stream* stream = context.streams.find(handle);
    return stream != nullptr && !stream->capture ? context.tasks.before(*stream)
                                                 : std::vector<TaskHandle>{};
}

}  // namespace wideload::preload
