// SPDX-License-Identifier: Apache-2.0
// Device-side printf, every conversion: what it prints is what the host's printf prints for the
// same arguments.
#include <unistd.h>

#include <cstring>
#include <string>

#include "check.h"

#define CONVERSIONS                                                                           \
    printf("%d %i %u %x %X %o %c %%\n", -5, 7, 4000000000u, 255, 255, 8, 'q');                \
    printf("%f %.3f %e %.2E %g %G %10.4f|%-10.2f|%+.1f\n", 3.25, 2.0 / 3, 12345.678, 0.00012, \
           1e-7, 1e20, 3.14159, 2.5, 1.0);                                                    \
    printf("%s|%10s|%-10s|%.3s|\n", "text", "right", "left", "truncated");                    \
    printf("%ld %lu %lld %llu %llx %hd\n", -1234567890123l, 99ul, -1ll, ~0ull, 1ull << 40,    \
           (short)-3);                                                                        \
    printf("%5d|%-5d|%05d|%+d|% d|%#x|%#o|%*d\n", 42, 42, 42, 42, 42, 255, 8, 6, 42);         \
    printf("%a %i\n", 1.0, 12);                                                               \
    printf("no conversions\n");                                                               \
    printf("%c%c%c\n", 'a', 'b', 'c')

__global__ void print() { CONVERSIONS; }

__global__ void print_some(const int* values) {
    if (threadIdx.x % 8 == 3)
        printf("thread %u of block %u: %d\n", threadIdx.x, blockIdx.x, values[threadIdx.x]);
}

__global__ void returned(int* out) { out[0] = printf("%d %s\n", 1, "two"); }

/// What `run` writes to standard output.
template <class Run>
std::string captured(Run run) {
    std::fflush(stdout);
    char name[] = "/tmp/wideload-printf-XXXXXX";
    const int file = mkstemp(name);
    const int kept = dup(1);
    dup2(file, 1);
    run();
    std::fflush(stdout);
    dup2(kept, 1);
    close(kept);
    std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
    const bool complete =
        pread(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    close(file);
    unlink(name);
    CHECK(complete);
    return text;
}

int main() {
    const std::string expected = captured([] { CONVERSIONS; });
    const std::string got = captured([] {
        print<<<1, 1>>>();
        CHECK_LAUNCH();
    });
    if (got != expected) std::printf("expected:\n%s\ngot:\n%s\n", expected.c_str(), got.c_str());
    CHECK(got == expected);

    std::vector<int> values(32);
    std::string lines;
    for (int i = 0; i < 32; ++i) {
        values[i] = i * i;
        if (i % 8 == 3)
            lines += "thread " + std::to_string(i) + " of block 0: " + std::to_string(i * i) + "\n";
    }
    DeviceArray<int> dvalues(values), out(1);
    CHECK(captured([&] {
              print_some<<<1, 32>>>(dvalues);
              CHECK_LAUNCH();
          }) == lines);
    CHECK(captured([&] {
              returned<<<1, 1>>>(out);
              CHECK_LAUNCH();
          }) == "1 two\n");
    CHECK(out.host()[0] == 2);
}
