// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/copy.cuh>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

/// What every benchmark of the library shares. Times are medians over graph replays, measured with
/// events after a replay that warms up; before each timed replay other data is read through L2, and
/// each launch of a replay uses a buffer of its own, so that nothing is served from cache. What
/// does the same work takes turns. Results are checked by the caller on poisoned outputs.
namespace bench {

/// Bytes at which shapes of a launch are compared that depend on nothing else.
inline constexpr std::size_t kTuningSizes[] = {
    std::size_t{64} << 10, std::size_t{1} << 20,  std::size_t{4} << 20, std::size_t{8} << 20,
    std::size_t{16} << 20, std::size_t{64} << 20, std::size_t{1} << 30};

inline void require(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "bench: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}
#define BENCH_REQUIRE(call) ::bench::require((call), #call)

/// The stream of all that a benchmark runs.
inline cudaStream_t stream() {
    static const cudaStream_t only = [] {
        cudaStream_t made = nullptr;
        BENCH_REQUIRE(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
        return made;
    }();
    return only;
}

inline constexpr int kRepeats = 21;
/// Bytes that the launches of one replay move together, at least: several times the L2 of an H200.
inline constexpr std::size_t kReplayBytes = std::size_t{512} << 20;
inline constexpr std::size_t kScrubBytes = std::size_t{192} << 20;

__host__ __device__ inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// A permutation of the numbers below `count`, a power of two, whose neighbours have nothing to do
/// with each other: each step is one to one. (A multiplication alone leaves neighbours at a fixed
/// distance.)
__host__ __device__ inline unsigned permuted(unsigned x, unsigned count) {
    const unsigned mask = count - 1;
    for (int round = 0; round < 3; ++round) {
        x = (x ^ x >> 13) * 0x9e3779b1u & mask;
        x = (x ^ x >> 12) * 0xc2b2ae35u & mask;
    }
    return x ^ x >> 13;
}

static __global__ void randomise_kernel(std::uint64_t* data, std::size_t words,
                                        std::uint64_t seed) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words;
         i += step) {
        data[i] = mix(seed + i);
    }
}

/// Cycles of one multiprocessor and nanoseconds, read together: two of them tell its clock.
struct Tick {
    unsigned long long cycles, nanoseconds;
};

/// A contender's turns so far.
struct Turns {
    cudaGraphExec_t graph = nullptr;
    std::vector<float> milliseconds;
    Tick spent{};
};

/// Reads `data` through L2, and the first multiprocessor's tick.
static __global__ void scrub_kernel(const uint4* data, std::size_t words, unsigned* sink,
                                    Tick* tick) {
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    if (multiprocessor == 0 && threadIdx.x == 0) {
        unsigned long long now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        *tick = {static_cast<unsigned long long>(clock64()), now};
    }
    unsigned sum = 0;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words;
         i += step) {
        sum += data[i].x ^ data[i].w;
    }
    if (sum == 0x12345678u) *sink = sum;
}

/// Device memory, freed with its owner.
class Memory {
public:
    explicit Memory(std::size_t bytes) { BENCH_REQUIRE(cudaMalloc(&data_, bytes)); }
    ~Memory() { cudaFree(data_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    template <class T = void>
    T* get() const {
        return static_cast<T*>(data_);
    }

private:
    void* data_ = nullptr;
};

/// Has memory in the stream's order stay with the process: what works in it would wait for the
/// driver in every replay otherwise.
inline void keep_stream_memory() {
    cudaMemPool_t memory = nullptr;
    std::uint64_t kept = UINT64_MAX;
    BENCH_REQUIRE(cudaDeviceGetDefaultMemPool(&memory, 0));
    BENCH_REQUIRE(cudaMemPoolSetAttribute(memory, cudaMemPoolAttrReleaseThreshold, &kept));
}

/// Device memory from which a benchmark takes the buffers of its launches.
class Pool {
public:
    explicit Pool(std::size_t bytes, std::uint64_t seed = 1) : bytes_(bytes) {
        BENCH_REQUIRE(cudaMalloc(&data_, bytes));
        randomise(seed);
    }
    ~Pool() { cudaFree(data_); }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// Buffer number `index` of `bytes` bytes, 512-byte aligned plus `offset`; wraps round where
    /// the pool ends.
    template <class T>
    T* buffer(std::size_t index, std::size_t bytes, std::size_t offset = 0) const {
        const std::size_t slot = (bytes + offset + 511) / 512 * 512;
        const std::size_t slots = std::max<std::size_t>(1, bytes_ / slot);
        return reinterpret_cast<T*>(data_ + (index % slots) * slot + offset);
    }
    void randomise(std::uint64_t seed = 1) {
        randomise_kernel<<<2048, 256, 0, stream()>>>(reinterpret_cast<std::uint64_t*>(data_),
                                                     bytes_ / 8, seed);
        BENCH_REQUIRE(cudaDeviceSynchronize());
    }
    char* data() const { return data_; }
    std::size_t size() const { return bytes_; }

private:
    char* data_ = nullptr;
    std::size_t bytes_;
};

/// Enqueues one launch on `stream`; `rotation` picks its buffers.
using Launch = std::function<void(int rotation, cudaStream_t stream)>;

/// One of several ways to do the same work.
struct Contender {
    std::string name;
    Launch launch;
    bool ok = true;  ///< whether its result was right
    /// Enqueued on the stream instead of replayed as a graph, for peers whose graph node is not
    /// what users get.
    bool direct = false;
};

static __global__ void nothing_kernel() {}

/// From the eighth kernel on that a process launches into other streams than that of its graphs,
/// these take up to 0.35 µs longer a kernel until it ends, whatever they are (H200, driver
/// 580.159.04; see NOTES.md). Most processes are of that kind: so are benchmarks, from the start.
inline void work_in_another_stream() {
    cudaStream_t other = nullptr;
    BENCH_REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int i = 0; i < 64; ++i) nothing_kernel<<<1, 32, 0, other>>>();
    BENCH_REQUIRE(cudaStreamSynchronize(other));
}

/// What bounds a technique that moves as many bytes: the library's copy of them from pool to pool.
inline Contender copy_of(const Pool* from, const Pool* to, std::size_t bytes) {
    const auto launch = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(wideload::copy_bytes(from->buffer<char>(rotation, bytes),
                                           to->buffer<char>(rotation, bytes), bytes, stream));
    };
    return {"copy", launch};
}

