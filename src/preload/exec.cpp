// SPDX-License-Identifier: Apache-2.0
// A process that becomes another program runs no exit handlers: its profile is written before. Each
// function of the family is here, since the C library's do not call each other by name.
#include "preload/exec.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>

#include "preload/engine_loader.h"

namespace wideload::preload {
namespace {

using ExecuteFound = int (*)(const char*, char* const*, char* const*);
ExecuteFound next_execvpe = nullptr;

int execute(const char* path, char* const* words, char* const* environment) {
    finish_engine();
    return static_cast<int>(syscall(SYS_execve, path, words, environment));
}

int execute_found(const char* file, char* const* words, char* const* environment) {
    finish_engine();
    return next_execvpe(file, words, environment);
}

/// The words of execl() and its kin as an array. On the stack, since exec is called where nothing
/// may be allocated: after fork(), in signal handlers.
class Words {
public:
    /// @param rest the words behind the first, up to a null
    bool take(const char* first, va_list rest) {
        words_[0] = const_cast<char*>(first);
        for (std::size_t count = 1; count < kMost; ++count) {
            words_[count] = va_arg(rest, char*);
            if (words_[count] == nullptr) return true;
        }
        errno = E2BIG;
        return false;
    }
    [[nodiscard]] char* const* array() const { return words_; }

private:
    static constexpr std::size_t kMost = 1024;  // each was written out in somebody's source
    char* words_[kMost];
};

}  // namespace

void find_next_exec() {
    next_execvpe = reinterpret_cast<ExecuteFound>(dlsym(RTLD_NEXT, "execvpe"));
}

}  // namespace wideload::preload

#define WIDELOAD_EXPORT __attribute__((visibility("default")))

extern "C" {
WIDELOAD_EXPORT int execve(const char* path, char* const* words,
                           char* const* environment) noexcept {
    return wideload::preload::execute(path, words, environment);
}
WIDELOAD_EXPORT int execv(const char* path, char* const* words) noexcept {
    return wideload::preload::execute(path, words, environ);
}
WIDELOAD_EXPORT int execvp(const char* file, char* const* words) noexcept {
    return wideload::preload::execute_found(file, words, environ);
}
WIDELOAD_EXPORT int execvpe(const char* file, char* const* words,
                            char* const* environment) noexcept {
    return wideload::preload::execute_found(file, words, environment);
}
WIDELOAD_EXPORT int fexecve(int file, char* const* words, char* const* environment) noexcept {
    return execveat(file, "", words, environment, AT_EMPTY_PATH);
}
WIDELOAD_EXPORT int execveat(int folder, const char* path, char* const* words,
                             char* const* environment, int flags) noexcept {
    wideload::preload::finish_engine();
    return static_cast<int>(syscall(SYS_execveat, folder, path, words, environment, flags));
}
WIDELOAD_EXPORT int execl(const char* path, const char* first, ...) noexcept {
    wideload::preload::Words words;
    va_list rest;
    va_start(rest, first);
    const bool taken = words.take(first, rest);
    va_end(rest);
    return taken ? wideload::preload::execute(path, words.array(), environ) : -1;
}
WIDELOAD_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
    wideload::preload::Words words;
    va_list rest;
    va_start(rest, first);
    const bool taken = words.take(first, rest);
    va_end(rest);
    return taken ? wideload::preload::execute_found(file, words.array(), environ) : -1;
}
WIDELOAD_EXPORT int execle(const char* path, const char* first, ...) noexcept {
    wideload::preload::Words words;
    va_list rest;
    va_start(rest, first);
    const bool taken = words.take(first, rest);
    char* const* environment = taken ? va_arg(rest, char* const*) : nullptr;
    va_end(rest);
    return taken ? wideload::preload::execute(path, words.array(), environment) : -1;
}
}
