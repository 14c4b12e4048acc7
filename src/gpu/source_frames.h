// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "profile/profile.h"
#include "ptx/module.h"

namespace wideload::gpu {

/// Where a module's instructions come from. Functions' names are demangled once, not each launch.
class SourceFrames {
public:
    /// @param module lives as long as this
    explicit SourceFrames(const ptx::Module& module) : module_(module) {}

    /// Not from two threads at a time.
    [[nodiscard]] profile::Frames of(const ptx::Instruction& instruction);

private:
    [[nodiscard]] std::vector<profile::Frame> frames_at(ptx::LocationId id) const;

    const ptx::Module& module_;
    std::unordered_map<ptx::LocationId, profile::Frames> known_;
};

}  // namespace wideload::gpu
