// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gpu/gpu.h"

namespace wideload::preload {

/// What `wideload run` said through the environment (protocol.h).
struct Settings {
    std::string gpu;  ///< key of the device; empty: the default
    gpu::Options options;
    std::string profile_pattern;  ///< empty: no profile is written
    std::string status_file;
};

[[nodiscard]] Settings read_engine_settings();

}  // namespace wideload::preload
