// SPDX-License-Identifier: Apache-2.0
// The kernels of the experiment divergence: lanes of a warp that part.
#pragma once

constexpr unsigned kThreads = 64;
constexpr unsigned kTrips = 8;

/// Which threads take the first way, by their number in the block and their warp's in the grid.
struct LanesBelow {
    unsigned count;
    __host__ __device__ bool operator()(unsigned thread, unsigned) const {
        return thread % 32 < count;
    }
};
struct WarpsBelow {  ///< as many threads of 32 warps, but whole warps
    unsigned count;
    __host__ __device__ bool operator()(unsigned, unsigned warp) const { return warp % 32 < count; }
};
struct Above2 {
    __host__ __device__ bool operator()(unsigned thread, unsigned) const { return thread > 2; }
};

/// Element `thread` of every row that is walked, rows one after the other.
__host__ __device__ inline float sum_of(const float* x, std::size_t step, unsigned trips) {
    float sum = 0;
#pragma unroll 1
    for (unsigned trip = 0; trip < trips; ++trip) sum += x[trip * step];
    return sum;
}
__host__ __device__ inline float highest_of(const float* x, std::size_t step, unsigned trips) {
    float highest = 0;
#pragma unroll 1
    for (unsigned trip = 0; trip < trips; ++trip) highest = fmaxf(highest, x[trip * step]);
    return highest;
}

/// One way or the other: each reads as many rows.
template <class TakesFirst>
__global__ void if_else(const float* x, float* y, TakesFirst takes_first) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned threads = gridDim.x * blockDim.x;
    float value;
    if (takes_first(threadIdx.x, i / 32)) {
        value = sum_of(x + i, threads, kTrips);
    } else {
        value = highest_of(x + i, threads, kTrips);
    }
    y[i] = value;
}

struct FourToEight {
    __host__ __device__ unsigned operator()(unsigned thread) const { return 4 + thread % 5; }
};
struct ThreadIndex {
    __host__ __device__ unsigned operator()(unsigned thread) const { return thread; }
};

/// As many trips as the thread's number says.
template <class Trips>
__global__ void loop_of(const float* x, float* y, Trips trips) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = sum_of(x + i, std::size_t{gridDim.x} * blockDim.x, trips(threadIdx.x));
}

__global__ void add_vectors(const float* a, const float* b, float* c, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
