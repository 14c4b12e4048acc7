// SPDX-License-Identifier: Apache-2.0
// Launches a kernel, then ends as its argument says.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "expect.h"

__global__ void kernel(int* out) { *out = 1; }

static void launch() {
    kernel<<<1, 1>>>(nullptr);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
}

static int* device_memory() {
    int* pointer = nullptr;
    EXPECT_SUCCESS(cudaMalloc(&pointer, 4096));
    return pointer;
}

int main(int count, char** arguments) {
    const std::string ending = count > 1 ? arguments[1] : "return";
    if (ending == "no-call") return 3;
    if (ending == "fork-first") {
        // The child uses the GPU, the parent after it.
        if (fork() == 0) {
            launch();
            std::exit(0);
        }
        int status = 0;
        wait(&status);
        launch();
        return status;
    }
    launch();
    if (ending == "exit") std::exit(3);
    if (ending == "_exit") _exit(3);
    if (ending == "quick_exit") std::quick_exit(3);
    if (ending == "abort") std::abort();
    if (ending == "kill") raise(SIGTERM);
    if (ending == "interrupt") raise(SIGINT);
    if (ending == "read-device") return *static_cast<volatile int*>(device_memory());
    if (ending == "own-handler") {
        std::signal(SIGSEGV, [](int) { _exit(4); });
        return *static_cast<volatile int*>(device_memory());
    }
    if (ending == "fork-after") {
        // A GPU that the parent used is lost to the child.
        if (fork() == 0) std::exit(cudaDeviceSynchronize() == cudaErrorInitializationError ? 0 : 1);
        int status = 0;
        wait(&status);
        return WEXITSTATUS(status);
    }
    if (ending == "exec") execl(arguments[0], arguments[0], "return", nullptr);
    if (ending == "spawn")
        return WEXITSTATUS(std::system((std::string(arguments[0]) + " exit").c_str()));
    if (ending == "thread") {
        pthread_t thread;
        pthread_create(&thread, nullptr, [](void*) -> void* { std::exit(3); }, nullptr);
        pthread_join(thread, nullptr);
    }
    return 3;
}
