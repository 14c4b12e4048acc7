// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/status.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "profile/demangle.h"

namespace wideload::preload {

Status::Status(const std::string& path) {
    if (path.empty()) return;
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    is_gone_ = file < 0 && errno == ENOENT;
    if (file < 0) return;
    void* page = mmap(nullptr, sizeof(StatusPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED) return;
    page_ = static_cast<StatusPage*>(page);
}

bool Status::run_has_ended() const {
    return page_ == nullptr ? is_gone_ : page_->run_has_ended != 0;
}

void Status::process_uses_cuda() {
    if (page_ != nullptr) page_->processes_using_cuda.fetch_add(1);
}

void Status::profile_is(bool written) {
    if (page_ == nullptr) return;
    (written ? page_->profiles_written : page_->profiles_lost).fetch_add(1);
}

void Status::launch_starts(std::string_view kernel) {
    if (page_ == nullptr) return;
    // Mostly the kernel before, and demangling takes as long as a small launch.
    if (mangled_ != kernel) {
        mangled_ = kernel;
        shown_ = profile::demangle(kernel);
    }
    const std::size_t length = std::min(shown_.size(), page_->kernel.size() - 1);
    for (std::size_t i = 0; i < length; ++i)
        page_->kernel[i].store(shown_[i], std::memory_order_relaxed);
    page_->kernel[length].store('\0', std::memory_order_relaxed);
    page_->launches_started.fetch_add(1, std::memory_order_release);
}

void Status::launch_ends() {
    if (page_ != nullptr) page_->launches_finished.fetch_add(1, std::memory_order_release);
}

}  // namespace wideload::preload
