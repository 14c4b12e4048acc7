// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "report/layout.h"
#include "report/words.h"

namespace wideload::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kQuietTime{2};
constexpr std::chrono::milliseconds kInterval{500};

std::size_t terminal_columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

void write_to_terminal(std::string_view text) {
    // Progress is worth no error.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string kernel_name(const preload::StatusPage& status) {
    std::string name;
    for (const std::atomic<char>& character : status.kernel) {
        const char value = character.load(std::memory_order_relaxed);
        if (value == '\0') break;
        name += value;
    }
    return name;
}

}  // namespace

std::string progress_words(const preload::StatusPage& status, std::chrono::seconds elapsed,
                           std::size_t columns) {
    const std::uint64_t started = status.launches_started.load(),
                        finished = status.launches_finished.load();
    std::string text =
        fmt::format("wideload: {} s, {}", elapsed.count(), report::counted(started, "launch"));
    if (started > finished) text += ", now in " + kernel_name(status);
    return report::shortened(text, columns);
}

Progress::Progress(const preload::StatusPage& status, bool wanted) : status_(status) {
    if (!wanted || ::isatty(STDERR_FILENO) == 0) return;
    // Signals are the main thread's: it passes them on.
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { draw_until_ended(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    ended_changed_.notify_one();
    thread_.join();
}

void Progress::draw_until_ended() {
    static constexpr std::string_view kClearLine = "\r\x1b[K";
    const Clock::time_point begin = Clock::now();
    std::unique_lock lock(mutex_);
    if (ended_changed_.wait_for(lock, kQuietTime, [this] { return ended_; })) return;
    while (!ended_) {
        const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin);
        // The cursor returns to the first column, so that what the program prints next covers the
        // line.
        write_to_terminal(fmt::format("{}{}\r", kClearLine,
                                      progress_words(status_, elapsed, terminal_columns() - 1)));
        ended_changed_.wait_for(lock, kInterval, [this] { return ended_; });
    }
    write_to_terminal(kClearLine);
}

}  // namespace wideload::cli
