// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace wideload::preload {
namespace {

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& string : strings) result.push_back(string.data());
    result.push_back(nullptr);
    return result;
}

[[noreturn]] void become(std::vector<std::string>& arguments, std::vector<std::string>& environment,
                         const std::filesystem::path& folder) {
    const auto redirect = [&](const char* name, int to) {
        dup2(open((folder / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
    };
    std::signal(SIGINT, SIG_DFL);  // ignored where the tests run in a shell's background
    redirect("output", STDOUT_FILENO);
    redirect("errors", STDERR_FILENO);
    execve(arguments[0].c_str(), pointers(arguments).data(), pointers(environment).data());
    _exit(99);
}

}  // namespace

Ended run_program(const std::string& name, std::vector<std::string> arguments,
                  const std::vector<std::string>& environment, int signal) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "wideload-test-XXXXXX").string();
    const std::filesystem::path folder = mkdtemp(pattern.data());
    arguments.insert(arguments.begin(),
                     (std::filesystem::path(WIDELOAD_CUDA_PROGRAMS) / name).string());
    std::vector<std::string> all = environment;
    const auto unless_given = [&](const std::string& variable, const std::string& value) {
        const auto given = [&](const std::string& entry) {
            return entry.starts_with(variable + "=");
        };
        if (std::none_of(environment.begin(), environment.end(), given))
            all.push_back(variable + '=' + value);
    };
    unless_given("LD_PRELOAD", WIDELOAD_PRELOAD_LIBRARY);
    unless_given("LD_LIBRARY_PATH", WIDELOAD_CUDA_LIBRARIES);
    unless_given("PATH", "/usr/bin:/bin");
    unless_given("WIDELOAD_PROFILE", (folder / "profile-%p.json").string());
    unless_given("WIDELOAD_ENGINE", WIDELOAD_TEST_ENGINE);

    const pid_t child = fork();
    if (child == 0) become(arguments, all, folder);
    if (signal != 0) {
        sleep(1);
        kill(child, signal);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Ended ended;
    ended.folder = std::shared_ptr<void>(nullptr, [folder](void*) {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    });
    if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    ended.output = contents(folder / "output");
    ended.errors = contents(folder / "errors");
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().filename().string().starts_with("profile-"))
            ended.profiles.push_back(entry.path());
    }
    return ended;
}

}  // namespace wideload::preload
