// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>

namespace wideload::preload {

/// Arranges that the profile is written, and a host access to device memory is named, before a
/// signal ends the process as it would have. Dispositions that the program set are left alone.
void watch_fatal_signals();

/// While it lives, signals that ask the process to end (Ctrl-C, Ctrl-\, SIGTERM, SIGHUP) end the
/// kernel that runs instead, from inside its loops; raise_pending_signals() then does with them
/// what the program set them to.
class InterruptibleSection {
public:
    InterruptibleSection();
    ~InterruptibleSection();
    InterruptibleSection(const InterruptibleSection&) = delete;
    InterruptibleSection& operator=(const InterruptibleSection&) = delete;

    static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
};

/// Raises the signals that came during an InterruptibleSection, once what the kernel left is in the
/// profile.
void raise_pending_signals();

}  // namespace wideload::preload
