// SPDX-License-Identifier: Apache-2.0
// Launches kernels in clusters of blocks: of a size that the kernel fixes, and that the launch asks
// for.
#include <cstdio>

__global__ void __cluster_dims__(2, 1, 1) in_pairs(int* out) { out[blockIdx.x] = 1; }

__global__ void anyhow(int* out) { out[blockIdx.x] = 1; }

static void launch_in_fours(int* out) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int i = 0; i < 2; ++i) {
        std::printf("anyhow: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, anyhow, out)));
    }
}

int main() {
    int* out = nullptr;
    cudaMalloc(&out, 4 * sizeof(int));
    launch_in_fours(out);
    cudaGetLastError();
    anyhow<<<4, 32>>>(out);
    std::printf("without clusters: %s\n", cudaGetErrorName(cudaGetLastError()));
    in_pairs<<<4, 32>>>(out);
    std::printf("in_pairs: %s\n", cudaGetErrorName(cudaGetLastError()));
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("synchronise: %s\n", cudaGetErrorName(error));
    return error == cudaSuccess ? 0 : 1;
}
