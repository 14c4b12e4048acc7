// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "arch/compute_capability.h"
#include "preload/engine/console.h"
#include "preload/engine/context.h"
#include "preload/engine/error.h"
#include "preload/engine/signals.h"
#include "preload/engine/work.h"
#include "profile/demangle.h"

namespace wideload::preload {
namespace {

/// A GPU refuses shared memory beyond 48 KiB unless cudaFuncSetAttribute allowed it, before it
/// looks at anything else.
std::optional<Diagnostic> shared_memory_refusal(const KernelWork& work, const gpu::Kernel& kernel,
                                                const arch::Device& device) {
    const std::uint64_t asked = work.configuration.dynamic_shared_bytes;
    const std::uint64_t fixed = gpu::attributes(kernel).static_shared_bytes;
    const std::uint64_t most = device.limits().shared_bytes_per_block_optin;
    const std::uint64_t allowed = std::max<std::uint64_t>(
        arch::kSharedBytesPerBlockDefault, fixed + work.kernel->max_dynamic_shared_bytes);
    if (asked + fixed <= std::min(allowed, most)) return std::nullopt;
    return failure(
        fmt::format("kernel '{}' cannot be launched with {} bytes of shared memory a block",
                    profile::demangle_briefly(work.kernel->name), asked + fixed),
        asked + fixed > most
            ? fmt::format("the {} has {} bytes for a block", device.name, most)
            : fmt::format("more than {} bytes must be allowed first: cudaFuncSetAttribute(kernel, "
                          "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
                          arch::kSharedBytesPerBlockDefault));
}

Error launch_error(const gpu::LaunchOutcome& outcome, const KernelWork& work) {
    if (outcome.fault == gpu::Fault::out_of_resources && work.configuration.cooperative) {
        return cudaErrorCooperativeLaunchTooLarge;
    }
    return error_of(outcome.fault);
}

/// Says once of each instruction what is wrong with its lanes; a program may launch its kernel very
/// often.
void say_warnings(Context& context, const gpu::LaunchOutcome& outcome) {
    for (std::size_t i = 0; i < outcome.warnings.size(); ++i) {
        const profile::Mismatch& mismatch = outcome.profile.mismatches[i];
        if (context.warned.size() > Context::kMostWarnings) return;
        const bool is_new =
            context.warned
                .insert(fmt::format("{} {} {} {}", outcome.profile.mangled, mismatch.opcode,
                                    mismatch.ptx_line, static_cast<int>(mismatch.kind)))
                .second;
        if (!is_new) continue;
        if (context.warned.size() > Context::kMostWarnings) {
            say("further warnings are in the report alone");
        } else {
            say(outcome.warnings[i]);
        }
    }
}

/// Completes what the launcher cannot know.
profile::Launch recorded(gpu::LaunchOutcome& outcome, const Stream& stream,
                         std::uint64_t nanoseconds) {
    profile::Launch launch = std::move(outcome.profile);
    launch.stream = stream.number;
    launch.host_ns = nanoseconds;
    if (outcome.fault != gpu::Fault::none && !launch.fault) {
        launch.fault = profile::LaunchFault{name_of(outcome.fault), outcome.diagnostic};
    }
    return launch;
}

}  // namespace

Error check(Context& context, const KernelWork& work) {
    gpu::Kernel* kernel = nullptr;
    if (const Error error = find_loaded(context, work.kernel, kernel)) return error;
    const auto refusal = shared_memory_refusal(work, *kernel, *context.device());
    if (!refusal) return cudaSuccess;
    say(*refusal);
    return cudaErrorInvalidValue;
}

void record_refusal(Context& context, const Stream& stream, const KernelWork& work) {
    gpu::Kernel* kernel = nullptr;
    if (find_loaded(context, work.kernel, kernel)) return;
    gpu::LaunchOutcome outcome;
    const auto refusal = shared_memory_refusal(work, *kernel, *context.device());
    if (!refusal) return;
    outcome.fault = gpu::Fault::invalid_configuration;
    outcome.diagnostic = *refusal;
    outcome.profile = gpu::described(*kernel, work.configuration);
    context.recorder.add(recorded(outcome, stream, 0));
}

Error run(Context& context, const Stream& stream, const KernelWork& work) {
    gpu::Kernel* kernel = nullptr;
    std::unique_lock lock(context.mutex);
    if (const Error error = find_loaded(context, work.kernel, kernel)) return error;
    context.status.launch_starts(work.kernel->name);
    lock.unlock();  // still held by the caller where nobody watches
    const auto start = std::chrono::steady_clock::now();
    gpu::LaunchOutcome outcome;
    {
        const InterruptibleSection section;
        outcome = context.gpu()->launch(*kernel, work.configuration, work.parameters);
    }
    const auto elapsed = std::chrono::steady_clock::now() - start;
    lock.lock();
    context.status.launch_ends();

    say_warnings(context, outcome);
    const gpu::Fault fault = outcome.fault;
    if (fault == gpu::Fault::unsupported) {
        say(failure(fmt::format("kernel '{}' was launched, which cannot run here",
                                profile::demangle_briefly(work.kernel->name)),
                    outcome.diagnostic.message));
    } else if (fault != gpu::Fault::none) {
        say(outcome.diagnostic);
    }
    const Error error = launch_error(outcome, work);
    context.recorder.add(
        recorded(outcome, stream,
                 static_cast<std::uint64_t>(
                     std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count())));
    if (is_sticky(fault)) context.fault(error);
    lock.unlock();
    raise_pending_signals();
    // What was known before the launch is its own error, as well as that of all calls after it.
    const bool shows_later = is_sticky(fault) && fault != gpu::Fault::unsupported;
    return shows_later ? cudaSuccess : error;
}

}  // namespace wideload::preload
