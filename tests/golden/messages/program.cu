// SPDX-License-Identifier: Apache-2.0
// Does as its words say, in order: what a program can do to the tool that runs it.
//   launch       one launch of 64 threads that copy a float each
//   print        "out" to stdout, "err" to stderr
//   read         echoes stdin
//   exit N       exits with that code
//   signal N     is ended by that signal
//   limit N      no file may grow past N bytes from here on, as on a full disk
//   exec         becomes itself, with the words that follow
//   exec_nothing tries to become a program that is not there
//   later        leaves a process that launches when the run's folder is gone
//   children N   runs itself that many times, each with the words that follow
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

// Goldens must not depend on where the tree lies.
#line 19 "/example/program.cu"
__global__ void copy(const float* input, float* output) {
    output[threadIdx.x] = input[threadIdx.x];
}

static void launch() {
    float *input = nullptr, *output = nullptr;
    cudaMalloc(&input, 64 * sizeof(float));
    cudaMalloc(&output, 64 * sizeof(float));
    copy<<<1, 64>>>(input, output);
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit(99);
}

static void limit_files(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void run_children(int count, char** words) {
    for (int i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            execv(words[0], words);
            _exit(98);
        }
        waitpid(child, nullptr, 0);
    }
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const int number = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
        if (word == "launch") launch();
        if (word == "print") {
            std::puts("out");
            std::fputs("err\n", stderr);
        }
        if (word == "read") {
            for (int c = std::getchar(); c != EOF; c = std::getchar()) std::putchar(c);
        }
        if (word == "exit") return number;
        if (word == "signal") std::raise(number);
        if (word == "exec") {
            argv[i] = argv[0];
            execv(argv[0], argv + i);
        }
        if (word == "exec_nothing") execlp("no-such-program", "no-such-program", nullptr);
        if (word == "later" && fork() == 0) {
            while (access(std::getenv("WIDELOAD_STATUS"), F_OK) == 0) usleep(10000);
            launch();
            return 0;
        }
        if (word == "limit") limit_files(number);
        if (word == "children") {
            argv[i + 1] = argv[0];
            run_children(number, argv + i + 1);
            return 0;
        }
    }
    return 0;
}
