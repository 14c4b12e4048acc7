// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "preload/protocol.h"

namespace wideload::preload {

/// Tells `wideload run` how far this process is, where it asked for that.
class Status {
public:
    explicit Status(const std::string& path);
    void process_uses_cuda();
    void launch_starts(std::string_view kernel);
    void launch_ends();

private:
    StatusPage* page_ = nullptr;
};

}  // namespace wideload::preload
