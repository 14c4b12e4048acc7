// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "blob.cuh"

/// What every test program of the library shares: each is a plain executable that exits with 1
/// after the first wrong results. With `--full` it uses the sizes meant for a real GPU, beyond 2^32
/// bytes included; `--seed N` and `--random N` are for `random.cuh`.
namespace test {

struct State {
    bool full = false;
    std::uint64_t seed = 1;
    long random = 1;  ///< times as many random cases
    long checks = 0;
    long failures = 0;
};
inline State& state() {
    static State instance;
    return instance;
}

inline void expect(bool condition, const std::string& what) {
    ++state().checks;
    if (condition) return;
    if (++state().failures <= 20) std::fprintf(stderr, "FAILED: %s\n", what.c_str());
}

inline void expect_status(cudaError_t got, cudaError_t want, const std::string& what) {
    expect(got == want,
           what + ": got " + cudaGetErrorName(got) + ", want " + cudaGetErrorName(want));
}

/// For arguments that a contract calls wrong.
inline void expect_rejected(cudaError_t got, const std::string& what) {
    expect_status(got, cudaErrorInvalidValue, what);
}

/// For calls that the test itself needs: there is no going on after they fail.
inline void require(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "FAILED: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

inline void start(int argc, char** argv) {
    const auto number = [&](int i) { return i + 1 < argc ? std::atol(argv[i + 1]) : 1; };
    for (int i = 1; i < argc; ++i) {
        state().full |= std::strcmp(argv[i], "--full") == 0;
        if (std::strcmp(argv[i], "--seed") == 0) state().seed = number(i);
        if (std::strcmp(argv[i], "--random") == 0) state().random = number(i);
    }
}

inline int finish(const char* name) {
    require(cudaDeviceSynchronize(), "synchronising at the end");
    std::printf("%s: %ld checks, %ld failed\n", name, state().checks, state().failures);
    return state().failures == 0 ? 0 : 1;
}

/// Of the GPU.
inline std::size_t multiprocessors() {
    int count = 0;
    require(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0),
            "cudaDeviceGetAttribute");
    return static_cast<std::size_t>(count);
}

/// Threads of the GPU where each of its multiprocessors holds 2,048.
inline std::size_t held_threads() { return 2048 * multiprocessors(); }

/// A well-mixed 64-bit value of an index (splitmix64), so that no two neighbours look alike.
__host__ __device__ inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Device memory `offset` bytes past a 256-byte boundary. Its end is its allocation's, so that the
/// virtual GPU reports every access past it, loads of bytes that nobody uses too. A real GPU sees
/// none of that: with `--full`, poisoned guard zones on both sides show at least what was written.
class GuardedBuffer {
public:
    GuardedBuffer(std::size_t bytes, std::size_t offset, std::uint64_t seed)
        : guard_bytes_(state().full ? 256 : 0),
          bytes_(bytes),
          begin_(guard_bytes_ + offset),
          image_(begin_ + bytes + guard_bytes_) {
        for (std::size_t i = 0; i < image_.size(); ++i)
            image_[i] = static_cast<unsigned char>(mix(seed * 1000003 + i));
        require(cudaMalloc(&device_, image_.size()), "cudaMalloc");
        upload();
    }
    ~GuardedBuffer() { cudaFree(device_); }
    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;

    template <class T>
    T* as() {
        return reinterpret_cast<T*>(device_ + begin_);
    }

    /// The host's image of the contents: what the device should hold.
    unsigned char* expected() { return image_.data() + begin_; }
    std::size_t size() const { return bytes_; }

    void upload() {
        require(cudaMemcpy(device_, image_.data(), image_.size(), cudaMemcpyHostToDevice),
                "upload");
    }

    /// Whether nothing but the contents was written.
    void expect_guards(const std::string& what) {
        require(cudaMemcpy(expected(), device_ + begin_, bytes_, cudaMemcpyDeviceToHost),
                (what + ": download").c_str());
        expect_equal(what);
    }

    /// Whether the device holds exactly the image, guard zones included; else where it first
    /// differs.
    void expect_equal(const std::string& what) {
        std::vector<unsigned char> got(image_.size());
        require(cudaMemcpy(got.data(), device_, got.size(), cudaMemcpyDeviceToHost),
                (what + ": download").c_str());
        if (got == image_) return expect(true, what);
        std::size_t at = 0;
        while (got[at] == image_[at]) ++at;
        const long long byte = static_cast<long long>(at) - static_cast<long long>(begin_);
        expect(false, what + ": byte " + std::to_string(byte) + " of " + std::to_string(bytes_) +
                          " is " + std::to_string(got[at]) + ", want " +
                          std::to_string(image_[at]));
    }

private:
    std::size_t guard_bytes_;
    std::size_t bytes_;
    std::size_t begin_;
    std::vector<unsigned char> image_;
    unsigned char* device_ = nullptr;
};

}  // namespace test
