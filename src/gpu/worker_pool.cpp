// SPDX-License-Identifier: Apache-2.0
#include "gpu/worker_pool.h"

#include <csignal>

namespace wideload::gpu {
namespace {

/// Signals are the program's affair: its own threads get them, ours never.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        // Faults of the thread itself cannot be blocked away; the program's handler says what they
        // mean.
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

WorkerPool::WorkerPool(unsigned workers) {
    for (unsigned i = 0; i < std::max(workers, 1u); ++i) {
        workers_.push_back(std::make_unique<Worker>());
    }
    const SignalsBlocked blocked;  // threads inherit the mask of who starts them
    for (unsigned i = 1; i < size(); ++i) threads_.emplace_back([this, i] { serve(i); });
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(Grid& grid) {
    if (grid.workers > 1) {
        const std::lock_guard lock(mutex_);
        grid_ = &grid;
        ++round_;
        running_ = grid.workers - 1;
        begin_.notify_all();
    }
    workers_[0]->run(grid, 0);
    if (grid.workers > 1) {
        std::unique_lock lock(mutex_);
        end_.wait(lock, [&] { return running_ == 0; });
        grid_ = nullptr;
    }
}

void WorkerPool::serve(unsigned index) {
    std::uint64_t seen = 0;
    while (true) {
        Grid* grid = nullptr;
        {
            std::unique_lock lock(mutex_);
            begin_.wait(lock, [&] { return closing_ || round_ != seen; });
            if (closing_) return;
            seen = round_;
            grid = grid_;
        }
        if (grid == nullptr || index >= grid->workers) continue;
        workers_[index]->run(*grid, index);
        const std::lock_guard lock(mutex_);
        if (--running_ == 0) end_.notify_one();
    }
}

}  // namespace wideload::gpu
