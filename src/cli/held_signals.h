// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <optional>

namespace wideload::cli {

/// Those that ask a process to end or to take note, and that `wideload run` passes on.
inline constexpr std::array kForwardedSignals = {SIGINT,  SIGTERM, SIGHUP,
                                                 SIGQUIT, SIGUSR1, SIGUSR2};

/// Signals that would end this thread's process wait while one of these lives: an impatient Ctrl-C
/// must not take the report of what was counted with it, nor a reader of the report that left.
class HeldSignals {
public:
    /// Holds nothing.
    HeldSignals() = default;
    [[nodiscard]] static HeldSignals hold();
    ~HeldSignals() { release(); }
    HeldSignals(HeldSignals&& other) noexcept;
    HeldSignals& operator=(HeldSignals&& other) noexcept;
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

    /// Lets those that waited take effect.
    void release();

private:
    std::optional<sigset_t> before_;
};

}  // namespace wideload::cli
