// SPDX-License-Identifier: Apache-2.0
// The loops that the engine's kernels are held against, as a C++ programmer writes them. Built by
// g++ -O3 -march=native; run.py prints the ratios of one run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

__attribute__((noinline)) void scale(const float* __restrict in, float* __restrict out, int n) {
    for (int i = 0; i < n; i++) out[i] = in[i] * 2;
}

/// Rows, columns, then the sum, as in the kernel.
__attribute__((noinline)) void matmul(const float* __restrict a, const float* __restrict b,
                                      float* __restrict c, int n) {
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
            c[row * n + column] = sum;
        }
    }
}

template <class Work>
double best_milliseconds(Work work) {
    double best = 1e30;
    for (int repeat = 0; repeat < 7; repeat++) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count());
    }
    return best;
}

}  // namespace

int main() {
    const int n = 1 << 24;
    std::vector<float> in(n), out(n), result(512 * 512);
    for (float& value : in) value = static_cast<float>(std::rand() % 1000) / 1000.f;
    std::printf("scale %.3f\n", best_milliseconds([&] { scale(in.data(), out.data(), n); }));
    std::printf("matmul %.3f\n",
                best_milliseconds([&] { matmul(in.data(), out.data(), result.data(), 512); }));
    return result[77] == 0;
}
