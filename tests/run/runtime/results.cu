// SPDX-License-Identifier: Apache-2.0
// Kernels whose results depend on every part of the runtime doing its work; checks them itself.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define EXPECT(condition)                                                           \
    do {                                                                            \
        if (!(condition)) {                                                         \
            std::printf("%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, \
                        cudaGetErrorString(cudaGetLastError()));                    \
            std::exit(1);                                                           \
        }                                                                           \
    } while (false)
#define EXPECT_SUCCESS(call) EXPECT((call) == cudaSuccess)

constexpr int kCount = 10'000;
constexpr int kBlock = 256;
constexpr int kGrid = (kCount + kBlock - 1) / kBlock;

__constant__ int factor;
__device__ int launches;
__managed__ int total;

__global__ void scale(int* out, const int* in, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] * factor;
    if (i == 0) ++launches;
}

__global__ void reverse_blocks(int* data) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    data[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void sum(const int* in, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&total, in[i]);
}

/// Every block writes, all wait for each other, every block reads what another wrote.
__global__ void exchange(int* data) {
    data[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
    cooperative_groups::this_grid().sync();
    const int other = data[(blockIdx.x + 1) % gridDim.x];
    cooperative_groups::this_grid().sync();
    data[blockIdx.x] = other;
}

__global__ void say(int value) { printf("kernel says %d\n", value); }

static std::vector<int> counted() {
    std::vector<int> values(kCount);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

static void scale_in_streams() {
    const std::vector<int> in = counted();
    std::vector<int> out(kCount);
    int *a, *b, by = 3, zero = 0;
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams) EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaMalloc(&a, sizeof(int) * kCount));
    EXPECT_SUCCESS(cudaMalloc(&b, sizeof(int) * kCount));
    EXPECT_SUCCESS(cudaMemcpyToSymbol(factor, &by, sizeof by));
    EXPECT_SUCCESS(cudaMemcpyToSymbol(launches, &zero, sizeof zero));
    EXPECT_SUCCESS(
        cudaMemcpyAsync(a, in.data(), sizeof(int) * kCount, cudaMemcpyHostToDevice, streams[0]));
    scale<<<kGrid, kBlock, 0, streams[0]>>>(b, a, kCount);
    cudaEvent_t done;
    EXPECT_SUCCESS(cudaEventCreate(&done));
    EXPECT_SUCCESS(cudaEventRecord(done, streams[0]));
    EXPECT_SUCCESS(cudaStreamWaitEvent(streams[1], done, 0));
    scale<<<kGrid, kBlock, 0, streams[1]>>>(a, b, kCount);
    EXPECT_SUCCESS(
        cudaMemcpyAsync(out.data(), a, sizeof(int) * kCount, cudaMemcpyDeviceToHost, streams[1]));
    EXPECT_SUCCESS(cudaStreamSynchronize(streams[1]));
    for (int i = 0; i < kCount; ++i) EXPECT(out[i] == 9 * i);
    int seen = 0;
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&seen, launches, sizeof seen));
    EXPECT(seen == 2);
    EXPECT_SUCCESS(cudaFree(a));
    EXPECT_SUCCESS(cudaFree(b));
}

static void use_managed_memory() {
    int* data;
    EXPECT_SUCCESS(cudaMallocManaged(&data, sizeof(int) * kBlock * 4));
    for (int i = 0; i < kBlock * 4; ++i) data[i] = i;
    reverse_blocks<<<4, kBlock, kBlock * sizeof(int)>>>(data);
    total = 5;
    sum<<<3, 64>>>(data, kBlock * 4);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    for (int i = 0; i < kBlock; ++i) EXPECT(data[kBlock + i] == 2 * kBlock - 1 - i);
    EXPECT(total == 5 + kBlock * 4 * (kBlock * 4 - 1) / 2);
    EXPECT_SUCCESS(cudaFree(data));
}

static void use_host_memory() {
    std::vector<int> registered = counted();
    int *mapped, *mapped_on_device, by = 2;
    EXPECT_SUCCESS(cudaHostAlloc(&mapped, sizeof(int) * kCount, cudaHostAllocMapped));
    EXPECT_SUCCESS(cudaHostGetDevicePointer(&mapped_on_device, mapped, 0));
    EXPECT_SUCCESS(
        cudaHostRegister(registered.data(), sizeof(int) * kCount, cudaHostRegisterMapped));
    EXPECT_SUCCESS(cudaMemcpyToSymbol(factor, &by, sizeof by));
    scale<<<kGrid, kBlock>>>(mapped_on_device, registered.data(), kCount);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    for (int i = 0; i < kCount; ++i) EXPECT(mapped[i] == 2 * i);
    EXPECT_SUCCESS(cudaHostUnregister(registered.data()));
    EXPECT_SUCCESS(cudaFreeHost(mapped));
}

