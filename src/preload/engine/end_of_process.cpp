// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/end_of_process.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include "preload/engine/context.h"
#include "preload/engine/signals.h"

namespace wideload::preload {
namespace {

constexpr int kSecondsToWrite = 20;

sem_t write_wanted, written;
bool has_writer = false;

void write_profile() {
    Context& own = context();
    own.wait_at_exit();
    // Where another thread is in a call, its launch is still running or what it holds is being
    // changed: wait for neither.
    const std::unique_lock lock(own.mutex, std::try_to_lock);
    own.write_profile();
}

void* writer_thread(void*) {
    while (sem_wait(&write_wanted) != 0 && errno == EINTR) {
    }
    context().write_profile();
    sem_post(&written);
    return nullptr;
}

/// A thread that sleeps until a signal handler needs it. It takes no signals itself.
void start_writer() {
    sem_init(&write_wanted, 0, 0);
    sem_init(&written, 0, 0);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    has_writer = pthread_create(&thread, nullptr, writer_thread, nullptr) == 0;
    if (has_writer) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void before_fork() {
    context().mutex.lock();
    context().tasks.lock_for_fork();
}
void after_fork_in_parent() {
    context().tasks.unlock_after_fork();
    context().mutex.unlock();
}
void after_fork_in_child() {
    context().start_anew_after_fork();
    start_writer();
}

}  // namespace

void watch_end_of_process() {
    static_cast<void>(context());
    // What calls of atexit in the engine come to is another (static_objects.cpp).
    on_exit([](int, void*) { write_profile(); }, nullptr);
    std::at_quick_exit(write_profile);
    start_writer();
    watch_fatal_signals();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void finish_in_signal_handler() {
    if (!has_writer) return;
    sem_post(&write_wanted);
    timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += kSecondsToWrite;
    while (sem_timedwait(&written, &deadline) != 0 && errno == EINTR) {
    }
}

}  // namespace wideload::preload

extern "C" __attribute__((visibility("default"))) void wideload_engine_finish() {
    wideload::preload::context().write_profile();
}
