// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace wideload::preload {
struct StatusPage;
}

namespace wideload::cli {

/// A private folder where the processes of one run leave their profiles, tell how far they are, and
/// write what the user must know. Gone with the object.
class Workspace {
public:
    /// In $TMPDIR, else /tmp.
    static Result<Workspace> create();
    ~Workspace();
    Workspace(Workspace&& other) noexcept;
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    Workspace& operator=(Workspace&&) = delete;

    /// With "%p" for the process id.
    [[nodiscard]] std::filesystem::path profile_pattern() const {
        return folder_ / "profile.%p.json";
    }
    [[nodiscard]] std::filesystem::path status_file() const { return folder_ / "status"; }
    [[nodiscard]] std::filesystem::path message_file() const { return folder_ / "messages"; }
    /// Where a link to lib/wideload can be made (loader_path.h).
    [[nodiscard]] std::filesystem::path library_link() const { return folder_ / "lib"; }

    [[nodiscard]] const preload::StatusPage& status() const { return *status_; }
    /// The profiles that were written, by process id: a parent is mostly older than its children;
    /// those of one process, which became other programs, in that order.
    [[nodiscard]] std::vector<std::filesystem::path> profiles() const;
    /// What processes had to say of the tool itself; each sentence once, in order.
    [[nodiscard]] std::vector<std::string> messages() const;

private:
    Workspace(std::filesystem::path folder, preload::StatusPage* status)
        : folder_(std::move(folder)), status_(status) {}

    std::filesystem::path folder_;
    preload::StatusPage* status_;
};

}  // namespace wideload::cli
