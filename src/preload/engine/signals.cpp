// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/signals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "preload/engine/console.h"
#include "preload/engine/context.h"
#include "preload/engine/end_of_process.h"

namespace wideload::preload {
namespace {

constexpr std::array kFatalSignals = {SIGSEGV, SIGBUS,  SIGABRT, SIGFPE, SIGILL,
                                      SIGINT,  SIGTERM, SIGHUP,  SIGQUIT};

/// What signals were set to before the first of the sections that live now, whose number is
/// guarded with it.
std::mutex sections_mutex;
unsigned sections = 0;
std::array<struct sigaction, InterruptibleSection::kSignals.size()> before_sections;

/// A bit for each signal that arrived in an InterruptibleSection.
std::atomic<std::uint64_t> pending_signals = 0;

/// A host access to memory of the device is a mistake that is easy to make and, on a bare fault,
/// hard to see.
void name_device_memory(const void* pointer) {
    Context& own = context();
    if (!own.has_gpu()) return;
    const gpu::Memory& memory = own.gpu()->memory();
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (!memory.in_arena(address)) return;
    const auto neighbour = memory.try_nearest(address);
    const std::string where = neighbour ? ", " + gpu::describe(*neighbour) : "";
    say(fmt::format(
        "host code touched device memory at {:#x}{}: copy it with cudaMemcpy, or allocate it with "
        "cudaMallocManaged",
        address, where));
}

extern "C" void on_fatal_signal(int signal, siginfo_t* info, void*) {
    // The process dies by the signal as it would have without us, also where something here fails
    // in turn.
    std::signal(signal, SIG_DFL);
    if (signal == SIGSEGV || signal == SIGBUS) name_device_memory(info->si_addr);
    finish_in_signal_handler();
    raise(signal);
}

extern "C" void on_interrupt(int signal) {
    pending_signals.fetch_or(std::uint64_t{1} << signal);
    context().interrupt();
}

}  // namespace

void watch_fatal_signals() {
    struct sigaction action{};
    action.sa_sigaction = on_fatal_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int signal : kFatalSignals) {
        struct sigaction before;
        sigaction(signal, nullptr, &before);
        if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signal, &action, nullptr);
    }
}

InterruptibleSection::InterruptibleSection() {
    const std::lock_guard lock(sections_mutex);
    if (sections++ != 0) return;
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &before_sections[i]);
        // nohup and shells ignore signals for their children; that stays.
        const bool ignored = (before_sections[i].sa_flags & SA_SIGINFO) == 0 &&
                             before_sections[i].sa_handler == SIG_IGN;
        if (!ignored) sigaction(kSignals[i], &action, nullptr);
    }
}

InterruptibleSection::~InterruptibleSection() {
    const std::lock_guard lock(sections_mutex);
    if (--sections != 0) return;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], &before_sections[i], nullptr);
}

void raise_pending_signals() {
    const std::uint64_t pending = pending_signals.exchange(0);
    for (const int signal : InterruptibleSection::kSignals) {
        if ((pending >> signal & 1) != 0) kill(getpid(), signal);
    }
}

}  // namespace wideload::preload
