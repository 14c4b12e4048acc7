// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "../support/harness.cuh"
#include "sectors.cuh"

/// Cases of the counting test. Each announces what the launches after it may move, as a line for
/// check_counts.py, which finds them in the profile behind a launch of `begin_case`.
namespace counts {

template <class>
__global__ void begin_case() {}

using test::multiprocessors;
inline void require(cudaError_t status, const std::string& what) {
    test::require(status, what.c_str());
}

/// Accesses of a kind that no expectation names must not happen; nor may local memory be touched,
/// nor lanes meet in a bank of shared memory.
class Case {
public:
    explicit Case(const std::string& name)
        : line_("case\t" + std::to_string(++number()) + '\t' + name) {}
    Case(const Case&) = delete;
    Case& operator=(const Case&) = delete;

    /// So many sectors in all, and at every site the fewest that hold what it asks for.
    Case& whole(const char* kind, std::size_t sectors) { return expect(kind, "whole =", sectors); }
    /// So many sectors in all, however the sites share them.
    Case& exactly(const char* kind, std::size_t sectors) { return expect(kind, "any =", sectors); }
    Case& at_most(const char* kind, std::size_t sectors) { return expect(kind, "any <=", sectors); }
    /// So many sectors, of which each request of 16 bytes a lane takes the fewest.
    Case& wide_exactly(const char* kind, std::size_t sectors) {
        return expect(kind, "wide =", sectors);
    }
    /// So many sectors; every request asks for one run of bytes, and so takes at most one sector
    /// beyond the fewest.
    Case& runs_exactly(const char* kind, std::size_t sectors) {
        return expect(kind, "runs =", sectors);
    }
    /// The same of requests of 16 bytes a lane; narrower ones are free.
    Case& wide_runs_exactly(const char* kind, std::size_t sectors) {
        return expect(kind, "wide-runs =", sectors);
    }

    /// Runs what is to be counted.
    template <class Function>
    void run(Function function) {
        std::printf("%s\n", line_.c_str());
        begin_case<void><<<number(), 1>>>();
        require(cudaGetLastError(), line_);
        require(function(), line_);
        require(cudaDeviceSynchronize(), line_);
    }

private:
    static unsigned& number() {
        static unsigned last = 0;
        return last;
    }
    Case& expect(const char* kind, const char* how, std::size_t sectors) {
        line_ += std::string("\t") + kind + ' ' + how + ' ' + std::to_string(sectors);
        return *this;
    }

    std::string line_;
};

/// Device memory that starts `offset` bytes past a line of 256 bytes and holds zeros.
class Memory {
public:
    explicit Memory(std::size_t bytes, std::size_t offset = 0) : offset_(offset) {
        require(cudaMalloc(&data_, offset + bytes + 256), "cudaMalloc");
        require(cudaMemset(data_, 0, offset + bytes + 256), "cudaMemset");
    }
    ~Memory() { cudaFree(data_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(static_cast<char*>(data_) + offset_);
    }

private:
    void* data_ = nullptr;
    std::size_t offset_;
};

/// Elements of any size: those of the tests, so that both use the same kernels, but aligned where
/// structs of that size most often are.
template <int Size>
struct BlobOf {
    using type = test::Blob<Size>;
};
template <>
struct BlobOf<4> {
    using type = float;
};
template <>
struct BlobOf<12> {
    struct type {
        float values[3];
    };
};
template <>
struct BlobOf<24> {
    struct type {
        double values[3];
    };
};
template <int Size>
using Blob = typename BlobOf<Size>::type;

}  // namespace counts
