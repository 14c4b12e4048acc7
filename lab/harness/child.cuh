// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "require.cuh"

namespace lab {

/// Runs this program once more with other arguments and returns what it wrote to stdout; its stderr
/// is dropped, and it must exit with 0. An error that ends a CUDA context, such as a misaligned
/// address, stays in the child.
inline std::string output_of_child(const std::vector<std::string>& arguments) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) give_up("cannot make a pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> words = {const_cast<char*>("lab-child")};
    for (const std::string& argument : arguments)
        words.push_back(const_cast<char*>(argument.data()));
    words.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawn(&child, "/proc/self/exe", &actions, nullptr, words.data(), environ) != 0) {
        give_up("cannot start this program once more");
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string output;
    char buffer[256];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
        output.append(buffer, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        give_up("this program, started once more with " + arguments.front() + ", failed");
    }
    return output;
}

}  // namespace lab
