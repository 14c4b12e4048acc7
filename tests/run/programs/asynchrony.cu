// SPDX-License-Identifier: Apache-2.0
// Work that goes on beside the program: kernels that end only when the host, another stream or
// another thread does something, host functions that wait for their caller, queries of what has not
// ended, and order all the same.
#include <chrono>
#include <mutex>
#include <thread>

#include "check.h"

namespace {

__global__ void wait_for(volatile int* flag, int* seen) {
    while (*flag == 0) {
    }
    *seen = *flag;
}

__global__ void add_one(int* value) { *value += 1; }

struct Streams {
    cudaStream_t first, second;
    explicit Streams(unsigned flags) {
        CUDA(cudaStreamCreateWithFlags(&first, flags));
        CUDA(cudaStreamCreateWithFlags(&second, flags));
    }
    ~Streams() {
        CUDA(cudaStreamDestroy(first));
        CUDA(cudaStreamDestroy(second));
    }
};

struct Memory {
    int *flag, *seen;  // the flag can be written by the host
    int* device_flag;
    Memory() {
        CUDA(cudaMallocHost(&flag, sizeof(int)));
        CUDA(cudaMalloc(&seen, sizeof(int)));
        CUDA(cudaMalloc(&device_flag, sizeof(int)));
        *flag = 0;
        CUDA(cudaMemset(device_flag, 0, sizeof(int)));
        CUDA(cudaMemset(seen, 0, sizeof(int)));
        CUDA(cudaDeviceSynchronize());
    }
    ~Memory() {
        CUDA(cudaFree(device_flag));
        CUDA(cudaFree(seen));
        CUDA(cudaFreeHost(flag));
    }
    void set(int value) const { *static_cast<volatile int*>(flag) = value; }
    int seen_value() const {
        int value = 0;
        CUDA(cudaMemcpy(&value, seen, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }
};

void kernel_waits_for_host() {
    const Streams streams(cudaStreamNonBlocking);
    const Memory memory;
    cudaEvent_t before, after;
    CUDA(cudaEventCreate(&before));
    CUDA(cudaEventCreate(&after));
    CUDA(cudaEventRecord(before, streams.first));
    wait_for<<<1, 1, 0, streams.first>>>(memory.flag, memory.seen);
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(after, streams.first));
    CHECK(cudaStreamQuery(streams.first) == cudaErrorNotReady);
    CHECK(cudaEventQuery(after) == cudaErrorNotReady);
    CUDA(cudaEventQuery(before));
    CUDA(cudaStreamQuery(streams.second));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, before, after) == cudaErrorNotReady);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    memory.set(7);
    CUDA(cudaEventSynchronize(after));
    CUDA(cudaStreamQuery(streams.first));
    CUDA(cudaEventElapsedTime(&milliseconds, before, after));
    CHECK(milliseconds >= 5);
    CHECK(memory.seen_value() == 7);
    CUDA(cudaEventDestroy(before));
    CUDA(cudaEventDestroy(after));
}

void kernel_waits_for_copy() {
    const Streams streams(cudaStreamNonBlocking);
    const Memory memory;
    wait_for<<<1, 1, 0, streams.first>>>(memory.device_flag, memory.seen);
    const int nine = 9;
    CUDA(cudaMemcpyAsync(memory.device_flag, &nine, sizeof nine, cudaMemcpyHostToDevice,
                         streams.second));
    CUDA(cudaDeviceSynchronize());
    CHECK(memory.seen_value() == 9);
}

void kernel_waits_for_another_thread() {
    const Streams streams(cudaStreamNonBlocking);
    const Memory memory;
    std::thread launcher([&] {
        wait_for<<<1, 1, 0, streams.first>>>(memory.flag, memory.seen);
        CUDA(cudaStreamSynchronize(streams.first));
    });
    CUDA(cudaMemsetAsync(memory.device_flag, 0, sizeof(int), streams.second));
    memory.set(3);
    launcher.join();
    CHECK(memory.seen_value() == 3);
}

void CUDART_CB take(void* mutex) {
    const std::lock_guard<std::mutex> lock(*static_cast<std::mutex*>(mutex));
}

void host_function_waits_for_its_caller() {
    const Streams streams(cudaStreamDefault);
    std::mutex mutex;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        CUDA(cudaLaunchHostFunc(streams.first, take, &mutex));
        CHECK(cudaStreamQuery(streams.first) == cudaErrorNotReady);
    }
    CUDA(cudaStreamSynchronize(streams.first));
}

void CUDART_CB set_after_a_while(void* memory) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    static_cast<const Memory*>(memory)->set(5);
}

// What comes after the host function in its stream, or in one that waits for its event, sees what
// it did. (An H200's default stream does not wait for it.)
void order_is_kept() {
    for (const bool by_event : {false, true}) {
        const Streams streams(by_event ? cudaStreamNonBlocking : cudaStreamDefault);
        Memory memory;
        cudaEvent_t event;
        CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        CUDA(cudaLaunchHostFunc(streams.first, set_after_a_while, &memory));
        CUDA(cudaEventRecord(event, streams.first));
        cudaStream_t later = by_event ? streams.second : streams.first;
        if (by_event) CUDA(cudaStreamWaitEvent(later, event, 0));
        CUDA(cudaMemcpyAsync(memory.seen, memory.flag, sizeof(int), cudaMemcpyDefault, later));
        add_one<<<1, 1, 0, later>>>(memory.seen);
        int seen = 0;
        CUDA(cudaMemcpyAsync(&seen, memory.seen, sizeof seen, cudaMemcpyDeviceToHost, later));
        CUDA(cudaStreamSynchronize(later));
        CHECK_AT(by_event, seen == 6);
        CUDA(cudaEventDestroy(event));
    }
}

void many_launches_in_order() {
    const Streams streams(cudaStreamDefault);
    const Memory memory;
    for (int i = 0; i < 500; ++i)
        add_one<<<1, 1, 0, i % 3 == 0 ? nullptr : streams.first>>>(memory.seen);
    CHECK(memory.seen_value() == 500);
}

void errors_come_where_they_should() {
    const Streams streams(cudaStreamNonBlocking);
    add_one<<<1, 2048, 0, streams.first>>>(nullptr);  // refused by the launch itself
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    add_one<<<1, 1, 0, streams.first>>>(nullptr);
    CUDA(cudaGetLastError());
    CHECK(cudaStreamSynchronize(streams.first) == cudaErrorIllegalAddress);
    std::puts("asynchrony: all as it should be");
    std::quick_exit(0);  // the context is lost: nothing can be freed
}

}  // namespace

int main() {
    kernel_waits_for_host();
    kernel_waits_for_copy();
    kernel_waits_for_another_thread();
    host_function_waits_for_its_caller();
    order_is_kept();
    many_launches_in_order();
    errors_come_where_they_should();
}
