// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "preload/protocol.h"

namespace wideload::cli {

/// "wideload: 12 s, 34 launches, now in matmul(float*, ...)", at most `columns` wide.
[[nodiscard]] std::string progress_words(const preload::StatusPage& status,
                                         std::chrono::seconds elapsed, std::size_t columns);

/// While it lives, a line on stderr that says how far the program is, redrawn in place; not before
/// two seconds, and only where stderr is a terminal.
class Progress {
public:
    /// @param wanted false: never draw
    Progress(const preload::StatusPage& status, bool wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

private:
    void draw_until_ended();

    const preload::StatusPage& status_;
    std::mutex mutex_;
    std::condition_variable ended_changed_;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace wideload::cli
