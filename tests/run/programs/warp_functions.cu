// SPDX-License-Identifier: Apache-2.0
// Warp-wide functions with full and partial masks, sub-warp widths, 64-bit and floating-point
// values, parted warps, named barriers and barriers that vote.
#include "check.h"

__global__ void shuffles(const int* in, int* out) {
    const int t = threadIdx.x, v = in[t];
    int* own = out + t * 12;
    own[0] = __shfl_sync(~0u, v, (t * 5) % 32);
    own[1] = __shfl_sync(~0u, v, t + 3, 8);
    own[2] = __shfl_up_sync(~0u, v, 3);
    own[3] = __shfl_up_sync(~0u, v, 2, 8);
    own[4] = __shfl_down_sync(~0u, v, 5);
    own[5] = __shfl_down_sync(~0u, v, 1, 4);
    own[6] = __shfl_xor_sync(~0u, v, 9);
    own[7] = __shfl_xor_sync(~0u, v, 3, 16);
    own[8] = static_cast<int>(__shfl_sync(~0u, v * 0.5, 31 - t % 32) * 4);
    own[9] = static_cast<int>(__shfl_xor_sync(~0u, static_cast<long long>(v) << 33, 1) >> 30);
    own[10] = static_cast<int>(__shfl_down_sync(~0u, v * 0.25f, 16) * 8);
    own[11] = __shfl_sync(~0u, v, 0);
}

__global__ void votes(const int* in, unsigned* out) {
    const int t = threadIdx.x, v = in[t];
    unsigned* own = out + t * 10;
    own[0] = __ballot_sync(~0u, v % 3 == 0);
    own[1] = __any_sync(~0u, v == 77);
    own[2] = __all_sync(~0u, v >= 0);
    own[3] = __match_any_sync(~0u, v % 5);
    int same;
    own[4] = __match_all_sync(~0u, v / 100000, &same);
    own[5] = same;
    own[6] = __reduce_add_sync(~0u, static_cast<unsigned>(v));
    own[7] = __reduce_max_sync(~0u, v - 50);
    own[8] = __reduce_xor_sync(~0u, static_cast<unsigned>(v));
    own[9] = 0;
    if (t % 2 == 0) {
        own[9] = __ballot_sync(0x55555555u, v % 3 == 0) ^ __activemask();
    } else {
        own[9] = __reduce_min_sync(0xaaaaaaaau, static_cast<unsigned>(v));
    }
}

/// Each part of a warp synchronises by itself, then all together.
__global__ void parted(int* out) {
    __shared__ int slots[32];
    const int t = threadIdx.x;
    int value = t;
    if (t < 12) {
        for (int k = 0; k < t; ++k) value += k;
        slots[t] = value;
        __syncwarp(0xfff);
        value = slots[11 - t];
    } else {
        slots[t] = value * 2;
        __syncwarp(~0xfffu);
        value = slots[43 - t] + 1;
    }
    __syncwarp();
    slots[t] = value;
    __syncwarp();
    out[t] = slots[(t + 1) % 32];
}

/// Producers and consumers on named barriers, as warp-specialised kernels use them.
__global__ void named_barriers(int* out, int rounds) {
    __shared__ int buffers[2][64];
    const bool produces = threadIdx.x < 64;
    const int t = threadIdx.x % 64;
    if (produces) {
        for (int r = 0; r < rounds; ++r) {
            if (r >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + r % 2) : "memory");
            buffers[r % 2][t] = r * 1000 + t;
            asm volatile("bar.arrive %0, 128;" ::"r"(1 + r % 2) : "memory");
        }
    } else {
        for (int r = 0; r < rounds; ++r) {
            asm volatile("bar.sync %0, 128;" ::"r"(1 + r % 2) : "memory");
            out[r * 64 + t] = buffers[r % 2][63 - t];
            if (r + 2 < rounds) asm volatile("bar.arrive %0, 128;" ::"r"(3 + r % 2) : "memory");
        }
    }
}

__global__ void half_blocks(int* out) {
    __shared__ int data[128];
    const int half = threadIdx.x / 64, t = threadIdx.x % 64;
    for (int r = 0; r < 3 + half; ++r) {
        data[threadIdx.x] = r * 100 + t;
        if (half == 0)
            asm volatile("bar.sync 1, 64;" ::: "memory");
        else
            asm volatile("bar.sync 2, 64;" ::: "memory");
        out[threadIdx.x] = data[half * 64 + (t + 40) % 64];
        if (half == 0)
            asm volatile("barrier.sync 1, 64;" ::: "memory");
        else
            asm volatile("barrier.sync 2, 64;" ::: "memory");
    }
}

