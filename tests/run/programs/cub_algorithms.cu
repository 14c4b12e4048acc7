// SPDX-License-Identifier: Apache-2.0
// Algorithms of CUB: over the device, a block and a warp; atomics and reductions of libcu++ and
// cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuda/atomic>

#include <algorithm>
#include <numeric>

#include "check.h"

struct Positive {
    __device__ bool operator()(int v) const { return v > 0; }
};

template <class Call>
void with_storage(Call call) {
    std::size_t bytes = 0;
    CUDA(call(nullptr, bytes));
    DeviceArray<char> storage(bytes + 1);
    CUDA(call(static_cast<void*>(storage), bytes));
    CUDA(cudaDeviceSynchronize());
}

__global__ void in_a_block(const int* in, int* out) {
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    using Scan = cub::BlockScan<int, 128>;
    using Sort = cub::BlockRadixSort<int, 128, 4>;
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ union {
        Load::TempStorage load;
        Store::TempStorage store;
        Scan::TempStorage scan;
        Sort::TempStorage sort;
        Reduce::TempStorage reduce;
    } storage;
    int items[4];
    Load(storage.load).Load(in + blockIdx.x * 512, items);
    __syncthreads();
    const int sum = Reduce(storage.reduce).Sum(items);
    __syncthreads();
    int sorted[4];
    for (int i = 0; i < 4; ++i) sorted[i] = items[i];
    Sort(storage.sort).Sort(sorted);
    __syncthreads();
    Store(storage.store).Store(out + blockIdx.x * 512, sorted);
    __syncthreads();
    Scan(storage.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(storage.store).Store(out + 2048 + blockIdx.x * 512, items);
    if (threadIdx.x == 0) out[4096 + blockIdx.x] = sum;
}

__global__ void in_a_warp(const int* in, int* out) {
    using Reduce = cub::WarpReduce<int>;
    using Scan = cub::WarpScan<int>;
    __shared__ Reduce::TempStorage reduce[4];
    __shared__ Scan::TempStorage scan[4];
    const int warp = threadIdx.x / 32, v = in[threadIdx.x];
    const int most = Reduce(reduce[warp]).Reduce(v, cuda::maximum<int>());
    int before;
    Scan(scan[warp]).ExclusiveSum(v, before);
    out[threadIdx.x] = before;
    if (threadIdx.x % 32 == 0) out[128 + warp] = most;
}

__global__ void with_libcuxx(int* counter, double* sum, unsigned long long* most) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(*counter).fetch_add(
        2, cuda::memory_order_relaxed);
    cuda::atomic_ref<double, cuda::thread_scope_device>(*sum).fetch_add(0.5);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system>(*most).fetch_max(
        blockIdx.x * 1000ull + threadIdx.x);
    __shared__ cuda::atomic<int, cuda::thread_scope_block> own;
    if (threadIdx.x == 0) own.store(0);
    __syncthreads();
    own++;
    __syncthreads();
    if (own.load() != blockDim.x) atomicAdd(counter, 1000000);
}

__global__ void with_groups(const int* in, int* out) {
    namespace cg = cooperative_groups;
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int v = in[threadIdx.x];
    out[threadIdx.x] = cg::exclusive_scan(tile, v) * 1000 + cg::reduce(tile, v, cg::greater<int>());
}

int main() {
    const int n = 6000;
    Random random(23);
    std::vector<int> values(n);
    for (int& v : values) v = static_cast<int>(random.below(1000)) - 500;
    DeviceArray<int> in(values), out(n), one(1), count(1);
    with_storage([&](void* s, std::size_t& b) {
        return cub::DeviceReduce::Sum(s, b, (int*)in, (int*)one, n);
    });
    CHECK(one.host()[0] == std::accumulate(values.begin(), values.end(), 0));
    with_storage([&](void* s, std::size_t& b) {
        return cub::DeviceReduce::Max(s, b, (int*)in, (int*)one, n);
    });
    CHECK(one.host()[0] == *std::max_element(values.begin(), values.end()));
    with_storage([&](void* s, std::size_t& b) {
        return cub::DeviceScan::ExclusiveSum(s, b, (int*)in, (int*)out, n);
    });
    int running = 0;
    auto got = out.host();
    for (int i = 0; i < n; ++i) {
        CHECK_AT(i, got[i] == running);
        running += values[i];
    }
    std::vector<int> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    with_storage([&](void* s, std::size_t& b) {
        return cub::DeviceRadixSort::SortKeys(s, b, (int*)in, (int*)out, n);
    });
    CHECK(out.host() == sorted);
    DeviceArray<int> bins(10);
    with_storage([&](void* s, std::size_t& b) {
        return cub::DeviceHistogram::HistogramEven(s, b, (int*)in, (int*)bins, 11, -500, 500, n);
    });
    std::vector<int> expected(10);
    for (const int v : values) ++expected[(v + 500) / 100];
    CHECK(bins.host() == expected);
    with_storage([&](void* s, std::size_t& b) {
        return cub::DeviceSelect::If(s, b, (int*)in, (int*)out, (int*)count, n, Positive());
    });
    std::vector<int> kept;
    for (const int v : values) {
        if (v > 0) kept.push_back(v);
    }
    CHECK(count.host()[0] == static_cast<int>(kept.size()));
    got = out.host();
    got.resize(kept.size());
    CHECK(got == kept);

    DeviceArray<int> blocks(4096 + 4);
    in_a_block<<<4, 128>>>(in, blocks);
    CHECK_LAUNCH();
    got = blocks.host();
    for (int b = 0; b < 4; ++b) {
        std::vector<int> part(values.begin() + b * 512, values.begin() + b * 512 + 512);
        int sum = 0;
        for (int i = 0; i < 512; ++i) CHECK_AT(i, got[2048 + b * 512 + i] == (sum += part[i]));
        CHECK(got[4096 + b] == sum);
        std::sort(part.begin(), part.end());
        CHECK(std::equal(part.begin(), part.end(), got.begin() + b * 512));
    }
    in_a_warp<<<1, 128>>>(in, blocks);
    CHECK_LAUNCH();
    got = blocks.host();
    for (int w = 0; w < 4; ++w) {
        int sum = 0;
        for (int i = 0; i < 32; ++i) {
            CHECK_AT(i, got[w * 32 + i] == sum);
            sum += values[w * 32 + i];
        }
        CHECK(got[128 + w] ==
              *std::max_element(values.begin() + w * 32, values.begin() + w * 32 + 32));
    }
    DeviceArray<int> counter(1);
    DeviceArray<double> sum(1);
    DeviceArray<unsigned long long> most(1);
    with_libcuxx<<<4, 64>>>(counter, sum, most);
    CHECK_LAUNCH();
    CHECK(counter.host()[0] == 512 && sum.host()[0] == 128.0 && most.host()[0] == 3063);
    with_groups<<<1, 64>>>(in, blocks);
    CHECK_LAUNCH();
    got = blocks.host();
    for (int i = 0; i < 64; ++i) {
        int before = 0;
        for (int k = i / 16 * 16; k < i; ++k) before += values[k];
        CHECK_AT(i, got[i] == before * 1000 + *std::max_element(values.begin() + i / 16 * 16,
                                                                values.begin() + i / 16 * 16 + 16));
    }
}
