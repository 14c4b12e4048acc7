// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/settings.h"

#include <cstdlib>
#include <string_view>

#include "preload/protocol.h"

namespace wideload::preload {
namespace {

std::string value_of(std::string_view name, const char* otherwise = "") {
    const char* value = std::getenv(std::string(name).c_str());
    return value != nullptr ? value : otherwise;
}

}  // namespace

Settings read_engine_settings() {
    Settings settings;
    settings.gpu = value_of(kGpu);
    settings.options.workers = static_cast<unsigned>(std::atoi(value_of(kWorkers).c_str()));
    settings.options.deterministic = value_of(kDeterministic) == "1";
    settings.options.counters = value_of(kCounters) != "0";
    settings.options.touched_sectors = value_of(kTouchedSectors) == "1";
    settings.options.host_isa = value_of(kHostIsa);
    const std::string timeout = value_of(kKernelTimeout);
    if (!timeout.empty()) settings.options.kernel_timeout_s = std::atof(timeout.c_str());
    settings.profile_pattern = value_of(kProfilePattern);
    settings.status_file = value_of(kStatusFile);
    return settings;
}

}  // namespace wideload::preload
