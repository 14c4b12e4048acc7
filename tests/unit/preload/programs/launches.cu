// SPDX-License-Identifier: Apache-2.0
// Launches in every form, variables of modules, and what CUDA says of kernels that fail. The
// launcher behind it runs nothing.
#include <cooperative_groups.h>

#include "expect.h"

__global__ void succeed(int* out, char c, double d) {
    if (c != 0) *out = static_cast<int>(d);
}
__global__ void use_shared_memory(float* out) {
    extern __shared__ float memory[];
    memory[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = memory[threadIdx.x ^ 1];
}
__global__ void fault_illegal_address(int* out) { *out = 0; }
__global__ void fault_out_of_resources(int* out) { *out = 0; }

__device__ int counter = 5;
__constant__ float table[4] = {1, 2, 3, 4};
__managed__ int shared_with_host = 9;

static void use_variables() {
    int value = 0;
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    EXPECT(value == 5);
    value = 6;
    EXPECT_SUCCESS(cudaMemcpyToSymbol(counter, &value, sizeof value));
    int* address = nullptr;
    EXPECT_SUCCESS(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), counter));
    value = 0;
    EXPECT_SUCCESS(cudaMemcpy(&value, address, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 6);
    float third = 0;
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&third, table, sizeof third, 2 * sizeof third));
    EXPECT(third == 3);
    std::size_t bytes = 0;
    EXPECT_SUCCESS(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == sizeof table);
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpyToSymbol(table, &third, sizeof third, sizeof table));
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, &value));
    EXPECT(shared_with_host == 9);
    shared_with_host = 10;
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&value, shared_with_host, sizeof value));
    EXPECT(value == 10);
    cudaGetLastError();
}

static void launch_in_every_form() {
    int* out;
    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(int)));
    succeed<<<2, 64>>>(out, 1, 2.5);
    EXPECT_SUCCESS(cudaGetLastError());
    char c = 1;
    double d = 2.5;
    void* arguments[] = {&out, &c, &d};
    const void* kernel = reinterpret_cast<const void*>(succeed);
    EXPECT_SUCCESS(cudaLaunchKernel(kernel, dim3(2), dim3(64), arguments, 0, nullptr));
    EXPECT_SUCCESS(cudaLaunchCooperativeKernel(kernel, dim3(2), dim3(64), arguments, 0, nullptr));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(64);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    EXPECT_SUCCESS(cudaLaunchKernelExC(&config, kernel, arguments));
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    EXPECT_ERROR(cudaErrorNotSupported, cudaLaunchKernelExC(&config, kernel, arguments));
    EXPECT_ERROR(cudaErrorInvalidDeviceFunction,
                 cudaLaunchKernel(reinterpret_cast<const void*>(use_variables), dim3(1), dim3(1),
                                  nullptr, 0, nullptr));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT_SUCCESS(cudaFree(out));
    cudaGetLastError();
}

static void ask_about_kernels() {
    cudaFuncAttributes attributes;
    EXPECT_SUCCESS(cudaFuncGetAttributes(&attributes, use_shared_memory));
    EXPECT(attributes.numRegs == 32 && attributes.maxThreadsPerBlock == 1024 &&
           attributes.ptxVersion == 75 && attributes.binaryVersion == 90);
    EXPECT(attributes.maxDynamicSharedSizeBytes == 48 * 1024);
    use_shared_memory<<<1, 32, 48 * 1024 + 4>>>(nullptr);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    constexpr int kBytes = 100 * 1024;
    EXPECT_SUCCESS(cudaFuncSetAttribute(use_shared_memory,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    use_shared_memory<<<1, 32, kBytes>>>(nullptr);
    EXPECT_SUCCESS(cudaGetLastError());
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaFuncSetAttribute(use_shared_memory,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024));
    int blocks = 0;
    EXPECT_SUCCESS(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_shared_memory, 256, 0));
    EXPECT(blocks == 2048 / 256);
    EXPECT_SUCCESS(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_shared_memory, 256, kBytes));
    EXPECT(blocks == 2);
    int grid = 0, block = 0;
    EXPECT_SUCCESS(cudaOccupancyMaxPotentialBlockSize(&grid, &block, succeed, 0, 0));
    EXPECT(block == 1024 && grid == 2 * 132);
    std::size_t offset = 0, size = 0;
    EXPECT_SUCCESS(cudaFuncGetParamInfo(reinterpret_cast<const void*>(succeed), 2, &offset, &size));
    EXPECT(offset == 16 && size == 8);
    cudaGetLastError();
}

static void launch_in_graphs() {
    int* out = nullptr;
    cudaStream_t stream;
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    succeed<<<1, 1, 0, stream>>>(out, 0, 0);
    succeed<<<1, 1, 0, stream>>>(out, 0, 0);
    cudaGraph_t graph;
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    char c = 0;
    double d = 0;
    void* arguments[] = {&out, &c, &d};
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(succeed);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node;
    EXPECT_SUCCESS(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
    cudaGraphExec_t executable;
    EXPECT_SUCCESS(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; ++i) EXPECT_SUCCESS(cudaGraphLaunch(executable, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
}

static void fail() {
    int* out = nullptr;
    // A launch that is refused leaves nothing behind.
    fault_out_of_resources<<<1, 1>>>(out);
    EXPECT(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    const void* kernel = reinterpret_cast<const void*>(fault_out_of_resources);
    void* arguments[] = {&out};
    EXPECT_ERROR(cudaErrorCooperativeLaunchTooLarge,
                 cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr));
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);

    // A fault is seen by the next call that synchronises, then by every call.
    fault_illegal_address<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaGetLastError());
    EXPECT_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT_ERROR(cudaErrorIllegalAddress, cudaMalloc(&out, 4));
    EXPECT_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

int main() {
    use_variables();
    launch_in_every_form();
    ask_about_kernels();
    launch_in_graphs();
    fail();
    std::puts("passed");
}
