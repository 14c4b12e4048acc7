// SPDX-License-Identifier: Apache-2.0
// Kernels of given length and kind. A kernel is compiled at its first launch, so the first launch
// less the second is what compiling it cost, here in processor time: a busy machine changes it
// least.
#include <cstdio>
#include <ctime>

/// Arithmetic in a straight line, one load and one store.
template <int Rounds>
__global__ void straight(const unsigned* in, unsigned* out) {
    unsigned a = in[threadIdx.x], b = a ^ 0x9e3779b9u;
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
        a += (b << (round % 7 + 1)) ^ (b >> (round % 5 + 1));
        b ^= a * (2u * round + 1u);
    }
    out[threadIdx.x] = a ^ b;
}

/// Each round loads, computes and stores.
template <int Rounds>
__global__ void memory(const unsigned* in, unsigned* out) {
    const unsigned base = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
        const unsigned index = (base * (round + 1u)) & 1023u;
        out[(base ^ round) & 1023u] = in[index] * 3u + round;
    }
}

/// Each round branches on data, and both sides touch memory.
template <int Rounds>
__global__ void branches(const unsigned* in, unsigned* out) {
    unsigned state = in[threadIdx.x];
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
        if ((state >> (round % 31)) & 1u) {
            state += in[(state + round) & 1023u];
        } else {
            out[state & 1023u] = round;
            state = state * 5u + 1u;
        }
    }
    out[threadIdx.x] = state;
}

using Kernel = void (*)(const unsigned*, unsigned*);

double launch_ms(Kernel kernel, const unsigned* in, unsigned* out) {
    const std::clock_t start = std::clock();
    kernel<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void report(const char* name, Kernel kernel, const unsigned* in, unsigned* out) {
    const double first = launch_ms(kernel, in, out);
    const double second = launch_ms(kernel, in, out);
    std::printf("%s %.2f\n", name, first - second);
}

template <int Rounds>
__global__ void warm_up(const unsigned*, unsigned*) {}

int main() {
    unsigned *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 0x5a, 4096);
    launch_ms(warm_up<0>, in, out);
    report("straight<11>", straight<11>, in, out);
    report("straight<620>", straight<620>, in, out);
    report("memory<7>", memory<7>, in, out);
    report("memory<380>", memory<380>, in, out);
    report("branches<6>", branches<6>, in, out);
    report("branches<360>", branches<360>, in, out);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
