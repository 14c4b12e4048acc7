// SPDX-License-Identifier: Apache-2.0
#include "profile/place.h"

#include <string>

namespace wideload::profile {
namespace {

bool is_toolkit_header(const std::string& file) {
    return file.starts_with("/usr/local/cuda") || file.starts_with("/opt/cuda") ||
           file.find("/nvidia/cu1") != std::string::npos ||
           file.find("/targets/x86_64-linux/include/") != std::string::npos;
}

}  // namespace

const Frame* own_frame(std::span<const Frame> frames) {
    for (const Frame& frame : frames) {
        if (!is_toolkit_header(frame.where.file)) return &frame;
    }
    return frames.empty() ? nullptr : &frames.front();
}

}  // namespace wideload::profile
