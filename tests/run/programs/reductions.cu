// SPDX-License-Identifier: Apache-2.0
// Reductions: tree in shared memory, sequential and interleaved, shuffles, cooperative-groups
// tiles, the last block's.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void tree(const int* in, int* out, int n) {
    extern __shared__ int data[];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    data[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) data[t] += data[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = data[0];
}

__global__ void interleaved(const int* in, int* out, int n) {
    extern __shared__ int data[];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    data[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) data[t] += data[t + s];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, data[0]);
}

template <class T>
__device__ T warp_sum(T v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(~0u, v, offset);
    return v;
}

template <class T>
__global__ void by_shuffles(const T* in, T* out, int n) {
    __shared__ T partial[32];
    T v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += in[i];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < (blockDim.x + 31) / 32 ? partial[lane] : T(0);
        v = warp_sum(v);
        if (lane == 0) atomicAdd(out, v);
    }
}

/// The last warp without barriers, as old programs write it: volatile shared memory.
__global__ void unrolled_volatile(const int* in, int* out) {
    __shared__ volatile int data[128];
    const unsigned t = threadIdx.x;
    data[t] = in[blockIdx.x * 256 + t] + in[blockIdx.x * 256 + t + 128];
    __syncthreads();
    if (t < 64) data[t] = data[t] + data[t + 64];
    __syncthreads();
    if (t < 32) {
        int v = data[t] + data[t + 32];
        __syncwarp();
        data[t] = v;
        __syncwarp();
        for (int s = 16; s > 0; s /= 2) {
            v += data[t + s];
            __syncwarp();
            data[t] = v;
            __syncwarp();
        }
    }
    if (t == 0) out[blockIdx.x] = data[0];
}

template <int kSize>
__global__ void by_tiles(const int* in, int* out) {
    auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) v += tile.shfl_down(v, offset);
    if (tile.thread_rank() == 0) out[i / kSize] = v;
    const int all = cg::reduce(tile, in[i], cg::plus<int>());
    const int least = cg::reduce(tile, in[i], cg::less<int>());
    if (tile.shfl(v, 0) != all) atomicAdd(out + 1023, 1000000);
    if (least > in[i]) atomicAdd(out + 1023, 1000000);
}

/// Groups of several warps meet, and pass on what they have, in the shared memory that is reserved
/// for them; the kernel's own lies behind it.
template <int kSize>
__global__ void by_tiles_of_warps(const int* in, int* out) {
    extern __shared__ int own[];
    __shared__ cg::block_tile_memory<512> memory;
    __shared__ int counts[512];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    own[t] = in[i];
    counts[t] = t;
    auto tile = cg::tiled_partition<kSize>(cg::this_thread_block(memory));
    for (int round = 1; round <= 3; ++round) {
        const int sum = cg::reduce(tile, in[i] * round, cg::plus<int>());
        const int most = cg::reduce(tile, in[i], cg::greater<int>());
        const int last = tile.shfl(in[i], kSize - 1);
        if (tile.thread_rank() == 0) out[i / kSize] = sum / round;
        if (most < in[i] || tile.any(in[i] < 0)) atomicAdd(out, 1000000);
        if (tile.thread_rank() == kSize - 1 && last != in[i]) atomicAdd(out, 1000000);
    }
    __syncthreads();
    if (own[t] != in[i] || counts[t] != t) atomicAdd(out, 1000000);
}

/// Only some of a warp's threads take part.
__global__ void by_coalesced_group(const int* in, int* out) {
    const int v = in[threadIdx.x];
    if (v % 3 == 1) {
        const cg::coalesced_group group = cg::coalesced_threads();
        int sum = v;
        for (int offset = 1; offset < 32; offset *= 2) {
            const int other = group.shfl_up(sum, offset);
            if (group.thread_rank() >= offset) sum += other;
        }
        if (group.thread_rank() == group.size() - 1) atomicAdd(out, sum);
    }
}

__device__ unsigned blocks_done;

__global__ void last_block_sums(const int* in, volatile int* partial, int* out, int n) {
    __shared__ int sum;
    __shared__ bool is_last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int total = 0;
        for (int b = 0; b < gridDim.x; ++b) total += partial[b];
        *out = total;
    }
}

