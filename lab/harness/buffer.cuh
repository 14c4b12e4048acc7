// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "require.cuh"
#include "rotation.cuh"

namespace lab {

/// A hash of a counter (splitmix64): element i of random data can be told on any side.
__host__ __device__ inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Element i of random data: floating-point values lie in [0, 1), integers have all bits random.
template <class T>
struct Random {
    std::uint64_t seed = 1;
    __host__ __device__ T operator()(std::size_t i) const {
        const std::uint64_t bits = mix(seed * 0x10001u + i);
        if constexpr (std::is_floating_point_v<T>) {
            return static_cast<T>(bits >> 40) / static_cast<T>(1 << 24);
        } else {
            return static_cast<T>(bits);
        }
    }
};

template <class T, class Generate>
__global__ void generate_kernel(T* data, std::size_t count, Generate generate) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        data[i] = generate(i);
    }
}

/// Device memory with as many copies as timing needs: launch number `rotation` works on
/// buffer[rotation], so that no launch finds its data in cache. Without timing there is one copy.
/// Aligned as cudaMalloc aligns: to 256 bytes at least.
template <class T>
class Buffer {
public:
    Buffer(std::size_t count, int copies)
        : count_(count), slot_(slot_bytes(count * sizeof(T))), copies_(copies) {
        LAB_REQUIRE(cudaMalloc(&data_, slot_ * copies));
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(Buffer&& other) noexcept
        : value(other.value),
          count_(other.count_),
          slot_(other.slot_),
          copies_(other.copies_),
          data_(other.data_) {
        other.data_ = nullptr;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer& operator=(Buffer&&) = delete;

    T* operator[](int rotation) const {
        return reinterpret_cast<T*>(data_ + (rotation % copies_) * slot_);
    }
    std::size_t size() const { return count_; }
    std::size_t bytes() const { return count_ * sizeof(T); }
    int copies() const { return copies_; }

    /// Overwrites every copy, so that what a kernel does not write is seen.
    void poison() const { LAB_REQUIRE(cudaMemset(data_, 0xa5, slot_ * copies_)); }
    /// Every copy becomes zeros.
    void clear() const { LAB_REQUIRE(cudaMemset(data_, 0, slot_ * copies_)); }

    /// Element i of every copy becomes generate(i).
    /// @param on_host  computes here, so that no kernel is launched
    template <class Generate>
    void fill(Generate generate, bool on_host) const {
        if (on_host) {
            std::vector<T> values(count_);
            for (std::size_t i = 0; i < count_; ++i) values[i] = generate(i);
            upload(values);
        } else {
            generate_kernel<<<2048, 256>>>((*this)[0], count_, generate);
        }
        // Twice as many each time: there may be hundreds of thousands of small ones.
        for (std::size_t done = 1, all = copies_; done < all; done *= 2) {
            LAB_REQUIRE(cudaMemcpy(data_ + done * slot_, data_, std::min(done, all - done) * slot_,
                                   cudaMemcpyDeviceToDevice));
        }
        LAB_REQUIRE(cudaDeviceSynchronize());
    }
    /// Into the first copy.
    void upload(const std::vector<T>& values) const {
        LAB_REQUIRE(cudaMemcpy((*this)[0], values.data(), values.size() * sizeof(T),
                               cudaMemcpyHostToDevice));
    }
    std::vector<T> download() const {
        std::vector<T> values(count_);
        LAB_REQUIRE(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return values;
    }

    Random<T> value{};  ///< what random data was made of

private:
    std::size_t count_, slot_;
    int copies_;
    char* data_ = nullptr;
};

}  // namespace lab
