// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "preload/engine/console.h"

namespace wideload::preload {
namespace {

const arch::Device* choose_device(const std::string& key) {
    if (key.empty()) return &arch::default_device();
    const arch::Device* device = arch::find_device(key);
    if (device == nullptr) say(fmt::format("there is no GPU `{}` in the table of devices", key));
    return device;
}

}  // namespace

Context::Context()
    : settings(read_engine_settings()),
      recorder(settings),
      status(settings.status_file),
      device_(choose_device(settings.gpu)) {
    if (device_ != nullptr) recorder.set_device(*device_);
}

gpu::Gpu* Context::gpu() {
    if (gpu_ || creation_failed_ || device_ == nullptr) return gpu_.get();
    auto created = gpu::Gpu::create(*device_, settings.options);
    if (created) {
        gpu_ = std::move(*created);
        recorder.set_options(gpu_->options());
        interruptible_ = gpu_.get();
    } else {
        creation_failed_ = true;
        say(created.errors());
        recorder.add(created.errors());
    }
    return gpu_.get();
}

void Context::interrupt() noexcept {
    if (gpu::Gpu* gpu = interruptible_) gpu->interrupt();
}

void Context::note_use() {
    if (used_) return;
    used_ = true;
    recorder.note_use();
    status.process_uses_cuda();
}

void Context::write_profile() {
    if (used_ && status.run_has_ended()) {
        say("this process outlived the program that wideload run was given, and is not in its "
            "report: let the program wait for its children");
        return;
    }
    const auto saved = recorder.write();
    if (!saved) return;
    status.profile_is(saved->ok());
    if (saved->ok()) return;
    for (Diagnostic problem : saved->errors()) {
        // The file is `wideload run`'s own, which says what to do.
        if (status.is_read()) problem.hint.clear();
        say(problem);
    }
}

void Context::fault(Error error) {
    Error none = cudaSuccess;
    fault_.compare_exchange_strong(none, error);
}

Error Context::synchronise() {
    fault_is_known_ = faulted();
    return fault_;
}

void Context::wait_at_exit() {
    if (Tasks::on_own_thread()) return;
    constexpr std::chrono::seconds kForHostFunctions{2};
    const auto runs_on_gpu = [](const TaskHandle& task) {
        return !std::holds_alternative<HostWork>(task->work);
    };
    for (std::vector<TaskHandle> left = tasks.unfinished(); !tasks.wait(left, kForHostFunctions);
         left = tasks.unfinished()) {
        if (std::none_of(left.begin(), left.end(), runs_on_gpu)) return;
    }
}

void Context::start_anew_after_fork() {
    new (&mutex) std::recursive_mutex;
    new (&tasks) Tasks;  // its threads are gone
    lost_by_fork_ = lost_by_fork_ || gpu_ != nullptr;
    // The arena's pages did not come along, and its workers are not there: nothing may touch them,
    // not even to clean up.
    [[maybe_unused]] const gpu::Gpu* left_alone = gpu_.release();
    interruptible_ = nullptr;
    fault_ = cudaSuccess;
    fault_is_known_ = false;
    used_ = false;
    recorder.start_anew();
}

Context& context() {
    static Context* const only = new Context;
    return *only;
}

}  // namespace wideload::preload
