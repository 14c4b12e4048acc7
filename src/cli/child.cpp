// SPDX-License-Identifier: Apache-2.0
#include "cli/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace wideload::cli {
namespace {

std::atomic<pid_t> running_program = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

extern "C" void forward_signal(int signal, siginfo_t* info, void* /*context*/) {
    // The terminal sends to the whole foreground group: the program has had this one.
    if (info->si_code == SI_KERNEL) return;
    const int error = errno;
    if (const pid_t program = running_program.load(); program > 0) ::kill(program, signal);
    errno = error;
}

/// Forwards signals while it lives; ignored ones (nohup) stay ignored.
class Forwarding {
public:
    explicit Forwarding(pid_t program) {
        running_program = program;
        struct sigaction action{};
        action.sa_sigaction = forward_signal;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigemptyset(&action.sa_mask);
        for (std::size_t i = 0; i < kForwardedSignals.size(); ++i) {
            ::sigaction(kForwardedSignals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN)
                ::sigaction(kForwardedSignals[i], &action, nullptr);
        }
    }
    ~Forwarding() {
        for (std::size_t i = 0; i < kForwardedSignals.size(); ++i)
            ::sigaction(kForwardedSignals[i], &before_[i], nullptr);
        running_program = 0;
    }
    Forwarding(const Forwarding&) = delete;
    Forwarding& operator=(const Forwarding&) = delete;

private:
    std::array<struct sigaction, kForwardedSignals.size()> before_{};
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
    result.push_back(nullptr);
    return result;
}

/// In the child: becomes the program, or tells the parent why not.
[[noreturn]] void become(const char* file, char* const* words, char* const* environment, int tell,
                         pid_t parent) {
    // A parent that is killed can pass nothing on, and nobody would see the program go on.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::raise(SIGTERM);
    ::execve(file, words, environment);
    const int error = errno;
    [[maybe_unused]] const ssize_t told = ::write(tell, &error, sizeof error);
    ::_exit(127);
}

int wait_for(pid_t program) {
    int status = 0;
    while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

Diagnostic system_failure(const char* what) {
    return failure(std::string(what) + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<ProgramEnd> run_program(const std::filesystem::path& file,
                               const std::vector<std::string>& words,
                               const std::vector<std::string>& environment) {
    const std::vector<char*> word_pointers = pointers(words),
                             environment_pointers = pointers(environment);
    std::array<int, 2> pipe_ends{};
    if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return system_failure("cannot make a pipe");

    ProgramEnd end;
    int status = 0;
    {
        // Until the handlers know the child.
        HeldSignals starting = HeldSignals::hold();
        const pid_t parent = ::getpid();
        end.pid = ::fork();
        if (end.pid < 0) return system_failure("cannot start a process");
        if (end.pid == 0) {
            starting.release();
            become(file.c_str(), word_pointers.data(), environment_pointers.data(), pipe_ends[1],
                   parent);
        }
        ::close(pipe_ends[1]);
        const Forwarding forwarding(end.pid);
        starting.release();
        // Ends when the program has begun: the pipe closes with execve.
        if (::read(pipe_ends[0], &end.start_error, sizeof end.start_error) <= 0)
            end.start_error = 0;
        ::close(pipe_ends[0]);
        status = wait_for(end.pid);
        end.held = HeldSignals::hold();
    }
    if (WIFSIGNALED(status)) {
        end.signal = WTERMSIG(status);
    } else {
        end.exit_code = WEXITSTATUS(status);
    }
    return end;
}

int end_by_signal(int signal) {
    // The program has left a core file where it should; one of ours would only overwrite it.
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
    ::raise(signal);
    return 128 + signal;
}

}  // namespace wideload::cli
