// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.cuh"

/// Checks of arrays too large to bring to the host: contents are functions of the index, written
/// and compared on the device.
namespace test {

template <class T, class Value>
__global__ void generate_kernel(T* data, std::size_t count, Value value) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step)
        data[i] = value(i);
}

template <class T, class Value>
__global__ void compare_kernel(const T* data, std::size_t count, Value value,
                               unsigned long long* mismatches) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        if (!(data[i] == static_cast<T>(value(i)))) atomicAdd(mismatches, 1ull);
    }
}

template <class T, class Value>
void generate(T* data, std::size_t count, Value value) {
    generate_kernel<<<1024, 256>>>(data, count, value);
    require(cudaGetLastError(), "generate");
}

template <class T, class Value>
void expect_values(const T* data, std::size_t count, Value value, const std::string& what) {
    unsigned long long* mismatches = nullptr;
    require(cudaMalloc(&mismatches, sizeof *mismatches), "cudaMalloc");
    require(cudaMemset(mismatches, 0, sizeof *mismatches), "cudaMemset");
    compare_kernel<<<1024, 256>>>(data, count, value, mismatches);
    unsigned long long host = 0;
    require(cudaMemcpy(&host, mismatches, sizeof host, cudaMemcpyDeviceToHost),
            (what + ": compare").c_str());
    require(cudaFree(mismatches), "cudaFree");
    expect(host == 0, what + ": " + std::to_string(host) + " wrong elements");
}

/// Device memory without guards, for large cases.
template <class T>
class LargeBuffer {
public:
    explicit LargeBuffer(std::size_t count) {
        require(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc");
    }
    ~LargeBuffer() { cudaFree(data_); }
    LargeBuffer(const LargeBuffer&) = delete;
    LargeBuffer& operator=(const LargeBuffer&) = delete;
    T* get() { return data_; }

private:
    T* data_ = nullptr;
};

}  // namespace test
