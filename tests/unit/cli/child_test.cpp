// SPDX-License-Identifier: Apache-2.0
#include "cli/child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>

namespace wideload::cli {
namespace {

ProgramEnd run_shell(const std::string& script) {
    auto end = run_program("/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin", "WORD=kept"});
    EXPECT_TRUE(end.ok());
    return end.ok() ? std::move(*end) : ProgramEnd{};
}

TEST(Child, PassesTheExitCodeOn) {
    EXPECT_EQ(run_shell("exit 0").exit_code, 0);
    EXPECT_EQ(run_shell("exit 42").exit_code, 42);
    EXPECT_EQ(run_shell("exit 42").signal, 0);
}

TEST(Child, HasTheEnvironmentThatItIsGiven) {
    EXPECT_EQ(run_shell("test \"$WORD\" = kept && test -z \"$HOME\"").exit_code, 0);
}

TEST(Child, TellsDeathBySignalFromExit) {
    const ProgramEnd end = run_shell("kill -SEGV $$");
    EXPECT_EQ(end.signal, SIGSEGV);
    EXPECT_EQ(end.exit_code, 0);
}

TEST(Child, SaysWhyAProgramCannotStart) {
    const auto missing = run_program("/no/such/program", {"program"}, {});
    ASSERT_TRUE(missing.ok());
    EXPECT_EQ(missing->start_error, ENOENT);
    const auto folder = run_program("/", {"/"}, {});
    ASSERT_TRUE(folder.ok());
    EXPECT_EQ(folder->start_error, EACCES);
}

// `kill` reaches wideload alone; the program must decide what becomes of it, and the report still
// comes.
TEST(Child, IsSentTheSignalsThatWideloadGets) {
    std::thread sender([process = ::getpid()] {
        // Until the handler is there, the signal would end the test.
        struct sigaction action{};
        do {
            ::usleep(1000);
            ::sigaction(SIGTERM, nullptr, &action);
        } while (action.sa_handler == SIG_DFL);
        ::usleep(200000);
        ::kill(process, SIGTERM);
    });
    const ProgramEnd end = run_shell("trap 'exit 7' TERM; for i in $(seq 100); do sleep 0.1; done");
    sender.join();
    EXPECT_EQ(end.exit_code, 7);
}

TEST(Child, LeavesSignalsAsTheyWere) {
    run_shell("true");
    struct sigaction action{};
    ::sigaction(SIGTERM, nullptr, &action);
    EXPECT_EQ(action.sa_handler, SIG_DFL);
}

// kill -9 of wideload, or its being out of memory, must leave no program behind that nobody knows
// of.
TEST(Child, EndsWithItsParent) {
    std::array<int, 2> held_by_program{};
    ASSERT_EQ(::pipe(held_by_program.data()), 0);
    const pid_t process = ::fork();
    if (process == 0) {
        ::close(held_by_program[0]);
        run_shell("echo started >&" + std::to_string(held_by_program[1]) + "; exec sleep 60");
        ::_exit(1);
    }
    ::close(held_by_program[1]);
    char first = 0;
    ASSERT_EQ(::read(held_by_program[0], &first, 1), 1);
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    const auto begin = std::chrono::steady_clock::now();
    std::array<char, 64> rest{};
    while (::read(held_by_program[0], rest.data(), rest.size()) > 0) {
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    ::close(held_by_program[0]);
}

// An impatient second Ctrl-C, once the program is gone: what it counted is still delivered, and
// then the signal has its way.
TEST(Child, HoldsSignalsUntilItsEndIsDealtWith) {
    const pid_t process = ::fork();
    if (process == 0) {
        ProgramEnd end = run_shell("exit 3");
        ::raise(SIGINT);
        ::raise(SIGPIPE);
        end.held.release();
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(process, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGPIPE);
    const pid_t delivering = ::fork();
    if (delivering == 0) {
        const ProgramEnd end = run_shell("exit 3");
        ::raise(SIGINT);
        ::_exit(end.exit_code);
    }
    ::waitpid(delivering, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 3);
}

// A shell must see of wideload what it would have seen of the program.
TEST(Child, EndsWideloadByTheSameSignal) {
    const pid_t process = ::fork();
    if (process == 0) ::_exit(end_by_signal(SIGTERM));
    int status = 0;
    ::waitpid(process, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

}  // namespace
}  // namespace wideload::cli
