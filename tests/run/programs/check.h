// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// For programs that check themselves: says where an expectation failed and ends the program with
/// status 1.
#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                       \
        }                                                                       \
    } while (false)

/// The same for each element: the message names its index.
#define CHECK_AT(index, condition)                                         \
    do {                                                                   \
        if (!(condition)) {                                                \
            std::printf("%s:%d: not so at %lld: %s\n", __FILE__, __LINE__, \
                        static_cast<long long>(index), #condition);        \
            std::exit(1);                                                  \
        }                                                                  \
    } while (false)

#define CUDA(call)                                                    \
    do {                                                              \
        const cudaError_t cuda_error = (call);                        \
        if (cuda_error != cudaSuccess) {                              \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                        cudaGetErrorString(cuda_error));              \
            std::exit(1);                                             \
        }                                                             \
    } while (false)

/// After a launch: it started, ran and ended well.
#define CHECK_LAUNCH()                 \
    do {                               \
        CUDA(cudaGetLastError());      \
        CUDA(cudaDeviceSynchronize()); \
    } while (false)

inline bool is_close(double a, double b, double relative = 1e-5, double absolute = 1e-6) {
    return std::fabs(a - b) <= absolute + relative * std::fmax(std::fabs(a), std::fabs(b));
}

/// An array on the device, with copies to and from the host.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t size) : size_(size) {
        CUDA(cudaMalloc(&data_, size * sizeof(T)));
        CUDA(cudaMemset(data_, 0, size * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        CUDA(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    operator T*() const { return data_; }
    std::size_t size() const { return size_; }
    std::vector<T> host() const {
        std::vector<T> values(size_);
        CUDA(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

/// The same numbers on every run: a linear congruential generator.
class Random {
public:
    explicit Random(unsigned seed = 1) : state_(seed) {}
    unsigned next() {
        state_ = state_ * 1664525u + 1013904223u;
        return state_ >> 8;
    }
    unsigned below(unsigned bound) { return next() % bound; }
    float unit() { return static_cast<float>(next()) / 16777216.0f; }

private:
    unsigned state_;
};