/// The median time of a launch, and the mean clock of the multiprocessors meanwhile.
struct Timing {
    double microseconds, sm_mhz;
};

class Bench {
public:
    /// Options: `--csv FILE` adds rows of results to a file; with `--one-stream` nothing else has
    /// been launched by the process.
    Bench(int argc, char** argv) : scrub_(kScrubBytes, 99) {
        bool one_stream = false;
        for (int i = 1; i < argc; ++i) {
            if (std::strcmp(argv[i], "--one-stream") == 0) one_stream = true;
            if (i + 1 < argc && std::strcmp(argv[i], "--csv") == 0)
                csv_ = std::fopen(argv[i + 1], "a");
        }
        if (!one_stream) work_in_another_stream();
        BENCH_REQUIRE(cudaEventCreate(&start_));
        BENCH_REQUIRE(cudaEventCreate(&stop_));
        BENCH_REQUIRE(cudaMalloc(&sink_, 4));
        BENCH_REQUIRE(cudaMalloc(&tick_, sizeof(Tick)));
    }
    ~Bench() {
        if (csv_) std::fclose(csv_);
    }

    cudaStream_t stream() const { return bench::stream(); }

    /// Overwrites an output before the run whose result is checked.
    void poison(void* data, std::size_t bytes) {
        BENCH_REQUIRE(cudaMemsetAsync(data, 0xa5, bytes, stream()));
    }

    /// Launches per replay for work that moves `bytes` bytes a launch.
    static int launches(std::size_t bytes) {
        return static_cast<int>(
            std::clamp<std::size_t>(kReplayBytes / std::max<std::size_t>(bytes, 1), 4, 40));
    }

    /// A row of results for each contender, as `row` writes it.
    void compare(const std::string& section, const std::string& parameters, std::size_t bytes,
                 const std::vector<Contender>& contenders) {
        const std::vector<Timing> timings = time_by_turns(bytes, contenders);
        for (std::size_t i = 0; i < contenders.size(); ++i)
            row(section, contenders[i].name, parameters, bytes, timings[i], contenders[i].ok);
    }

    /// One launch of work that moves `bytes` bytes, by itself.
    Timing time(std::size_t bytes, const Launch& launch, bool direct = false) {
        return time_by_turns(bytes, {{"", launch, true, direct}})[0];
    }