__global__ void whole_grid(const int* in, int* partial, int* out, int n) {
    cg::grid_group grid = cg::this_grid();
    const int rank = grid.thread_rank();
    int sum = 0;
    for (int i = rank; i < n; i += grid.size()) sum += in[i];
    partial[rank] = sum;
    for (int s = grid.size() / 2; s > 0; s /= 2) {
        grid.sync();
        if (rank < s) partial[rank] += partial[rank + s];
    }
    grid.sync();
    if (rank == 0) *out = partial[0];
}

int main() {
    const int n = 4096;
    std::vector<int> in(n);
    Random random(3);
    for (int& v : in) v = random.below(100);
    int sum = 0;
    for (const int v : in) sum += v;
    DeviceArray<int> din(in);
    const auto total = [](const DeviceArray<int>& array) {
        int result = 0;
        for (const int v : array.host()) result += v;
        return result;
    };
    for (const int block : {32, 64, 256, 1024}) {
        DeviceArray<int> partial(n / block), one(1), two(1);
        tree<<<n / block, block, block * sizeof(int)>>>(din, partial, n);
        CHECK_LAUNCH();
        CHECK(total(partial) == sum);
        interleaved<<<n / block, block, block * sizeof(int)>>>(din, one, n);
        CHECK_LAUNCH();
        CHECK(one.host()[0] == sum);
        by_shuffles<<<3, block>>>((const int*)din, (int*)two, n);
        CHECK_LAUNCH();
        CHECK(two.host()[0] == sum);
    }
    std::vector<double> reals(in.begin(), in.end());
    DeviceArray<double> dreals(reals), dsum(1);
    by_shuffles<<<5, 96>>>((const double*)dreals, (double*)dsum, n);
    CHECK_LAUNCH();
    CHECK(dsum.host()[0] == sum);

    DeviceArray<int> out(1024);
    unrolled_volatile<<<n / 256, 128>>>(din, out);
    CHECK_LAUNCH();
    CHECK(total(out) == sum);

    DeviceArray<int> quads(1024 + 1), eights(1024), sixteens(1024), warps(1024);
    int first = 0;
    for (int i = 0; i < 1024; ++i) first += in[i];
    by_tiles<4><<<4, 256>>>(din, quads);
    by_tiles<8><<<4, 256>>>(din, eights);
    by_tiles<16><<<4, 256>>>(din, sixteens);
    by_tiles<32><<<4, 256>>>(din, warps);
    CHECK_LAUNCH();
    CHECK(total(quads) == first && total(eights) == first && total(sixteens) == first &&
          total(warps) == first);

    DeviceArray<int> twos(1024), fours(1024), whole_blocks(1024);
    by_tiles_of_warps<64><<<2, 512, 512 * sizeof(int)>>>(din, twos);
    by_tiles_of_warps<128><<<2, 512, 512 * sizeof(int)>>>(din, fours);
    by_tiles_of_warps<512><<<2, 512, 512 * sizeof(int)>>>(din, whole_blocks);
    CHECK_LAUNCH();
    CHECK(total(twos) == first && total(fours) == first && total(whole_blocks) == first);

    DeviceArray<int> grouped(1);
    by_coalesced_group<<<1, 128>>>(din, grouped);
    CHECK_LAUNCH();
    int expected = 0;
    for (int i = 0; i < 128; ++i) expected += in[i] % 3 == 1 ? in[i] : 0;
    CHECK(grouped.host()[0] == expected);

    DeviceArray<int> partial(64), result(1);
    for (int repeat = 0; repeat < 2; ++repeat) {
        last_block_sums<<<32, 128>>>(din, partial, result, n);
        CHECK_LAUNCH();
        CHECK(result.host()[0] == sum);
    }

    DeviceArray<int> scratch(1024), answer(1);
    int* arguments_in = din;
    int* arguments_partial = scratch;
    int* arguments_out = answer;
    int count = n;
    void* arguments[] = {&arguments_in, &arguments_partial, &arguments_out, &count};
    CUDA(cudaLaunchCooperativeKernel((void*)whole_grid, dim3(8), dim3(128), arguments, 0, nullptr));
    CHECK_LAUNCH();
    CHECK(answer.host()[0] == sum);
}
