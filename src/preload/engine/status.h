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
    /// Whether somebody reads what is told.
    [[nodiscard]] bool is_read() const { return page_ != nullptr; }
    /// Whether `wideload run` ended before this process did.
    [[nodiscard]] bool run_has_ended() const;
    void process_uses_cuda();
    void profile_is(bool written);
    /// @param kernel mangled
    void launch_starts(std::string_view kernel);
    void launch_ends();

private:
    StatusPage* page_ = nullptr;
    bool is_gone_ = false;         ///< somebody asked, and left
    std::string mangled_, shown_;  ///< of the kernel launched last
};

}  // namespace wideload::preload
