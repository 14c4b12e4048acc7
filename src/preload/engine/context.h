// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "arch/device.h"
#include "gpu/gpu.h"
#include "preload/engine/abi.h"
#include "preload/engine/recorder.h"
#include "preload/engine/registry.h"
#include "preload/engine/settings.h"
#include "preload/engine/status.h"
#include "preload/engine/streams.h"
#include "preload/engine/tasks.h"

namespace wideload::preload {

/// Everything that the process's CUDA calls work on. One for the life of the process; it is never
/// destroyed, since programs call CUDA from their last destructors. Held by one call at a time.
class Context {
public:
    Context();

    std::recursive_mutex mutex;
    Settings settings;
    Registry registry;
    Streams streams;
    Tasks tasks;
    Recorder recorder;
    Status status;
    /// What was warned of already, by kernel and instruction.
    static constexpr std::size_t kMostWarnings = 16;
    std::set<std::string> warned;

    /// The row of the table that the program sees; null, after a message, where settings name none.
    [[nodiscard]] const arch::Device* device() const { return device_; }
    /// The virtual GPU, made at first need; null, after a message, where it cannot be.
    gpu::Gpu* gpu();
    [[nodiscard]] bool has_gpu() const { return gpu_ != nullptr; }
    /// For signal handlers: interrupts the kernel that runs, if any.
    void interrupt() noexcept;

    /// Whether the program could tell that a kernel runs while the call that launched it waits: it
    /// has memory that host and kernels share, or streams of its own.
    [[nodiscard]] bool can_be_watched() const { return can_be_watched_; }
    void note_watcher() { can_be_watched_ = true; }

    /// The process made a CUDA call of its own, beyond what constructors register.
    void note_use();

    /// Writes what was recorded, and tells `wideload run` whether that went well.
    void write_profile();

    /// Notes the fault of a kernel, which ran "asynchronously": it surfaces at the next call that
    /// synchronises.
    void fault(Error error);
    /// True after a fault: what is enqueued from now on is not carried out.
    [[nodiscard]] bool faulted() const { return fault_ != cudaSuccess; }
    /// The fault, once a call that synchronises has returned it: every call returns it from then
    /// on.
    [[nodiscard]] Error sticky_error() const {
        return fault_is_known_ ? fault_.load() : cudaSuccess;
    }
    /// What a call that synchronises returns for work enqueued before.
    Error synchronise();

    /// Waits for what is still running when the process ends, so that its counts are not lost. A
    /// kernel ends at its time-out; host functions are not waited for longer than a moment.
    void wait_at_exit();

    /// In a forked child: as on a GPU, what the parent had there is gone, and cannot be had again
    /// if there was something.
    void start_anew_after_fork();
    [[nodiscard]] bool lost_by_fork() const { return lost_by_fork_; }

private:
    const arch::Device* device_ = nullptr;
    std::unique_ptr<gpu::Gpu> gpu_;
    std::atomic<gpu::Gpu*> interruptible_{nullptr};
    bool used_ = false;
    bool creation_failed_ = false;
    bool lost_by_fork_ = false;
    bool can_be_watched_ = false;
    std::atomic<Error> fault_ = cudaSuccess;
    bool fault_is_known_ = false;
};

[[nodiscard]] Context& context();

}  // namespace wideload::preload
