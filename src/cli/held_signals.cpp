// SPDX-License-Identifier: Apache-2.0
#include "cli/held_signals.h"

#include <utility>

namespace wideload::cli {

HeldSignals HeldSignals::hold() {
    sigset_t set, before;
    sigemptyset(&set);
    for (const int signal : kForwardedSignals) sigaddset(&set, signal);
    sigaddset(&set, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &set, &before);
    HeldSignals held;
    held.before_ = before;
    return held;
}

HeldSignals::HeldSignals(HeldSignals&& other) noexcept
    : before_(std::exchange(other.before_, std::nullopt)) {}

HeldSignals& HeldSignals::operator=(HeldSignals&& other) noexcept {
    if (this == &other) return *this;
    release();
    before_ = std::exchange(other.before_, std::nullopt);
    return *this;
}

void HeldSignals::release() {
    if (!before_) return;
    ::pthread_sigmask(SIG_SETMASK, &*before_, nullptr);
    before_.reset();
}

}  // namespace wideload::cli
