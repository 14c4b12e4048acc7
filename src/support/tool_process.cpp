// SPDX-License-Identifier: Apache-2.0
#include "support/tool_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace wideload {
namespace {

/// Of what a tool says to stderr.
constexpr std::size_t kMostComplaintBytes = 4000;
/// Lines of a listing are far shorter; the rest of a longer one is dropped.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

std::string reason(int error) { return std::generic_category().message(error); }

int write_all(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return 0;
}

/// Cuts what a pipe gives into lines.
class LineCutter {
public:
    explicit LineCutter(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}

    void add(std::string_view chunk) {
        while (!chunk.empty()) {
            const std::size_t end = chunk.find('\n');
            const std::string_view part = chunk.substr(0, end);
            if (end == std::string_view::npos) {
                keep(part);
                return;
            }
            if (kept_.empty()) {
                on_line_(part);
            } else {
                keep(part);
                finish();
            }
            chunk.remove_prefix(end + 1);
        }
    }
    void finish() {
        if (!kept_.empty()) on_line_(kept_);
        kept_.clear();
    }

private:
    void keep(std::string_view part) {
        kept_ += part.substr(0, kMostLineBytes - std::min(kMostLineBytes, kept_.size()));
    }

    const std::function<void(std::string_view)>& on_line_;
    std::string kept_;
};

void read_lines(int descriptor, const std::function<void(std::string_view)>& on_line) {
    LineCutter cutter(on_line);
    std::array<char, 1 << 16> chunk{};
    for (;;) {
        const ssize_t bytes = ::read(descriptor, chunk.data(), chunk.size());
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) break;
        if (on_line) cutter.add({chunk.data(), static_cast<std::size_t>(bytes)});
    }
    if (on_line) cutter.finish();
}

std::string complaint_of(const MemoryFile& complaints) {
    const auto bytes = complaints.contents();
    if (!bytes) return {};
    std::string text(reinterpret_cast<const char*>(bytes->data()),
                     std::min(bytes->size(), kMostComplaintBytes));
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

/// What posix_spawn() does in the child, released at the end.
class SpawnActions {
public:
    SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
    ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;

    void open_null(int as) {
        ::posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_RDONLY, 0);
    }
    /// Also with from == as: that clears the flag that closes it in the child.
    void pass(int from, int as) { ::posix_spawn_file_actions_adddup2(&actions_, from, as); }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

/// @returns 0, or why it cannot be started
int spawn(const ToolCall& call, int output, int complaints, pid_t& child) {
    SpawnActions actions;
    actions.open_null(STDIN_FILENO);
    actions.pass(output, STDOUT_FILENO);
    actions.pass(complaints, STDERR_FILENO);
    for (const int descriptor : call.descriptors) actions.pass(descriptor, descriptor);
    std::vector<std::string> words = call.arguments;
    words.insert(words.begin(), call.program.string());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return ::posix_spawn(&child, call.program.c_str(), actions.get(), nullptr, argv.data(),
                         environ);
}

Diagnostic failed(const ToolCall& call, int status, const std::string& complaint) {
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("was ended by signal {}", WTERMSIG(status))
                                : fmt::format("failed with exit code {}", WEXITSTATUS(status));
    return failure(fmt::format("{} {}{}{}", call.program.string(), how,
                               complaint.empty() ? "" : ":\n", complaint));
}

}  // namespace

Result<MemoryFile> MemoryFile::create(std::span<const std::byte> bytes) {
    MemoryFile file(::memfd_create("wideload", MFD_CLOEXEC));
    const int error = file.descriptor_ < 0 ? errno : write_all(file.descriptor_, bytes);
    if (error != 0) return failure("cannot hold a file in memory: " + reason(error));
    return file;
}

MemoryFile::~MemoryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

std::string MemoryFile::path() const { return fmt::format("/dev/fd/{}", descriptor_); }

Result<std::vector<std::byte>> MemoryFile::contents() const {
    struct stat state{};
    if (::fstat(descriptor_, &state) != 0) return failure("cannot read: " + reason(errno));
    std::vector<std::byte> bytes(static_cast<std::size_t>(state.st_size));
    std::size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t got =
            ::pread(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return failure("cannot read: " + reason(got < 0 ? errno : EIO));
        at += static_cast<std::size_t>(got);
    }
    return bytes;
}

Diagnostics run_tool(const ToolCall& call) {
    const Result<MemoryFile> complaints = MemoryFile::create({});
    if (!complaints) return complaints.errors();
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {failure("no pipe: " + reason(errno))};
    pid_t child = 0;
    const int error = spawn(call, ends[1], complaints->descriptor(), child);
    ::close(ends[1]);
    if (error == 0) read_lines(ends[0], call.on_line);
    ::close(ends[0]);
    if (error != 0) {
        return {failure(fmt::format("cannot run {}: {}", call.program.string(), reason(error)))};
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return {failed(call, status, complaint_of(*complaints))};
}

}  // namespace wideload
