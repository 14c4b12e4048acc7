// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arch/device.h"
#include "preload/engine/settings.h"
#include "profile/json.h"
#include "profile/launch_log.h"
#include "profile/profile.h"
#include "support/result.h"

namespace wideload::preload {

/// Gathers this process's profile and writes it when the process ends, or becomes another
/// program.
class Recorder {
public:
    explicit Recorder(const Settings& settings);

    void set_device(const arch::Device& device);
    void set_options(const gpu::Options& options);
    /// The process made a CUDA call of its own, beyond what constructors register: it has a profile
    /// to write.
    void note_use() { used_ = true; }

    /// Keeps nothing without a pattern.
    void add(profile::Launch launch);
    void add(const Diagnostics& diagnostics);
    void add_unsupported_call(const std::string& function, const std::string& reason);

    /// Writes the profile to the path that the pattern makes for this process; anew where something
    /// was added since the last time. Nothing without a pattern, where no CUDA call was made, and
    /// in a child of vfork, which has its parent's memory.
    /// @returns nothing where there was nothing to do
    std::optional<Result<profile::Written>> write();

    /// In a forked child: forgets what the parent did.
    void start_anew();

private:
    [[nodiscard]] std::string path_of_this_program() const;

    profile::Profile profile_;
    profile::LaunchLog launches_;
    std::string pattern_;
    std::string path_;  ///< empty until the profile is written
    std::uint64_t pid_;
    bool used_ = false;
    bool written_ = false;
};

}  // namespace wideload::preload
