// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/worker.h"

namespace wideload::gpu {

/// The threads that run blocks. The thread that launches is worker 0; the others sleep between
/// launches.
class WorkerPool {
public:
    explicit WorkerPool(unsigned workers);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    [[nodiscard]] unsigned size() const { return static_cast<unsigned>(workers_.size()); }
    /// Runs the grid on its first `grid.workers` workers and returns when all have finished.
    void run(Grid& grid);
    [[nodiscard]] const Worker& worker(unsigned index) const { return *workers_[index]; }

private:
    void serve(unsigned index);

    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable begin_, end_;
    Grid* grid_ = nullptr;
    std::uint64_t round_ = 0;
    unsigned running_ = 0;
    bool closing_ = false;
};

}  // namespace wideload::gpu
