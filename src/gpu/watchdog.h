// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gpu/grid.h"

namespace wideload::gpu {

/// Ends launches that take too long. Its thread starts with the first launch and looks a few times a second, so that a launch
/// itself costs two stores.
class Watchdog {
public:
    explicit Watchdog(double timeout_s) : timeout_s_(timeout_s) {}
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    void begin(Grid& grid);
    void end();
    /// Ends the running launch; from a signal handler too.
    void interrupt() noexcept;

private:
    void watch();

    double timeout_s_;
    std::atomic<Grid*> grid_{nullptr};
    std::atomic<std::int64_t> started_ns_{0};
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool closing_ = false;
};

}  // namespace wideload::gpu
