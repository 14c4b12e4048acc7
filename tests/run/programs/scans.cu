// SPDX-License-Identifier: Apache-2.0
// Prefix sums: Hillis-Steele, Blelloch, by shuffles, and in one pass over the grid with decoupled
// look-back.
#include "check.h"

__global__ void hillis_steele(const int* in, int* out, int n) {
    extern __shared__ int buffers[];
    int from = 0, to = 1;
    const int t = threadIdx.x;
    buffers[t] = in[t];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        buffers[to * n + t] =
            buffers[from * n + t] + (t >= offset ? buffers[from * n + t - offset] : 0);
        __syncthreads();
        from = 1 - from, to = 1 - to;
    }
    out[t] = buffers[from * n + t];
}

__global__ void blelloch(const int* in, int* out, int n) {
    extern __shared__ int data[];
    const int t = threadIdx.x;
    data[2 * t] = in[2 * t];
    data[2 * t + 1] = in[2 * t + 1];
    int offset = 1;
    for (int d = n / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) data[offset * (2 * t + 2) - 1] += data[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) data[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            const int left = data[a];
            data[a] = data[b];
            data[b] += left;
        }
    }
    __syncthreads();
    out[2 * t] = data[2 * t];
    out[2 * t + 1] = data[2 * t + 1];
}

__device__ int block_inclusive_scan(int v) {
    __shared__ int sums[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        const int other = __shfl_up_sync(~0u, v, offset);
        if (lane >= offset) v += other;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int offset = 1; offset < 32; offset *= 2) {
            const int other = __shfl_up_sync(~0u, s, offset);
            if (lane >= offset) s += other;
        }
        sums[lane] = s;
    }
    __syncthreads();
    return v + (warp > 0 ? sums[warp - 1] : 0);
}

__global__ void by_shuffles(const int* in, int* out) {
    out[threadIdx.x] = block_inclusive_scan(in[threadIdx.x]);
}

__device__ unsigned next_tile;

/// Flags: 0 nothing yet, 1 the tile's sum, 2 the sum up to its end.
__global__ void look_back(const int* in, int* out, int n, volatile int* flags, volatile int* sums,
                          volatile int* prefixes) {
    __shared__ int tile, before;
    if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1);
    __syncthreads();
    const int i = tile * blockDim.x + threadIdx.x;
    const int inclusive = block_inclusive_scan(i < n ? in[i] : 0);
    if (threadIdx.x == blockDim.x - 1) {
        sums[tile] = inclusive;
        __threadfence();
        if (tile > 0) flags[tile] = 1;
        int running = 0;
        for (int t = tile - 1; t >= 0; --t) {
            int flag;
            do {
                flag = flags[t];
            } while (flag == 0);
            __threadfence();
            if (flag == 2) {
                running += prefixes[t];
                break;
            }
            running += sums[t];
        }
        prefixes[tile] = running + inclusive;
        __threadfence();
        flags[tile] = 2;
        before = running;
    }
    __syncthreads();
    if (i < n) out[i] = before + inclusive;
}

/// A chain over blocks: each waits for its predecessor.
__global__ void chained(const int* in, int* out, volatile int* ready, volatile int* carry) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int inclusive = block_inclusive_scan(in[i]);
    __shared__ int before;
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            while (ready[blockIdx.x - 1] == 0) {
            }
            __threadfence();
            before = carry[blockIdx.x - 1];
        } else {
            before = 0;
        }
    }
    __syncthreads();
    out[i] = before + inclusive;
    if (threadIdx.x == blockDim.x - 1) {
        carry[blockIdx.x] = before + inclusive;
        __threadfence();
        ready[blockIdx.x] = 1;
    }
}

int main() {
    const int n = 8192;
    std::vector<int> in(n), inclusive(n);
    Random random(11);
    int running = 0;
    for (int i = 0; i < n; ++i) {
        in[i] = static_cast<int>(random.below(50)) - 20;
        inclusive[i] = running += in[i];
    }
    DeviceArray<int> din(in), out(n);
    hillis_steele<<<1, 512, 2 * 512 * sizeof(int)>>>(din, out, 512);
    CHECK_LAUNCH();
    auto result = out.host();
    for (int i = 0; i < 512; ++i) CHECK_AT(i, result[i] == inclusive[i]);
    blelloch<<<1, 256, 512 * sizeof(int)>>>(din, out, 512);
    CHECK_LAUNCH();
    result = out.host();
    for (int i = 0; i < 512; ++i) CHECK_AT(i, result[i] == inclusive[i] - in[i]);
    by_shuffles<<<1, 1024>>>(din, out);
    CHECK_LAUNCH();
    result = out.host();
    for (int i = 0; i < 1024; ++i) CHECK_AT(i, result[i] == inclusive[i]);

    DeviceArray<int> flags(64), sums(64), prefixes(64);
    look_back<<<32, 256>>>(din, out, n, flags, sums, prefixes);
    CHECK_LAUNCH();
    result = out.host();
    for (int i = 0; i < n; ++i) CHECK_AT(i, result[i] == inclusive[i]);

    DeviceArray<int> ready(64), carry(64);
    chained<<<32, 256>>>(din, out, ready, carry);
    CHECK_LAUNCH();
    result = out.host();
    for (int i = 0; i < n; ++i) CHECK_AT(i, result[i] == inclusive[i]);
}
