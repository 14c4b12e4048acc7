// SPDX-License-Identifier: Apache-2.0
#include "cli/workspace.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

#include "preload/protocol.h"

namespace wideload::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProfilePrefix = "profile.";

/// A process, and which of the programs that it became: "profile.20-2.json" is {20, 2}.
std::pair<std::uint64_t, unsigned> program_of(const fs::path& profile) {
    const std::string name = profile.filename().string();
    const char* const end = name.data() + name.size();
    std::uint64_t pid = 0;
    unsigned program = 1;
    const char* at = std::from_chars(name.data() + kProfilePrefix.size(), end, pid).ptr;
    if (at != end && *at == '-') std::from_chars(at + 1, end, program);
    return {pid, program};
}

/// A page of zeros in `path`, mapped shared; null with errno set where that fails.
preload::StatusPage* map_status(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return nullptr;
    void* page = MAP_FAILED;
    // posix_fallocate, not a hole: on a full disk the first write to a hole would be a SIGBUS.
    if (const int error = ::posix_fallocate(file, 0, sizeof(preload::StatusPage)); error != 0) {
        errno = error;
    } else {
        page = ::mmap(nullptr, sizeof(preload::StatusPage), PROT_READ | PROT_WRITE, MAP_SHARED,
                      file, 0);
    }
    const int error = errno;
    ::close(file);
    errno = error;
    return page == MAP_FAILED ? nullptr : static_cast<preload::StatusPage*>(page);
}

}  // namespace

Result<Workspace> Workspace::create() {
    const char* variable = std::getenv("TMPDIR");
    const std::string base = variable == nullptr || *variable == '\0' ? "/tmp" : variable;
    std::string pattern = base + "/wideload-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        return failure(
            "cannot make a folder in " + base + ": " + std::generic_category().message(errno),
            "set TMPDIR to a folder that can be written");
    }
    const fs::path folder = fs::absolute(pattern);
    preload::StatusPage* status = map_status(folder / "status");
    if (status == nullptr) {
        const std::string why = std::generic_category().message(errno);
        std::error_code ignored;
        fs::remove_all(folder, ignored);
        return failure("cannot write to " + folder.string() + ": " + why,
                       "set TMPDIR to a folder with free space");
    }
    Workspace workspace(folder, status);
    const std::ofstream messages(workspace.message_file());  // processes append, they do not create
    return workspace;
}

Workspace::Workspace(Workspace&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), status_(std::exchange(other.status_, nullptr)) {}

Workspace::~Workspace() {
    if (status_ != nullptr) {
        status_->run_has_ended = 1;
        ::munmap(status_, sizeof(preload::StatusPage));
    }
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::vector<fs::path> Workspace::profiles() const {
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
        const std::string name = entry.path().filename().string();
        // What lacks the suffix is a file that a process was still writing when it ended.
        if (name.starts_with(kProfilePrefix) && name.ends_with(".json"))
            found.push_back(entry.path());
    }
    std::ranges::sort(found, {}, program_of);
    return found;
}

std::vector<std::string> Workspace::messages() const {
    std::vector<std::string> sentences;
    std::ifstream stream(message_file());
    for (std::string line; std::getline(stream, line);) {
        if (std::ranges::find(sentences, line) == sentences.end()) sentences.push_back(line);
    }
    return sentences;
}

}  // namespace wideload::cli
