// SPDX-License-Identifier: Apache-2.0
// Atomics of every type and scope, cooperative groups, barriers, pipelines.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

__global__ void integer_atomics(int* i, unsigned* u, unsigned long long* l, unsigned short* s) {
    atomicMin(i, 3);
    atomicMax(i, 4);
    atomicAnd(i, 5);
    atomicOr(i, 6);
    atomicXor(i, 7);
    atomicInc(u, 8);
    atomicDec(u, 9);
    atomicAdd_block(i, 1);
    atomicAdd_system(i, 2);
    u[1] = atomicCAS(u, 1, 2) + atomicExch(u, 3);
    l[1] = atomicCAS(l, 1ull, 2ull);
    atomicMax(l, 3ull);
    s[1] = atomicCAS(s, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(*i);
    ref.fetch_add(1, cuda::memory_order_acq_rel);
    ref.store(3, cuda::memory_order_release);
    i[3] = ref.load(cuda::memory_order_acquire);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}

__global__ void float_atomics(float* f, double* d, __half* h, __half2* h2, __nv_bfloat16* b) {
    f[1] = atomicAdd(f, 1.f) + atomicExch(f, 2.f);
    atomicAdd(d, 1.0);
    atomicAdd(h, __half(1.f));
    atomicAdd(h2, __half2(1.f, 2.f));
    atomicAdd(b, __nv_bfloat16(1.f));
}

__global__ void groups(const int* in, int* out) {
    const auto grid = cg::this_grid();
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(block);
    int v = in[grid.thread_rank()];
    v = cg::reduce(warp, v, cg::plus<int>());
    v += cg::reduce(eight, v, cg::greater<int>());
    const auto active = cg::coalesced_threads();
    v += active.shfl(v, 0) + warp.any(v > 3) + warp.match_any(v);
    grid.sync();
    block.sync();
    int all;
    v += __match_all_sync(~0u, v, &all) + __activemask() + __ballot_sync(~0u, v);
    __syncwarp();
    out[0] = v + all + __syncthreads_count(v) + __syncthreads_and(v) + __syncthreads_or(all);
    out[1] = __shfl_xor_sync(~0u, v, 3) + __shfl_up_sync(~0u, v, 1, 16) + __shfl_sync(0xff, v, 5);
#if __CUDA_ARCH__ >= 800
    out[2] = __reduce_add_sync(~0u, v);
#endif
}

__global__ void copies(const float4* in, float4* out) {
    __shared__ float4 buffer[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    const auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, buffer[0], in, sizeof(float4) * 128, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[threadIdx.x] = buffer[0][threadIdx.x];
    pipe.consumer_release();
    __pipeline_memcpy_async(&buffer[1][threadIdx.x], &in[threadIdx.x], 16, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    barrier.arrive_and_wait();
    cg::memcpy_async(block, buffer[0], in + 128, sizeof(float4) * 128);
    cg::wait(block);
    out[threadIdx.x + 128] = buffer[1][threadIdx.x];
}