    /// One row of results: `bytes` are those that the work must move at least.
    void row(const std::string& section, const std::string& name, const std::string& parameters,
             std::size_t bytes, const Timing& timing, bool ok) {
        char line[512];
        std::snprintf(line, sizeof line, "%s,%s,%s,%zu,%.3f,%.1f,%d,%.0f\n", section.c_str(),
                      name.c_str(), parameters.c_str(), bytes, timing.microseconds,
                      bytes / timing.microseconds / 1000.0, ok ? 1 : 0, timing.sm_mhz);
        if (csv_) {
            std::fputs(line, csv_);
            std::fflush(csv_);
        } else {
            std::fputs(line, stdout);
        }
        if (!ok) std::printf("WRONG RESULT: %s", line);
    }

private:
    /// Replays take turns, so that a clock that falls under the load, as power does not suffice for
    /// the highest, falls for all alike.
    std::vector<Timing> time_by_turns(std::size_t bytes, const std::vector<Contender>& contenders) {
        const int count = launches(bytes);
        std::vector<Turns> turns(contenders.size());
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            if (!contenders[i].direct) turns[i].graph = capture(contenders[i].launch, count);
        }
        const auto scrub = [&] {
            scrub_kernel<<<1056, 256, 0, stream()>>>(reinterpret_cast<const uint4*>(scrub_.data()),
                                                     kScrubBytes / 16, sink_, tick_);
        };
        Tick begin{};
        Turns* last = nullptr;
        const auto begin_turn = [&](Turns* next) {  // with its scrub's tick the last turn ends
            const Tick now = tick();
            if (last) {
                last->spent.cycles += now.cycles - begin.cycles;
                last->spent.nanoseconds += now.nanoseconds - begin.nanoseconds;
            }
            begin = now;
            last = next;
        };
        for (int repeat = -1; repeat < kRepeats; ++repeat) {
            for (std::size_t i = 0; i < contenders.size(); ++i) {
                scrub();
                BENCH_REQUIRE(cudaEventRecord(start_, stream()));
                if (contenders[i].direct) {
                    for (int k = 0; k < count; ++k) contenders[i].launch(k, stream());
                } else {
                    BENCH_REQUIRE(cudaGraphLaunch(turns[i].graph, stream()));
                }
                BENCH_REQUIRE(cudaEventRecord(stop_, stream()));
                BENCH_REQUIRE(cudaEventSynchronize(stop_));
                float milliseconds = 0;
                BENCH_REQUIRE(cudaEventElapsedTime(&milliseconds, start_, stop_));
                if (repeat >= 0) turns[i].milliseconds.push_back(milliseconds);
                begin_turn(&turns[i]);
            }
        }
        scrub();
        begin_turn(nullptr);
        std::vector<Timing> timings;
        for (Turns& turn : turns) {
            if (turn.graph) BENCH_REQUIRE(cudaGraphExecDestroy(turn.graph));
            const auto median = turn.milliseconds.begin() + kRepeats / 2;
            std::nth_element(turn.milliseconds.begin(), median, turn.milliseconds.end());
            timings.push_back(
                {*median * 1000.0 / count, 1000.0 * static_cast<double>(turn.spent.cycles) /
                                               static_cast<double>(turn.spent.nanoseconds)});
        }
        return timings;
    }

    cudaGraphExec_t capture(const Launch& launch, int count) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        launch(0, stream());  // modules load lazily, which a capture forbids
        BENCH_REQUIRE(cudaStreamSynchronize(stream()));
        BENCH_REQUIRE(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < count; ++i) launch(i, stream());
        BENCH_REQUIRE(cudaStreamEndCapture(stream(), &graph));
        BENCH_REQUIRE(cudaGraphInstantiate(&executable, graph, 0));
        BENCH_REQUIRE(cudaGraphDestroy(graph));
        return executable;
    }

    /// What the last `scrub_kernel` read.
    Tick tick() const {
        Tick value{};
        BENCH_REQUIRE(
            cudaMemcpyAsync(&value, tick_, sizeof value, cudaMemcpyDeviceToHost, stream()));
        BENCH_REQUIRE(cudaStreamSynchronize(stream()));
        return value;
    }

    Pool scrub_;
    cudaEvent_t start_ = nullptr, stop_ = nullptr;
    unsigned* sink_ = nullptr;
    Tick* tick_ = nullptr;
    std::FILE* csv_ = nullptr;
};

template <class Check>
__global__ void check_kernel(std::size_t count, Check check, unsigned* wrong) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        if (!check(i)) atomicAdd(wrong, 1u);
    }
}

/// Of NaNs, too.
template <class T>
__device__ bool same_bits(const T& a, const T& b) {
    const auto* x = reinterpret_cast<const unsigned char*>(&a);
    const auto* y = reinterpret_cast<const unsigned char*>(&b);
    for (int k = 0; k < static_cast<int>(sizeof(T)); ++k) {
        if (x[k] != y[k]) return false;
    }
    return true;
}

/// Whether the device predicate holds for every index below `count`.
template <class Check>
bool check(std::size_t count, Check predicate) {
    static unsigned* wrong = nullptr;
    unsigned host = 0;
    BENCH_REQUIRE(cudaDeviceSynchronize());
    if (wrong == nullptr) BENCH_REQUIRE(cudaMalloc(&wrong, 4));
    BENCH_REQUIRE(cudaMemsetAsync(wrong, 0, 4, stream()));
    check_kernel<<<1056, 256, 0, stream()>>>(count, predicate, wrong);
    BENCH_REQUIRE(cudaMemcpyAsync(&host, wrong, 4, cudaMemcpyDeviceToHost, stream()));
    BENCH_REQUIRE(cudaStreamSynchronize(stream()));
    return host == 0;
}

inline std::string bytes_name(std::size_t bytes) { return "bytes=" + std::to_string(bytes); }

}  // namespace bench
