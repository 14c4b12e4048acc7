// SPDX-License-Identifier: Apache-2.0
#include "cli/merge.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wideload::cli {
namespace {

std::uint32_t index_of_device(std::vector<profile::Device>& devices,
                              const profile::Device& device) {
    const auto same = std::ranges::find(devices, device.key, &profile::Device::key);
    const auto index = static_cast<std::uint32_t>(std::distance(devices.begin(), same));
    if (same == devices.end()) devices.push_back(device);
    return index;
}

void add_unsupported(std::vector<profile::UnsupportedCall>& into,
                     const profile::UnsupportedCall& call) {
    const auto same = std::ranges::find(into, call.function, &profile::UnsupportedCall::function);
    if (same == into.end()) {
        into.push_back(call);
    } else {
        same->calls += call.calls;
    }
}

}  // namespace

void merge(profile::Profile& into, profile::Profile other) {
    if (into.processes.empty() && into.launches.empty()) {
        into.producer = other.producer;
        into.options = other.options;
    }
    const auto first_process = static_cast<std::uint32_t>(into.processes.size());
    std::ranges::move(other.processes, std::back_inserter(into.processes));
    for (profile::Launch& launch : other.launches) {
        launch.process += first_process;
        if (launch.device < other.devices.size()) {
            launch.device = index_of_device(into.devices, other.devices[launch.device]);
        }
        into.launches.push_back(std::move(launch));
    }
    // Also those that nothing was launched on.
    for (const profile::Device& device : other.devices) index_of_device(into.devices, device);
    into.merged = into.merged || other.merged;
    std::ranges::move(other.diagnostics, std::back_inserter(into.diagnostics));
    for (const profile::UnsupportedCall& call : other.unsupported_calls) {
        add_unsupported(into.unsupported_calls, call);
    }
    for (profile::MachineCode& code : other.machine_code) {
        // Ranks of one program bring the same.
        if (std::ranges::find(into.machine_code, code) == into.machine_code.end()) {
            into.machine_code.push_back(std::move(code));
        }
    }
}

}  // namespace wideload::cli