static void synchronise_a_grid() {
    int blocks_per_multiprocessor = 0, multiprocessors = 0;
    EXPECT_SUCCESS(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_multiprocessor, exchange, 32, 0));
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    constexpr int kBlocks = 64;
    EXPECT(kBlocks <= blocks_per_multiprocessor * multiprocessors);
    int* data;
    EXPECT_SUCCESS(cudaMallocManaged(&data, kBlocks * sizeof(int)));
    void* arguments[] = {&data};
    EXPECT_SUCCESS(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(exchange), kBlocks, 32,
                                               arguments, 0, nullptr));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    for (int i = 0; i < kBlocks; ++i) EXPECT(data[i] == (i + 1) % kBlocks + 1);
    const int too_many = blocks_per_multiprocessor * multiprocessors + 1;
    EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(exchange), too_many, 32,
                                       arguments, 0,
                                       nullptr) == cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    EXPECT_SUCCESS(cudaFree(data));
}

static void replay_a_graph() {
    int *data, by = 2;
    EXPECT_SUCCESS(cudaMallocManaged(&data, sizeof(int) * kCount));
    for (int i = 0; i < kCount; ++i) data[i] = i;
    EXPECT_SUCCESS(cudaMemcpyToSymbol(factor, &by, sizeof by));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 3; ++i) scale<<<kGrid, kBlock, 0, stream>>>(data, data, kCount);
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT(data[1] == 1);
    for (int i = 0; i < 2; ++i) EXPECT_SUCCESS(cudaGraphLaunch(executable, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    for (int i = 0; i < kCount; ++i) EXPECT(data[i] == i << 6);
}

static unsigned long long of_pool(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    unsigned long long value = ~0ull;
    EXPECT_SUCCESS(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

/// A pool tells what it has handed out, and the most of it.
static void count_a_pool(cudaMemPool_t pool, bool by_name) {
    constexpr unsigned long long kFirst = 1 << 20, kSecond = 3 << 20;
    void* blocks[2];
    for (int i = 0; i < 2; ++i) {
        const size_t bytes = i == 0 ? kFirst : kSecond;
        EXPECT_SUCCESS(by_name ? cudaMallocFromPoolAsync(&blocks[i], bytes, pool, nullptr)
                               : cudaMallocAsync(&blocks[i], bytes, nullptr));
    }
    EXPECT(of_pool(pool, cudaMemPoolAttrUsedMemCurrent) == kFirst + kSecond);
    EXPECT(of_pool(pool, cudaMemPoolAttrReservedMemCurrent) >= kFirst + kSecond);
    EXPECT_SUCCESS(cudaFreeAsync(blocks[1], nullptr));
    EXPECT_SUCCESS(cudaStreamSynchronize(nullptr));
    EXPECT(of_pool(pool, cudaMemPoolAttrUsedMemCurrent) == kFirst);
    EXPECT(of_pool(pool, cudaMemPoolAttrUsedMemHigh) == kFirst + kSecond);
    EXPECT(of_pool(pool, cudaMemPoolAttrReservedMemHigh) >= kFirst + kSecond);
    unsigned long long zero = 0, other = 1;
    for (const auto high : {cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrReservedMemHigh}) {
        EXPECT(cudaMemPoolSetAttribute(pool, high, &other) == cudaErrorInvalidValue);
        EXPECT_SUCCESS(cudaMemPoolSetAttribute(pool, high, &zero));
    }
    EXPECT(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero) ==
           cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    EXPECT(of_pool(pool, cudaMemPoolAttrUsedMemHigh) < kFirst + kSecond);
    EXPECT_SUCCESS(cudaFree(blocks[0]));
    EXPECT(of_pool(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
}

static void count_pools() {
    cudaMemPool_t standard, own;
    EXPECT_SUCCESS(cudaDeviceGetDefaultMemPool(&standard, 0));
    count_a_pool(standard, false);
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    EXPECT_SUCCESS(cudaMemPoolCreate(&own, &properties));
    count_a_pool(own, true);
    EXPECT(of_pool(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
    EXPECT_SUCCESS(cudaDeviceSetMemPool(0, own));
    count_a_pool(own, false);
    EXPECT_SUCCESS(cudaMemPoolDestroy(own));
}

static void find_the_device() {
    char name[32];
    int device = -1;
    EXPECT_SUCCESS(cudaDeviceGetPCIBusId(name, sizeof name, 0));
    EXPECT_SUCCESS(cudaDeviceGetByPCIBusId(&device, name));
    EXPECT(device == 0);
    for (const char* malformed : {"x", "", "0000", "0000:", "00:00:00:00", "0000:zz:00.0"}) {
        EXPECT(cudaDeviceGetByPCIBusId(&device, malformed) == cudaErrorInvalidValue);
    }
    EXPECT(cudaDeviceGetByPCIBusId(&device, "00ff:fe:1d.7") == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
}

int main() {
    scale_in_streams();
    use_managed_memory();
    use_host_memory();
    synchronise_a_grid();
    replay_a_graph();
    count_pools();
    find_the_device();
    std::printf("before\n");
    say<<<1, 1>>>(42);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    std::puts("passed");
}
