// SPDX-License-Identifier: Apache-2.0
// What is parsed although it cannot run here: matrices, textures, clusters, bulk copies.
#include <cooperative_groups.h>
#include <mma.h>

#include <cuda/ptx>

using namespace nvcuda;

__global__ void matrices(half* a, half* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float* o) {
    o[0] = tex2D<float>(t, 1.f, 2.f) + tex1Dfetch<float>(t, 3) + tex3D<float4>(t, 1, 2, 3).x;
    surf2Dwrite(1.f, s, 4, 5);
}

__global__ void __cluster_dims__(2, 1, 1) clusters(int* o) {
    __shared__ int s[4];
    const auto cluster = cooperative_groups::this_cluster();
    s[threadIdx.x & 3] = cluster.block_rank();
    cluster.sync();
    o[0] = cluster.map_shared_rank(s, 1)[0];
    cluster.sync();
}

namespace ptx = cuda::ptx;
__global__ void bulk_copies(int* g) {
    __shared__ alignas(16) int s[64];
    __shared__ uint64_t barrier;
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 256, &barrier);
    const auto state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                                      ptx::space_shared, &barrier, 256);
    while (!ptx::mbarrier_try_wait(&barrier, state)) {
    }
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, g, s, 256);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, g, s, 256);
    cudaGridDependencySynchronize();
}