__global__ void voting_barriers(const int* in, int* out) {
    const int v = in[threadIdx.x];
    out[threadIdx.x * 3] = __syncthreads_count(v % 3 == 0);
    out[threadIdx.x * 3 + 1] = __syncthreads_and(v >= 0);
    out[threadIdx.x * 3 + 2] = __syncthreads_or(v == 12345678);
}

int main() {
    std::vector<int> in(96);
    for (int i = 0; i < 96; ++i) in[i] = i * 37 % 101;
    DeviceArray<int> din(in), out(96 * 12);
    shuffles<<<1, 96>>>(din, out);
    CHECK_LAUNCH();
    const auto s = out.host();
    for (int i = 0; i < 96; ++i) {
        const int l = i % 32, base = i - l;
        const auto at = [&](int lane) { return in[base + lane]; };
        const int* own = s.data() + i * 12;
        CHECK_AT(i, own[0] == at(i * 5 % 32));
        CHECK_AT(i, own[1] == at(l / 8 * 8 + (i + 3) % 8));
        CHECK_AT(i, own[2] == at(l >= 3 ? l - 3 : l));
        CHECK_AT(i, own[3] == at(l % 8 >= 2 ? l - 2 : l));
        CHECK_AT(i, own[4] == at(l + 5 < 32 ? l + 5 : l));
        CHECK_AT(i, own[5] == at(l % 4 < 3 ? l + 1 : l));
        CHECK_AT(i, own[6] == at(l ^ 9));
        CHECK_AT(i, own[7] == at(l ^ 3));
        CHECK_AT(i, own[8] == at(31 - l) * 2);
        CHECK_AT(i, own[9] == at(l ^ 1) * 8);
        CHECK_AT(i, own[10] == at(l < 16 ? l + 16 : l) * 2);
        CHECK_AT(i, own[11] == at(0));
    }

    DeviceArray<unsigned> voted(96 * 10);
    votes<<<1, 96>>>(din, voted);
    CHECK_LAUNCH();
    const auto v = voted.host();
    for (int i = 0; i < 96; ++i) {
        const int base = i / 32 * 32;
        unsigned ballot = 0, any = 0, match = 0, sum = 0, flipped = 0, least = ~0u;
        int most = -1000;
        for (int l = 0; l < 32; ++l) {
            const int x = in[base + l];
            ballot |= unsigned(x % 3 == 0) << l;
            any |= x == 77;
            match |= unsigned(x % 5 == in[i] % 5) << l;
            sum += x, flipped ^= x;
            most = std::max(most, x - 50);
            if (l % 2) least = std::min<unsigned>(least, x);
        }
        const unsigned* own = v.data() + i * 10;
        CHECK_AT(i, own[0] == ballot && own[1] == any && own[2] == 1 && own[3] == match);
        CHECK_AT(i, own[4] == ~0u && own[5] == 1 && own[6] == sum && int(own[7]) == most &&
                        own[8] == flipped);
        CHECK_AT(i, own[9] == (i % 2 ? least : (ballot & 0x55555555u) ^ 0x55555555u));
    }

    parted<<<1, 32>>>(out);
    CHECK_LAUNCH();
    std::vector<int> expected(32);
    for (int t = 0; t < 32; ++t) {
        const int from = t < 12 ? 11 - t : 43 - t;
        expected[t] = t < 12 ? from + from * (from - 1) / 2 : from * 2 + 1;
    }
    for (int t = 0; t < 32; ++t) CHECK_AT(t, out.host()[t] == expected[(t + 1) % 32]);

    named_barriers<<<1, 128>>>(out, 10);
    CHECK_LAUNCH();
    for (int i = 0; i < 640; ++i) CHECK_AT(i, out.host()[i] == i / 64 * 1000 + 63 - i % 64);
    half_blocks<<<1, 128>>>(out);
    CHECK_LAUNCH();
    for (int i = 0; i < 128; ++i)
        CHECK_AT(i, out.host()[i] == (2 + i / 64) * 100 + (i % 64 + 40) % 64);
    voting_barriers<<<1, 96>>>(din, out);
    CHECK_LAUNCH();
    int thirds = 0;
    for (const int x : in) thirds += x % 3 == 0;
    for (int i = 0; i < 96; ++i) {
        CHECK_AT(i, out.host()[i * 3] == thirds && out.host()[i * 3 + 1] != 0 &&
                        out.host()[i * 3 + 2] == 0);
    }
}
