// SPDX-License-Identifier: Apache-2.0
// Settings of the device, of streams and of kernels that steer hardware alone, peers, pools,
// flags: what CUDA 13 answered on an H100 (driver 580) where its documentation leaves it open.
#include <cuda_profiler_api.h>

#include <cstring>

#include "expect.h"

__global__ void kernel(int* out) { *out = 1; }
static int no_kernel;

static void set_flags() {
    unsigned flags = 0;
    EXPECT_SUCCESS(cudaGetDeviceFlags(&flags));
    EXPECT(flags == cudaDeviceMapHost);
    EXPECT_SUCCESS(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    EXPECT_SUCCESS(cudaGetDeviceFlags(&flags));
    EXPECT(flags == (cudaDeviceScheduleBlockingSync | cudaDeviceMapHost));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaSetDeviceFlags(0x1000));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaSetDeviceFlags(cudaDeviceScheduleMask));
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
}

static void prefer_caches() {
    cudaFuncCache config;
    EXPECT_SUCCESS(cudaDeviceGetCacheConfig(&config));
    EXPECT(config == cudaFuncCachePreferNone);
    EXPECT_SUCCESS(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    EXPECT_SUCCESS(cudaDeviceGetCacheConfig(&config));
    EXPECT(config == cudaFuncCachePreferL1);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(9)));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceGetCacheConfig(nullptr));
    for (const cudaFuncCache preferred : {cudaFuncCachePreferNone, cudaFuncCachePreferShared,
                                          cudaFuncCachePreferL1, cudaFuncCachePreferEqual}) {
        EXPECT_SUCCESS(cudaFuncSetCacheConfig(kernel, preferred));
    }
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaFuncSetCacheConfig(kernel, static_cast<cudaFuncCache>(9)));
    EXPECT(cudaFuncSetCacheConfig(static_cast<const void*>(&no_kernel), cudaFuncCachePreferL1) !=
           cudaSuccess);
    EXPECT_SUCCESS(cudaCtxResetPersistingL2Cache());
    cudaGetLastError();
}

/// Brackets for a profiler that is not there.
static void profile() {
    for (int i = 0; i < 2; ++i) EXPECT_SUCCESS(cudaProfilerStart());
    for (int i = 0; i < 2; ++i) EXPECT_SUCCESS(cudaProfilerStop());
}

static void choose_device() {
    int device = -1;
    cudaDeviceProp properties;
    EXPECT_SUCCESS(cudaGetDeviceProperties(&properties, 0));
    EXPECT_SUCCESS(cudaChooseDevice(&device, &properties));
    EXPECT(device == 0);
    EXPECT_SUCCESS(cudaInitDevice(0, 0, 0));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaInitDevice(5, 0, 0));
    EXPECT_SUCCESS(cudaSetValidDevices(&device, 1));
    device = 5;
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetValidDevices(&device, 1));
    int least = -1, greatest = 1;
    EXPECT_SUCCESS(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(least == 0 && greatest < least);
    int version = 0;
    EXPECT_SUCCESS(cudaDriverGetVersion(&version));
    EXPECT(version >= 13000);
    cudaGetLastError();
}

