// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "buffer.cuh"

namespace lab {

/// Enqueues one launch of the work on a stream, on the buffers of that rotation.
using Launch = std::function<void(int rotation, cudaStream_t stream)>;

/// Microseconds of one launch.
struct Time {
    double median = 0, lowest = 0, highest = 0;
    int repeats = 0;
};

static __global__ void scrub_kernel(const uint4* data, std::size_t count, unsigned* sink) {
    unsigned sum = 0;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        sum += data[i].x ^ data[i].w;
    }
    if (sum == 0x12345678u) *sink = sum;
}

/// Times launches with CUDA events. A repeat is a graph of launches, each on the next copy of its
/// buffers, whose copies are together more than four times the L2: one comes again only after all
/// others, in later repeats and points, too. Before each repeat so many other bytes are read
/// through the L2: that drives out what setting up has left there, and while it runs the host
/// enqueues the repeat, so that its own time is in none. The first repeat warms up.
class Timer {
public:
    static constexpr int kRepeats = 21;

    explicit Timer(std::size_t l2_bytes)
        : l2_bytes_(l2_bytes), scrub_(rotated_bytes(l2_bytes) / sizeof(uint4), 1), sink_(1, 1) {
        scrub_.poison();
        LAB_REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        LAB_REQUIRE(cudaEventCreate(&start_));
        LAB_REQUIRE(cudaEventCreate(&stop_));
    }
    ~Timer() {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
        cudaStreamDestroy(stream_);
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Copies that a buffer of that many bytes needs.
    int copies(std::size_t bytes) const { return rotated_copies(bytes, l2_bytes_); }

    /// @param copies  of the buffers that are written
    /// @param direct  without a graph: for work that cannot be captured
    Time time(int copies, const Launch& launch, bool direct) {
        const int launches = launches_of_repeat(copies);
        launch(next_++, stream_);  // modules load lazily, which a capture forbids
        LAB_REQUIRE(cudaStreamSynchronize(stream_));
        std::vector<double> times;
        for (int repeat = -1; repeat < kRepeats; ++repeat) {
            const cudaGraphExec_t graph = direct ? nullptr : captured(launches, launch);
            scrub_kernel<<<1024, 256, 0, stream_>>>(scrub_[0], scrub_.size(), sink_[0]);
            LAB_REQUIRE(cudaEventRecord(start_, stream_));
            if (graph != nullptr) {
                LAB_REQUIRE(cudaGraphLaunch(graph, stream_));
            } else {
                enqueue(launches, launch);
            }
            LAB_REQUIRE(cudaEventRecord(stop_, stream_));
            LAB_REQUIRE(cudaEventSynchronize(stop_));
            float milliseconds = 0;
            LAB_REQUIRE(cudaEventElapsedTime(&milliseconds, start_, stop_));
            if (repeat >= 0) times.push_back(milliseconds * 1000.0 / launches);
            if (graph != nullptr) LAB_REQUIRE(cudaGraphExecDestroy(graph));
        }
        std::sort(times.begin(), times.end());
        return {times[times.size() / 2], times.front(), times.back(), kRepeats};
    }

private:
    /// On the next copies, each.
    void enqueue(int launches, const Launch& launch) {
        for (int i = 0; i < launches; ++i) launch(next_++, stream_);
    }

    /// The next launches as a graph that the GPU has already, so that its way there is not timed.
    cudaGraphExec_t captured(int launches, const Launch& launch) {
        cudaGraph_t graph = nullptr;
        LAB_REQUIRE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        enqueue(launches, launch);
        LAB_REQUIRE(cudaStreamEndCapture(stream_, &graph));
        cudaGraphExec_t executable = nullptr;
        LAB_REQUIRE(cudaGraphInstantiate(&executable, graph, 0));
        LAB_REQUIRE(cudaGraphDestroy(graph));
        LAB_REQUIRE(cudaGraphUpload(executable, stream_));
        return executable;
    }

    std::size_t l2_bytes_;
    int next_ = 0;  ///< copy of every buffer
    Buffer<uint4> scrub_;
    Buffer<unsigned> sink_;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

static __global__ void copy_words_kernel(const uint4* from, uint4* to) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

/// The best copy that this GPU does now, in GB/s read plus written: what every other bandwidth of
/// the run is compared with.
/// @param bytes  a multiple of 2 KiB; more than four times the L2 for a figure that can be quoted
inline double best_copy_gbps(Timer& timer, std::size_t bytes) {
    constexpr unsigned kThreads = 128;
    const int copies = timer.copies(bytes);
    const std::size_t count = bytes / sizeof(unsigned);
    const Buffer<unsigned> from(count, copies), to(count, copies);
    from.fill(Random<unsigned>{7}, false);
    const auto blocks = static_cast<unsigned>(bytes / sizeof(uint4) / kThreads);
    const Launch by_kernel = [&](int rotation, cudaStream_t stream) {
        copy_words_kernel<<<blocks, kThreads, 0, stream>>>(
            reinterpret_cast<const uint4*>(from[rotation]), reinterpret_cast<uint4*>(to[rotation]));
    };
    const Launch by_runtime = [&](int rotation, cudaStream_t stream) {
        LAB_REQUIRE(
            cudaMemcpyAsync(to[rotation], from[rotation], bytes, cudaMemcpyDeviceToDevice, stream));
    };
    const double microseconds = std::min(timer.time(copies, by_kernel, false).median,
                                         timer.time(copies, by_runtime, true).median);
    return 2.0 * static_cast<double>(bytes) / microseconds / 1000.0;
}

}  // namespace lab
