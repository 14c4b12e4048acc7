// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/tasks.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <system_error>
#include <thread>

#include "preload/engine/context.h"

namespace wideload::preload {
namespace {

constexpr unsigned kNonBlocking = 1;

thread_local bool carries_out_work = false;

/// Before a thread sleeps, it looks for so long whether what it waits for has come: waking it takes
/// longer than most launches of small kernels.
constexpr std::chrono::microseconds kLooking{30};

template <class Condition>
void look_for(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + kLooking;
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

/// Tells streams apart: a default stream per thread is as many as there are threads.
std::uint64_t key_of(const Stream& stream) {
    static std::atomic<std::uint64_t> threads = 0;
    constexpr std::uint64_t kFirst = std::uint64_t{1} << 63;
    thread_local const std::uint64_t own = kFirst + threads++;
    return stream.per_thread ? own : stream.number;
}

/// Whether what the calling thread gives to `stream` waits for the task.
bool comes_after(const Stream& stream, const Task& task) {
    const std::uint64_t key = key_of(stream);
    if (key == task.key) return true;
    // An H200's default stream goes on while another stream's host function has not returned.
    if (std::holds_alternative<HostWork>(task.work)) return false;
    const bool both_blocking = ((stream.flags | task.stream.flags) & kNonBlocking) == 0;
    return both_blocking && (key == 0 || task.key == 0);
}

bool all_done(const std::vector<TaskHandle>& tasks) {
    return std::all_of(tasks.begin(), tasks.end(),
                       [](const TaskHandle& task) { return task->done.load(); });
}

}  // namespace

bool Tasks::on_own_thread() { return carries_out_work; }

std::vector<TaskHandle> Tasks::before(const Stream& stream) {
    const std::lock_guard lock(mutex_);
    std::vector<TaskHandle> found;
    for (const TaskHandle& task : unfinished_) {
        const bool awaited =
            std::find(stream.awaited.begin(), stream.awaited.end(), task) != stream.awaited.end();
        if (awaited || comes_after(stream, *task)) found.push_back(task);
    }
    return found;
}

std::vector<TaskHandle> Tasks::unfinished() {
    const std::lock_guard lock(mutex_);
    return unfinished_;
}

bool Tasks::done(const TaskHandle& task) {
    const std::lock_guard lock(mutex_);
    return task == nullptr || task->done;
}

TaskHandle Tasks::start(Context& context, const Stream& stream, Work work,
                        std::vector<TaskHandle> after) {
    auto task = std::make_shared<Task>();
    task->work = std::move(work);
    task->stream.number = stream.number;
    task->stream.flags = stream.flags;
    task->key = key_of(stream);
    const std::lock_guard lock(mutex_);
    context_ = &context;
    task->after = std::move(after);
    unfinished_.push_back(task);
    if (all_done(task->after)) make_ready(task);
    return task;
}

void Tasks::make_ready(const TaskHandle& task) {
    task->started = true;
    task->after.clear();
    waiting_for_thread_.push_back(task);
    ++waiting_;
    if (idle_threads_ >= waiting_for_thread_.size()) {
        ready_.notify_one();
        return;
    }
    // Signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread([this] { serve(*context_); }).detach();
        ++threads_;
    } catch (const std::system_error&) {
        // One of the others will take it, if there is one.
        if (threads_ == 0) {
            waiting_for_thread_.pop_back();
            --waiting_;
            task->result = cudaErrorMemoryAllocation;
            task->done = true;
            std::erase(unfinished_, task);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Tasks::serve(Context& context) {
    carries_out_work = true;
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_threads_;
        if (waiting_for_thread_.empty()) {
            lock.unlock();
            look_for([&] { return waiting_ != 0; });
            lock.lock();
        }
        ready_.wait(lock, [&] { return !waiting_for_thread_.empty(); });
        --idle_threads_;
        const TaskHandle task = waiting_for_thread_.front();
        waiting_for_thread_.pop_front();
        --waiting_;
        lock.unlock();
        const Error result = run(context, task->stream, task->work);
        lock.lock();
        finish(task, result);
    }
}

void Tasks::finish(const TaskHandle& task, Error result) {
    task->result = result;
    task->done = true;
    std::erase(unfinished_, task);
    const std::vector<TaskHandle> rest = unfinished_;
    for (const TaskHandle& other : rest) {
        if (!other->started && all_done(other->after)) make_ready(other);
    }
    ended_.notify_all();
}

void Tasks::wait(const std::vector<TaskHandle>& tasks) {
    if (tasks.empty()) return;
    look_for([&] { return all_done(tasks); });
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return all_done(tasks); });
}

bool Tasks::wait(const std::vector<TaskHandle>& tasks, std::chrono::microseconds limit) {
    if (tasks.empty()) return true;
    look_for([&] { return all_done(tasks); });
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, limit, [&] { return all_done(tasks); });
}

}  // namespace wideload::preload
