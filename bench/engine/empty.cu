// SPDX-License-Identifier: Apache-2.0
// What a program that does nothing costs: `host` makes no CUDA call, `launches` prints the
// microseconds of an empty launch.
#include <chrono>
#include <cstdio>
#include <cstring>

__global__ void empty() {}

int main(int count, char** arguments) {
    const char* what = count > 1 ? arguments[1] : "once";
    if (std::strcmp(what, "host") == 0) return 0;
    empty<<<1, 32>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    if (std::strcmp(what, "launches") != 0) return 0;

    constexpr int kLaunches = 10'000;
    const auto start = std::chrono::steady_clock::now();
    for (int launch = 0; launch < kLaunches; ++launch) empty<<<1, 32>>>();
    cudaDeviceSynchronize();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::printf("%.1f\n", time.count() / kLaunches);
    return 0;
}
