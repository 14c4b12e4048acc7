// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/recorder.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "preload/engine/version.h"

namespace wideload::preload {
namespace {

std::vector<std::string> own_arguments() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> arguments;
    for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
    return arguments;
}

profile::Process this_process() {
    profile::Process process;
    process.pid = static_cast<std::uint64_t>(getpid());
    std::error_code error;
    process.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
    process.arguments = own_arguments();
    return process;
}

}  // namespace

Recorder::Recorder(const Settings& settings)
    : pattern_(settings.profile_pattern), pid_(static_cast<std::uint64_t>(getpid())) {
    profile_.producer = kProducer;
    profile_.processes.push_back(this_process());
    profile_.options.workers = settings.options.workers;
    profile_.options.deterministic = settings.options.deterministic;
    profile_.options.counters = settings.options.counters;
    profile_.options.host_isa = settings.options.host_isa;
}

void Recorder::set_device(const arch::Device& device) {
    profile_.devices.push_back({std::string(device.key), std::string(device.name),
                                device.capability.major, device.capability.minor,
                                device.multiprocessors});
}

void Recorder::add(profile::Launch launch) { launches_.add(std::move(launch)); }

void Recorder::add(const Diagnostics& diagnostics) {
    profile_.diagnostics.insert(profile_.diagnostics.end(), diagnostics.begin(), diagnostics.end());
}

void Recorder::add_unsupported_call(const std::string& function, const std::string& reason) {
    for (profile::UnsupportedCall& call : profile_.unsupported_calls) {
        if (call.function == function) {
            ++call.calls;
            return;
        }
    }
    profile_.unsupported_calls.push_back({function, 1, reason});
}

std::string Recorder::path() const {
    std::string path = pattern_;
    const std::string pid = std::to_string(pid_);
    for (std::size_t at = path.find("%p"); at != std::string::npos;
         at = path.find("%p", at + pid.size())) {
        path.replace(at, 2, pid);
    }
    return path;
}

std::optional<Result<profile::Written>> Recorder::write() {
    if (written_ || !used_ || pattern_.empty()) return std::nullopt;
    if (pid_ != static_cast<std::uint64_t>(getpid())) return std::nullopt;
    written_ = true;
    profile_.merged = launches_.merged();
    return profile::save(path(), profile_, launches_);
}

void Recorder::start_anew() {
    pid_ = static_cast<std::uint64_t>(getpid());
    profile_.processes = {this_process()};
    launches_ = profile::LaunchLog();
    profile_.diagnostics.clear();
    profile_.unsupported_calls.clear();
    used_ = written_ = false;
}

}  // namespace wideload::preload
