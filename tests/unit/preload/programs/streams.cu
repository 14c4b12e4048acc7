// SPDX-License-Identifier: Apache-2.0
// Streams, events, errors and device queries, as far as they need no kernel.
#include <cstring>
#include <string>

#include "expect.h"

static void remember_errors() {
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(7));
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    EXPECT_SUCCESS(cudaSetDevice(0));
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(12345)),
                       "unrecognized error code") == 0);
}

static void query_device() {
    int count = 0, device = -1, value = 0;
    EXPECT_SUCCESS(cudaGetDeviceCount(&count));
    EXPECT(count == 1);
    EXPECT_SUCCESS(cudaGetDevice(&device));
    EXPECT(device == 0);
    cudaDeviceProp properties;
    EXPECT_SUCCESS(cudaGetDeviceProperties(&properties, 0));
    EXPECT(std::string(properties.name).find("H200") != std::string::npos);
    EXPECT(properties.major == 9 && properties.minor == 0 && properties.warpSize == 32);
    EXPECT(properties.multiProcessorCount == 132 && properties.maxGridSize[1] == 65535);
    EXPECT(properties.sharedMemPerBlockOptin == 227 * 1024 && properties.clusterLaunch == 0);
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == properties.multiProcessorCount);
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    EXPECT(value == 2048);
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 1));
    int version = 0;
    EXPECT_SUCCESS(cudaRuntimeGetVersion(&version));
    EXPECT(version >= 13000);
    char bus[32];
    EXPECT_SUCCESS(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    EXPECT_SUCCESS(cudaDeviceGetByPCIBusId(&device, bus));
    std::size_t bytes = 0;
    EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    EXPECT_SUCCESS(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    EXPECT(bytes == 64 << 20);
    cudaGetLastError();
}

static void CUDART_CB count_callback(cudaStream_t, cudaError_t status, void* data) {
    if (status == cudaSuccess) ++*static_cast<int*>(data);
}

static void CUDART_CB count_call(void* data) { ++*static_cast<int*>(data); }

static void use_streams() {
    cudaStream_t stream, other;
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, -1));
    unsigned flags = 0;
    int priority = 0;
    EXPECT_SUCCESS(cudaStreamGetFlags(other, &flags));
    EXPECT_SUCCESS(cudaStreamGetPriority(other, &priority));
    EXPECT(flags == cudaStreamNonBlocking && priority == -1);
    int calls = 0, *memory, out = 0;
    EXPECT_SUCCESS(cudaMallocAsync(reinterpret_cast<void**>(&memory), sizeof(int), stream));
    EXPECT_SUCCESS(cudaMemsetAsync(memory, 1, sizeof(int), stream));
    EXPECT_SUCCESS(cudaMemcpyAsync(&out, memory, sizeof(int), cudaMemcpyDeviceToHost, stream));
    EXPECT_SUCCESS(cudaStreamAddCallback(stream, count_callback, &calls, 0));
    EXPECT_SUCCESS(cudaLaunchHostFunc(stream, count_call, &calls));
    EXPECT_SUCCESS(cudaFreeAsync(memory, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(out == 0x01010101 && calls == 2);
    EXPECT_SUCCESS(cudaStreamQuery(cudaStreamPerThread));

    cudaEvent_t start, end, untimed;
    EXPECT_SUCCESS(cudaEventCreate(&start));
    EXPECT_SUCCESS(cudaEventCreate(&end));
    EXPECT_SUCCESS(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    float milliseconds = -1;
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT_SUCCESS(cudaEventRecord(start, stream));
    EXPECT_SUCCESS(cudaStreamWaitEvent(other, start, 0));
    EXPECT_SUCCESS(cudaEventRecord(end, stream));
    EXPECT_SUCCESS(cudaEventRecord(untimed, stream));
    EXPECT_SUCCESS(cudaEventSynchronize(end));
    EXPECT_SUCCESS(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds >= 0 && milliseconds < 1000);
    EXPECT_ERROR(cudaErrorInvalidResourceHandle,
                 cudaEventElapsedTime(&milliseconds, start, untimed));
    for (const cudaEvent_t event : {start, end, untimed}) EXPECT_SUCCESS(cudaEventDestroy(event));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    EXPECT_SUCCESS(cudaStreamDestroy(other));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
    cudaGetLastError();
}

static void capture_graph() {
    cudaStream_t stream, forked;
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamCreate(&forked));
    cudaEvent_t fork, join;
    EXPECT_SUCCESS(cudaEventCreate(&fork));
    EXPECT_SUCCESS(cudaEventCreate(&join));
    int *memory, out[2] = {7, 7};
    EXPECT_SUCCESS(cudaMalloc(&memory, 2 * sizeof(int)));
    EXPECT_SUCCESS(cudaMemset(memory, 0, 2 * sizeof(int)));

    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaMemsetAsync(memory, 1, sizeof(int), stream));
    EXPECT_SUCCESS(cudaEventRecord(fork, stream));
    EXPECT_SUCCESS(cudaStreamWaitEvent(forked, fork, 0));
    EXPECT_SUCCESS(cudaMemsetAsync(memory + 1, 2, sizeof(int), forked));
    EXPECT_SUCCESS(cudaEventRecord(join, forked));
    EXPECT_SUCCESS(cudaStreamWaitEvent(stream, join, 0));
    EXPECT_SUCCESS(cudaMemcpyAsync(out, memory, 2 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    cudaStreamCaptureStatus status;
    EXPECT_SUCCESS(cudaStreamIsCapturing(forked, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph;
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaStreamIsCapturing(forked, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    EXPECT(out[0] == 7);  // recorded, not done

    std::size_t nodes = 0;
    EXPECT_SUCCESS(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 3);
    cudaGraphExec_t executable;
    EXPECT_SUCCESS(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaGraphLaunch(executable, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(out[0] == 0x01010101 && out[1] == 0x02020202);
    EXPECT_SUCCESS(cudaGraphExecDestroy(executable));

    // What is allocated and freed in a capture is there whenever the graph is launched.
    void* scratch;
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_SUCCESS(cudaMallocAsync(&scratch, sizeof(int), stream));
    EXPECT_SUCCESS(cudaMemsetAsync(scratch, 3, sizeof(int), stream));
    EXPECT_SUCCESS(cudaMemcpyAsync(memory, scratch, sizeof(int), cudaMemcpyDeviceToDevice, stream));
    EXPECT_SUCCESS(cudaFreeAsync(scratch, stream));
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    for (int launch = 0; launch < 2; ++launch) {
        EXPECT_SUCCESS(cudaMemset(memory, 0, sizeof(int)));
        EXPECT_SUCCESS(cudaGraphLaunch(executable, stream));
        EXPECT_SUCCESS(cudaStreamSynchronize(stream));
        EXPECT_SUCCESS(cudaMemcpy(out, memory, sizeof(int), cudaMemcpyDeviceToHost));
        EXPECT(out[0] == 0x03030303);
    }
    cudaPointerAttributes attributes;
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, scratch));
    EXPECT(attributes.type == cudaMemoryTypeDevice);
    EXPECT_SUCCESS(cudaGraphExecDestroy(executable));
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, scratch));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);

    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    cudaGetLastError();
}

static void build_graph() {
    int *memory, out = 0, calls = 0;
    EXPECT_SUCCESS(cudaMalloc(&memory, sizeof(int)));
    cudaGraph_t graph;
    EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = memory;
    fill.value = 42;
    fill.elementSize = 4;
    fill.width = fill.height = 1;
    cudaHostNodeParams host = {count_call, &calls};
    cudaGraphNode_t host_node, copy_node, fill_node;
    // Added in the wrong order: dependencies decide.
    EXPECT_SUCCESS(cudaGraphAddMemcpyNode1D(&copy_node, graph, nullptr, 0, &out, memory, 4,
                                            cudaMemcpyDeviceToHost));
    EXPECT_SUCCESS(cudaGraphAddHostNode(&host_node, graph, &copy_node, 1, &host));
    EXPECT_SUCCESS(cudaGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill));
    EXPECT_SUCCESS(cudaGraphAddDependencies(graph, &fill_node, &copy_node, nullptr, 1));
    cudaGraphNodeType type;
    EXPECT_SUCCESS(cudaGraphNodeGetType(fill_node, &type));
    EXPECT(type == cudaGraphNodeTypeMemset);
    cudaGraphExec_t executable;
    EXPECT_SUCCESS(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_SUCCESS(cudaGraphLaunch(executable, cudaStreamPerThread));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(out == 42 && calls == 1);
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaFree(memory));
}

static void meet_what_is_missing() {
    cudaArray_t array;
    const cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 16, 8, 4, cudaChannelFormatKindUnsigned);
    EXPECT(format.x == 32 && format.y == 16 && format.z == 8 && format.w == 4 &&
           format.f == cudaChannelFormatKindUnsigned);
    EXPECT_ERROR(cudaErrorNotSupported, cudaMallocArray(&array, &format, 64, 64));
    EXPECT_ERROR(cudaErrorNotSupported, cudaMallocArray(&array, &format, 64, 64));
    EXPECT(cudaGetLastError() == cudaErrorNotSupported);
}

int main() {
    remember_errors();
    query_device();
    use_streams();
    capture_graph();
    build_graph();
    meet_what_is_missing();
    std::puts("passed");
}
