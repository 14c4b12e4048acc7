// SPDX-License-Identifier: Apache-2.0
#include "lab/programs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <tuple>
#include <utility>

extern char** environ;

namespace wideload::lab {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& file) {
    return fs::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0;
}

/// What a program that should end at once prints.
Result<std::string> output_of(const fs::path& program, const char* argument) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return failure("cannot make a pipe: " + std::generic_category().message(errno));
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string name = program.string(), word = argument;
    std::array<char*, 3> words = {name.data(), word.data(), nullptr};
    pid_t child = 0;
    const int error = ::posix_spawn(&child, name.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> chunk{};
    for (ssize_t bytes = 0; error == 0;) {
        bytes = ::read(ends[0], chunk.data(), chunk.size());
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) break;
        text.append(chunk.data(), static_cast<std::size_t>(bytes));
    }
    ::close(ends[0]);
    if (error != 0) {
        return failure_in(name, "cannot be started: " + std::generic_category().message(error));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return failure_in(name, "does not describe itself as a program of the lab",
                          "move what is no experiment out of the folder");
    }
    return text;
}

}  // namespace

Result<Description> describe(const fs::path& program) {
    const Result<std::string> text = output_of(program, "--describe");
    if (!text) return text.errors();
    return parse_description(*text, program.string() + " --describe");
}

Result<std::vector<Program>> find_programs(const fs::path& folder) {
    std::vector<Program> programs;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (!is_executable(entry.path())) continue;
        Result<Description> description = describe(entry.path());
        if (!description) return description.errors();
        programs.push_back({entry.path(), std::move(*description)});
    }
    if (error) {
        return failure("cannot look into " + folder.string() + ": " + error.message(),
                       "the lab's programs are built where a CUDA compiler is: see docs/lab.md");
    }
    std::ranges::sort(programs, {}, [](const Program& program) {
        return std::tie(program.description.chapter, program.description.name);
    });
    return programs;
}

}  // namespace wideload::lab
