// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gpu/grid.h"

namespace wideload::gpu {

/// Ends launches that take too long or are interrupted. Its thread starts with the first launch and
/// looks twenty times a second, so that a launch itself costs two stores.
class Watchdog {
public:
    explicit Watchdog(double timeout_s) : timeout_s_(timeout_s) {}
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// A launch is being prepared: from here on an interrupt is meant for it.
    void prepare() { interrupted_.store(false); }
    void begin(Grid& grid);
    void end();
    /// Ends the launch that runs or is being prepared; from a signal handler too, in any thread,
    /// hence only a flag: the grid may be gone at any moment.
    void interrupt() noexcept { interrupted_.store(true); }

private:
    void watch();

    double timeout_s_;
    std::atomic<Grid*> grid_{nullptr};
    std::atomic<std::int64_t> started_ns_{0};
    std::atomic<bool> interrupted_{false};
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool closing_ = false;
};

}  // namespace wideload::gpu
