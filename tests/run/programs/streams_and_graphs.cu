// SPDX-License-Identifier: Apache-2.0
// Streams, events, host callbacks, captured and built graphs, pitched and three-dimensional memory,
// properties.
#include <cstring>
#include <thread>

#include "check.h"

__global__ void add_value(int* data, int n, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += value;
}
__global__ void scale(int* data, int n, int factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
__global__ void sum_pitched(const char* base, std::size_t pitch, int width, int height, int* out) {
    const int y = threadIdx.x;
    if (y >= height) return;
    const int* row = reinterpret_cast<const int*>(base + y * pitch);
    int sum = 0;
    for (int x = 0; x < width; ++x) sum += row[x];
    out[y] = sum;
}

void bump(void* counter) { ++*static_cast<int*>(counter); }

/// A captured launch can be asked for, and its arguments exchanged where they lie; the graph that
/// was made of it keeps what it had.
static void exchange_arguments(cudaStream_t stream, int* data, int n) {
    CUDA(cudaMemset(data, 0, n * sizeof(int)));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add_value<<<8, 128, 64, stream>>>(data, n, 3);
    cudaGraph_t graph;
    CUDA(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t executable;
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    cudaGraphNode_t node;
    std::size_t nodes = 1;
    CUDA(cudaGraphGetNodes(graph, &node, &nodes));
    cudaKernelNodeParams kernel{};
    CUDA(cudaGraphKernelNodeGetParams(node, &kernel));
    CHECK(kernel.func == reinterpret_cast<void*>(add_value) && kernel.sharedMemBytes == 64);
    CHECK(kernel.gridDim.x == 8 && kernel.blockDim.x == 128 && kernel.blockDim.z == 1);
    int*& pointer = *static_cast<int**>(kernel.kernelParams[0]);
    int& value = *static_cast<int*>(kernel.kernelParams[2]);
    CHECK(pointer == data && *static_cast<int*>(kernel.kernelParams[1]) == n && value == 3);
    CUDA(cudaGraphLaunch(executable, stream));
    value = 40;
    CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaGraphExecKernelNodeSetParams(executable, node, &kernel));
    CUDA(cudaGraphLaunch(executable, stream));
    int sum = 0;
    CUDA(cudaMemcpyAsync(&sum, data + n - 1, sizeof sum, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(sum == 3 + 3 + 40);
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
}

/// cudaMalloc spoils a capture, unless its mode, or the thread's, is relaxed.
static void refuse_what_no_capture_takes(cudaStream_t stream) {
    for (const cudaStreamCaptureMode mode :
         {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
          cudaStreamCaptureModeRelaxed}) {
        for (const bool relaxed_thread : {false, true}) {
            const bool allowed = relaxed_thread || mode == cudaStreamCaptureModeRelaxed;
            cudaGraph_t graph = nullptr;
            void* memory = nullptr;
            CUDA(cudaStreamBeginCapture(stream, mode));
            cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeRelaxed;
            if (relaxed_thread) CUDA(cudaThreadExchangeStreamCaptureMode(&thread_mode));
            const cudaError_t error = cudaMalloc(&memory, 4);
            if (relaxed_thread) CUDA(cudaThreadExchangeStreamCaptureMode(&thread_mode));
            CHECK(error == (allowed ? cudaSuccess : cudaErrorStreamCaptureUnsupported));
            const cudaError_t end = cudaStreamEndCapture(stream, &graph);
            CHECK(end == (allowed ? cudaSuccess : cudaErrorStreamCaptureInvalidated));
            CHECK((memory != nullptr) == allowed && (graph != nullptr) == allowed);
            cudaGetLastError();
            if (graph != nullptr) CUDA(cudaGraphDestroy(graph));
            CUDA(cudaFree(memory));
        }
    }
}

int main() {
    const int n = 1000, streams = 4;
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    CHECK(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024 &&
          properties.multiProcessorCount > 0);
    int value;
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == properties.multiProcessorCount);

    std::vector<cudaStream_t> stream(streams);
    std::vector<int*> device(streams), host(streams);
    int callbacks = 0;
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin));
    for (int s = 0; s < streams; ++s) {
        CUDA(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
        CUDA(cudaMallocAsync(&device[s], n * sizeof(int), stream[s]));
        CUDA(cudaMallocHost(&host[s], n * sizeof(int)));
        for (int i = 0; i < n; ++i) host[s][i] = i;
        CUDA(cudaMemcpyAsync(device[s], host[s], n * sizeof(int), cudaMemcpyHostToDevice,
                             stream[s]));
        add_value<<<8, 128, 0, stream[s]>>>(device[s], n, s);
        scale<<<8, 128, 0, stream[s]>>>(device[s], n, 2);
        CUDA(cudaMemcpyAsync(host[s], device[s], n * sizeof(int), cudaMemcpyDeviceToHost,
                             stream[s]));
        CUDA(cudaLaunchHostFunc(stream[s], bump, &callbacks));
    }
    for (int s = 0; s < streams; ++s) {
        CUDA(cudaStreamSynchronize(stream[s]));
        for (int i = 0; i < n; ++i) CHECK_AT(i, host[s][i] == (i + s) * 2);
    }
    CHECK(callbacks == streams);
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    float milliseconds = -1;
    CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(milliseconds >= 0);
    CUDA(cudaStreamWaitEvent(stream[1], end, 0));

    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA(cudaMemset(device[0], 0, n * sizeof(int)));
    CUDA(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal));
    add_value<<<8, 128, 0, stream[0]>>>(device[0], n, 3);
    CUDA(cudaEventRecord(begin, stream[0]));
    CUDA(cudaStreamWaitEvent(stream[1], begin, 0));
    scale<<<8, 128, 0, stream[1]>>>(device[0], n, 2);
    CUDA(cudaEventRecord(end, stream[1]));
    CUDA(cudaStreamWaitEvent(stream[0], end, 0));
    add_value<<<8, 128, 0, stream[0]>>>(device[0], n, 1);
    CUDA(cudaStreamEndCapture(stream[0], &graph));
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int r = 0; r < 3; ++r) CUDA(cudaGraphLaunch(executable, stream[0]));
    CUDA(cudaStreamSynchronize(stream[0]));
    CUDA(cudaMemcpy(host[0], device[0], n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) CHECK_AT(i, host[0][i] == ((3 * 2 + 1 + 3) * 2 + 1 + 3) * 2 + 1);
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));

    exchange_arguments(stream[0], device[0], n);
    refuse_what_no_capture_takes(stream[0]);

    CUDA(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first, second, third;
    cudaMemsetParams clear{};
    clear.dst = device[2];
    clear.value = 0;
    clear.elementSize = 4;
    clear.width = n;
    clear.height = 1;
    CUDA(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &clear));
    int amount = 5;
    int count = n;
    void* arguments[] = {&device[2], &count, &amount};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(add_value);
    kernel.gridDim = dim3(8);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = arguments;
    CUDA(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    CUDA(cudaGraphAddMemcpyNode1D(&third, graph, &second, 1, host[2], device[2], n * sizeof(int),
                                  cudaMemcpyDeviceToHost));
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CUDA(cudaGraphLaunch(executable, nullptr));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK_AT(i, host[2][i] == 5);

    for (int s = 0; s < streams; ++s) {
        CUDA(cudaFreeAsync(device[s], stream[s]));
        CUDA(cudaStreamSynchronize(stream[s]));
        CUDA(cudaStreamDestroy(stream[s]));
        CUDA(cudaFreeHost(host[s]));
    }

    char* pitched;
    std::size_t pitch;
    CUDA(cudaMallocPitch(&pitched, &pitch, 50 * sizeof(int), 20));
    std::vector<int> image(50 * 20);
    for (int i = 0; i < 1000; ++i) image[i] = i;
    CUDA(cudaMemcpy2D(pitched, pitch, image.data(), 50 * sizeof(int), 50 * sizeof(int), 20,
                      cudaMemcpyHostToDevice));
    DeviceArray<int> sums(20);
    sum_pitched<<<1, 32>>>(pitched, pitch, 50, 20, sums);
    CHECK_LAUNCH();
    for (int y = 0; y < 20; ++y) CHECK_AT(y, sums.host()[y] == 50 * 50 * y + 49 * 50 / 2);
    CUDA(cudaFree(pitched));

    // Several host threads, each with its own data.
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([t] {
            DeviceArray<int> own(500);
            for (int r = 0; r < 10; ++r) add_value<<<4, 128>>>(own, 500, t);
            CHECK_LAUNCH();
            for (const int v : own.host()) CHECK(v == 10 * t);
        });
    }
    for (std::thread& thread : threads) thread.join();

    // Errors are as a GPU's.
    add_value<<<1, 2000>>>(sums, 20, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    void* too_much;
    CHECK(cudaMalloc(&too_much, std::size_t{1} << 60) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
}
