// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "preload/engine/streams.h"
#include "preload/engine/work.h"

namespace wideload::preload {

class Context;

/// Work that goes on beside the program, once what it comes after has ended.
struct Task {
    Work work;
    Stream stream;          ///< as profiles name it
    std::uint64_t key = 0;  ///< of the stream whose order it keeps; 0: the default stream
    std::vector<std::shared_ptr<Task>> after;
    bool started = false;
    std::atomic<bool> done = false;
    Error result = cudaSuccess;  ///< once it is done
};

using TaskHandle = std::shared_ptr<Task>;

/// The work of all streams that has not ended, and the threads that carry it out. Any thread may
/// call; whoever waits must not hold the context's mutex, which running work needs.
class Tasks {
public:
    /// What the stream's next work comes after, of what has not ended: the stream's own, the
    /// default stream's, for the default stream that of all streams that wait for it, and the
    /// events that the stream was told to wait for.
    [[nodiscard]] std::vector<TaskHandle> before(const Stream& stream);
    [[nodiscard]] std::vector<TaskHandle> unfinished();
    [[nodiscard]] bool done(const TaskHandle& task);

    TaskHandle start(Context& context, const Stream& stream, Work work,
                     std::vector<TaskHandle> after);

    void wait(const std::vector<TaskHandle>& tasks);
    /// False where they had not ended after `limit`.
    bool wait(const std::vector<TaskHandle>& tasks, std::chrono::microseconds limit);

    /// True on a thread that carries out work: it must not wait for itself.
    [[nodiscard]] static bool on_own_thread();

    // Around a fork, whose child has none of the threads.
    void lock_for_fork() { mutex_.lock(); }
    void unlock_after_fork() { mutex_.unlock(); }

private:
    void make_ready(const TaskHandle& task);
    void serve(Context& context);
    void finish(const TaskHandle& task, Error result);

    std::mutex mutex_;
    std::condition_variable ended_, ready_;
    std::vector<TaskHandle> unfinished_;
    std::deque<TaskHandle> waiting_for_thread_;
    std::atomic<std::size_t> waiting_ = 0;  ///< how many they are
    Context* context_ = nullptr;
    std::size_t threads_ = 0, idle_threads_ = 0;
};

}  // namespace wideload::preload