/// A device is no peer of its own.
static void meet_peers() {
    int can = -1;
    EXPECT_SUCCESS(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can == 0);
    EXPECT_ERROR(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    EXPECT_ERROR(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(99, 0));
    int *from, *to, value = 42;
    EXPECT_SUCCESS(cudaMalloc(&from, sizeof value));
    EXPECT_SUCCESS(cudaMalloc(&to, sizeof value));
    EXPECT_SUCCESS(cudaMemcpy(from, &value, sizeof value, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpyPeer(to, 0, from, 0, sizeof value));
    value = 0;
    EXPECT_SUCCESS(cudaMemcpy(&value, to, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 42);
    EXPECT_SUCCESS(cudaFree(from));
    EXPECT_SUCCESS(cudaFree(to));
    cudaGetLastError();
}

static void set_stream_attributes() {
    cudaStream_t stream, other;
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamCreate(&other));
    char* memory;
    EXPECT_SUCCESS(cudaMalloc(&memory, 4096));
    cudaStreamAttrValue set = {}, found = {};
    set.accessPolicyWindow.base_ptr = memory;
    set.accessPolicyWindow.num_bytes = 4096;
    set.accessPolicyWindow.hitRatio = 0.5f;
    set.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    set.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    constexpr auto kWindow = cudaStreamAttributeAccessPolicyWindow;
    EXPECT_SUCCESS(cudaStreamSetAttribute(stream, kWindow, &set));
    EXPECT_SUCCESS(cudaStreamGetAttribute(stream, kWindow, &found));
    EXPECT(found.accessPolicyWindow.num_bytes == 4096 &&
           found.accessPolicyWindow.base_ptr == memory &&
           found.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting);
    EXPECT_SUCCESS(cudaStreamGetAttribute(other, kWindow, &found));
    EXPECT(found.accessPolicyWindow.num_bytes == 0);
    EXPECT_SUCCESS(cudaStreamCopyAttributes(other, stream));
    EXPECT_SUCCESS(cudaStreamGetAttribute(other, kWindow, &found));
    EXPECT(found.accessPolicyWindow.num_bytes == 4096);
    unsigned long long id = 0, other_id = 0;
    EXPECT_SUCCESS(cudaStreamGetId(stream, &id));
    EXPECT_SUCCESS(cudaStreamGetId(other, &other_id));
    EXPECT(id != other_id);
    EXPECT_SUCCESS(cudaFree(memory));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    EXPECT_SUCCESS(cudaStreamDestroy(other));
}

static void ask_about_occupancy() {
    int blocks = -1;
    EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, kernel, 256, 0, cudaOccupancyDisableCachingOverride));
    EXPECT(blocks == 2048 / 256);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                                            &blocks, kernel, 256, 0, 77));
    EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 2048, 0));
    EXPECT(blocks == 0);
    std::size_t bytes = 0;
    EXPECT_SUCCESS(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 256));
    EXPECT(bytes == 48 * 1024);  // as much as a launch may ask for
    EXPECT_SUCCESS(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    EXPECT_SUCCESS(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 256));
    EXPECT(bytes > 48 * 1024 && bytes <= 228 * 1024 / 2);
    const char* name = nullptr;
    EXPECT_SUCCESS(cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel)));
    EXPECT(std::strcmp(name, "_Z6kernelPi") == 0);
    cudaGetLastError();
}

static void use_pools() {
    cudaMemPool_t standard, current, own;
    EXPECT_SUCCESS(cudaDeviceGetDefaultMemPool(&standard, 0));
    EXPECT_SUCCESS(cudaDeviceGetMemPool(&current, 0));
    EXPECT(current == standard);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    EXPECT_SUCCESS(cudaMemPoolCreate(&own, &properties));
    unsigned long long kept = 1 << 20, found = 0;
    EXPECT_SUCCESS(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &found));
    EXPECT(found == 0);
    EXPECT_SUCCESS(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &kept));
    EXPECT_SUCCESS(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &found));
    EXPECT(found == kept);
    cudaStream_t stream;
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    int *memory, value = 0;
    EXPECT_SUCCESS(cudaMallocFromPoolAsync(&memory, sizeof value, own, stream));
    EXPECT_SUCCESS(cudaMemsetAsync(memory, 1, sizeof value, stream));
    EXPECT_SUCCESS(cudaMemcpyAsync(&value, memory, sizeof value, cudaMemcpyDeviceToHost, stream));
    EXPECT_SUCCESS(cudaFreeAsync(memory, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(value == 0x01010101);
    EXPECT_SUCCESS(cudaMemPoolTrimTo(own, 0));
    EXPECT_SUCCESS(cudaDeviceSetMemPool(0, own));
    EXPECT_SUCCESS(cudaDeviceGetMemPool(&current, 0));
    EXPECT(current == own);
    EXPECT_SUCCESS(cudaMemPoolDestroy(own));
    EXPECT_SUCCESS(cudaDeviceGetMemPool(&current, 0));
    EXPECT(current == standard);
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

int main() {
    set_flags();
    prefer_caches();
    profile();
    choose_device();
    meet_peers();
    set_stream_attributes();
    ask_about_occupancy();
    use_pools();
    EXPECT(cudaPeekAtLastError() == cudaSuccess);
    std::puts("passed");
}
