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

std::string path_for(std::string path, const std::string& process) {
    for (std::size_t at = path.find("%p"); at != std::string::npos;
         at = path.find("%p", at + process.size())) {
        path.replace(at, 2, process);
    }
    return path;
}

}  // namespace

Recorder::Recorder(const Settings& settings)
    : pattern_(settings.profile_pattern), pid_(static_cast<std::uint64_t>(getpid())) {
    profile_.producer = kProducer;
    profile_.processes.push_back(this_process());
    set_options(settings.options);
}

void Recorder::set_options(const gpu::Options& options) {
    profile_.options.workers = options.workers;
    profile_.options.deterministic = options.deterministic;
    profile_.options.counters = options.counters;
    profile_.options.host_isa = options.host_isa;
}

void Recorder::set_device(const arch::Device& device) {
    profile_.devices.push_back({std::string(device.key), std::string(device.name),
                                device.capability.major, device.capability.minor,
                                device.multiprocessors});
}

void Recorder::add(profile::Launch launch) {
    if (pattern_.empty()) return;
    launches_.add(std::move(launch));
    written_ = false;
}

void Recorder::add(const Diagnostics& diagnostics) {
    written_ = false;
    profile_.diagnostics.insert(profile_.diagnostics.end(), diagnostics.begin(), diagnostics.end());
}

void Recorder::add_unsupported_call(const std::string& function, const std::string& reason) {
    written_ = false;
    for (profile::UnsupportedCall& call : profile_.unsupported_calls) {
        if (call.function == function) {
            ++call.calls;
            return;
        }
    }
    profile_.unsupported_calls.push_back({function, 1, reason});
}

std::string Recorder::path_of_this_program() const {
    const std::string pid = std::to_string(pid_);
    std::string path = path_for(pattern_, pid);
    // What an earlier program of this process left; a pattern without a process is one file, each
    // time.
    for (unsigned program = 2; path != pattern_ && std::filesystem::exists(path); ++program)
        path = path_for(pattern_, pid + '-' + std::to_string(program));
    return path;
}

std::optional<Result<profile::Written>> Recorder::write() {
    if (written_ || !used_ || pattern_.empty()) return std::nullopt;
    if (pid_ != static_cast<std::uint64_t>(getpid())) return std::nullopt;
    written_ = true;
    profile_.merged = launches_.merged();
    if (path_.empty()) path_ = path_of_this_program();
    return profile::save(path_, profile_, launches_);
}

void Recorder::start_anew() {
    pid_ = static_cast<std::uint64_t>(getpid());
    profile_.processes = {this_process()};
    path_.clear();
    launches_ = profile::LaunchLog();
    profile_.diagnostics.clear();
    profile_.unsupported_calls.clear();
    used_ = written_ = false;
}

}  // namespace wideload::preload
