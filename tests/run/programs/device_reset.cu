// SPDX-License-Identifier: Apache-2.0
// What cudaDeviceReset leaves of a device: nothing of what the program had there, variables as they
// were at the start, settings as they are by default. As CUDA 13 answered on an H100 (driver 580).
// With the argument "fault": a reset does not bring back what a kernel's fault took.
#include <cstring>

#include "check.h"

__device__ int counter = 5;
__device__ int* pointer_to_counter = &counter;
__constant__ float table[2] = {1, 2};
extern __shared__ int dynamic[];

__global__ void count(int* out) { *out = ++*pointer_to_counter; }
__global__ void use_shared() { dynamic[threadIdx.x] = 1; }

static int counted() {
    int *out, value = 0;
    CUDA(cudaMalloc(&out, sizeof value));
    count<<<1, 1>>>(out);
    CUDA(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(out));
    return value;
}

static void check_memory() {
    constexpr std::size_t kBytes = std::size_t{64} << 20;
    int *device, *pinned, *managed, value = 0;
    static int registered[1024];
    std::size_t free_before, free_after, total;
    CUDA(cudaMemGetInfo(&free_before, &total));
    CUDA(cudaMalloc(&device, kBytes));
    CUDA(cudaMallocHost(&pinned, kBytes));
    CUDA(cudaMallocManaged(&managed, kBytes));
    CUDA(cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault));
    CUDA(cudaDeviceReset());
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    CHECK(cudaFree(device) == cudaErrorInvalidValue);
    CHECK(cudaFreeHost(pinned) == cudaErrorInvalidValue);
    CHECK(cudaFree(managed) == cudaErrorInvalidValue);
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, device));
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
    CUDA(cudaMemGetInfo(&free_after, &total));
    CHECK(free_after + kBytes > free_before);
    registered[0] = 1;  // the program's own memory all along
    CUDA(cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault));
    CUDA(cudaHostUnregister(registered));
    cudaGetLastError();
}

static void check_variables() {
    CHECK(counted() == 6);
    CHECK(counted() == 7);
    const float changed[2] = {3, 4};
    CUDA(cudaMemcpyToSymbol(table, changed, sizeof changed));
    CUDA(cudaDeviceReset());
    CHECK(counted() == 6);
    float found[2];
    CUDA(cudaMemcpyFromSymbol(found, table, sizeof found));
    CHECK(found[0] == 1 && found[1] == 2);
}

static void check_settings() {
    std::size_t heap, stack, found;
    CUDA(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CUDA(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 * heap));
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 4 * stack));
    CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    constexpr int kSharedBytes = 64 * 1024;
    CUDA(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              kSharedBytes));
    use_shared<<<1, 32, kSharedBytes>>>();
    CHECK_LAUNCH();

    // A reset keeps the thread's last error.
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    CUDA(cudaDeviceReset());
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CUDA(cudaGetLastError());

    CUDA(cudaDeviceGetLimit(&found, cudaLimitMallocHeapSize));
    CHECK(found == heap);
    CUDA(cudaDeviceGetLimit(&found, cudaLimitStackSize));
    CHECK(found == stack);
    cudaFuncCache config;
    CUDA(cudaDeviceGetCacheConfig(&config));
    CHECK(config == cudaFuncCachePreferNone);
    unsigned flags;
    CUDA(cudaGetDeviceFlags(&flags));
    CHECK(flags == cudaDeviceMapHost);
    use_shared<<<1, 32, kSharedBytes>>>();  // what was allowed to the kernel stays allowed
    CHECK_LAUNCH();
}

static void check_after_fault() {
    count<<<1, 1>>>(nullptr);
    CHECK(cudaDeviceReset() == cudaSuccess);
    int* out;
    CHECK(cudaMalloc(&out, sizeof *out) != cudaSuccess);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
}

int main(int argc, char** argv) {
    CUDA(cudaDeviceReset());  // before there is anything
    if (argc > 1 && std::strcmp(argv[1], "fault") == 0) {
        check_after_fault();
        return 0;
    }
    check_memory();
    check_variables();
    check_settings();
    CUDA(cudaDeviceReset());
    return 0;
}
