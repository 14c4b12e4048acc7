// SPDX-License-Identifier: Apache-2.0
#include "gpu/watchdog.h"

#include <csignal>

namespace wideload::gpu {
namespace {

std::int64_t now_ns() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace

Watchdog::~Watchdog() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Watchdog::begin(Grid& grid) {
    started_ns_.store(now_ns());
    grid_.store(&grid);
    if (interrupted_.load()) grid.end(Stop::interrupted);
    if (thread_.joinable()) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { watch(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Watchdog::end() {
    // The watching thread holds the lock while it touches a grid: after this it has none.
    const std::lock_guard lock(mutex_);
    grid_.store(nullptr);
}

void Watchdog::watch() {
    std::unique_lock lock(mutex_);
    while (!closing_) {
        wake_.wait_for(lock, std::chrono::milliseconds(50));
        Grid* grid = grid_.load();
        if (grid == nullptr) continue;
        const double elapsed = static_cast<double>(now_ns() - started_ns_.load()) * 1e-9;
        if (interrupted_.load()) grid->end(Stop::interrupted);
        if (timeout_s_ > 0 && elapsed > timeout_s_) grid->end(Stop::timeout);
    }
}

}  // namespace wideload::gpu
