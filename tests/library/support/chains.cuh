// SPDX-License-Identifier: Apache-2.0
// Chains of steps in a stream, each of which reads what the step before wrote.
#pragma once

#include <wideload/wideload.cuh>

#include "harness.cuh"

#include <utility>

namespace test::chains {

inline constexpr std::size_t kSide = 144, kCount = kSide * kSide;
inline constexpr int kSteps = 40;

using State = std::vector<std::uint32_t>;

static __global__ void add_index(std::uint32_t* data) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCount) data[i] += i;
}

struct Scale {
    __host__ __device__ std::uint32_t operator()(std::uint32_t x) const { return 5 * x + 1; }
};

inline void require(cudaError_t status) { test::require(status, "a step of a chain"); }

inline std::uint32_t permuted(std::size_t i) {
    return static_cast<std::uint32_t>(i * 1025 % kCount);
}

/// What the steps of one chain work on.
struct Memory {
    /// For results of at most 16 bytes.
    static constexpr std::size_t kScratchBytes = wideload::reduce_scratch_bytes<uint4>();
    static constexpr std::size_t kLentBytes = kCount * 4 / 2;

    Memory() {
        require(cudaMalloc(&state, kCount * 4));
        require(cudaMalloc(&other, (kCount + 1) * 4));
        require(cudaMalloc(&sums, kSide * 4));
        require(cudaMalloc(&index, kCount * 4));
        require(cudaMalloc(&scratch, kScratchBytes));
        require(cudaMemset(scratch, 0, kScratchBytes));
        require(cudaMalloc(&lent, kLentBytes));
        State places(kCount);
        for (std::size_t i = 0; i < kCount; ++i) places[i] = permuted(i);
        require(cudaMemcpy(index, places.data(), kCount * 4, cudaMemcpyHostToDevice));
    }
    ~Memory() {
        for (std::uint32_t* memory : {state, other, sums, index}) cudaFree(memory);
        cudaFree(scratch);
        cudaFree(lent);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// The state once more, from where a step wrote its next.
    void take_other(cudaStream_t stream) const {
        require(wideload::copy(other, state, kCount, stream));
    }

    std::uint32_t *state = nullptr, *other = nullptr, *sums = nullptr, *index = nullptr;
    void *scratch = nullptr, *lent = nullptr;
};

/// The state byte by byte.
inline unsigned char* bytes_of(State& state) {
    return reinterpret_cast<unsigned char*>(state.data());
}

/// A kind of step: the work that takes the state to the next, and what the next is to be.
struct Kind {
    void (*enqueue)(const Memory&, cudaStream_t);
    void (*apply)(State&);
};

/// The caller's own kernel, and the simplest of the library's.
inline constexpr Kind kAddIndex{[](const Memory& m, cudaStream_t stream) {
                                    add_index<<<(kCount + 255) / 256, 256, 0, stream>>>(m.state);
                                    require(cudaGetLastError());
                                },
                                [](State& state) {
                                    for (std::size_t i = 0; i < kCount; ++i)
                                        state[i] += static_cast<std::uint32_t>(i);
                                }};
inline constexpr Kind kScale{
    [](const Memory& m, cudaStream_t stream) {
        require(wideload::transform(m.state, m.other, kCount, Scale{}, stream));
        m.take_other(stream);
    },
    [](State& state) {
        for (std::uint32_t& value : state) value = Scale{}(value);
    }};

/// The memory of one chain, and its state as it should be.
class Chain {
public:
    Chain(const Kind* kinds, int count) : kinds_(kinds), count_(count) { reset(); }

    void reset() {
        wanted_.resize(kCount);
        for (std::size_t i = 0; i < kCount; ++i)
            wanted_[i] = static_cast<std::uint32_t>(test::mix(i));
        require(cudaMemcpy(memory_.state, wanted_.data(), kCount * 4, cudaMemcpyHostToDevice));
    }
    void enqueue(int step, cudaStream_t stream) { kinds_[step % count_].enqueue(memory_, stream); }
    /// What that step does to the state.
    void apply(int step) { kinds_[step % count_].apply(wanted_); }

    void expect_equal(const std::string& what) {
        State got(kCount);
        require(cudaMemcpy(got.data(), memory_.state, kCount * 4, cudaMemcpyDeviceToHost));
        test::expect(got == wanted_, what);
    }

private:
    const Kind* kinds_;
    int count_;
    Memory memory_;
    State wanted_;
};

inline void launched(Chain& chain, cudaStream_t stream, int rounds) {
    chain.reset();
    for (int round = 0; round < rounds; ++round) {
        for (int step = 0; step < kSteps; ++step) {
            chain.enqueue(step * 7, stream);
            chain.apply(step * 7);
        }
    }
    require(cudaStreamSynchronize(stream));
    chain.expect_equal("a chain of launches");
}

inline void captured(Chain& chain, cudaStream_t stream, int rounds) {
    chain.reset();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int step = 0; step < kSteps; ++step) chain.enqueue(step * 7, stream);
    require(cudaStreamEndCapture(stream, &graph));
    require(cudaGraphInstantiate(&executable, graph, 0));
    for (int round = 0; round < rounds; ++round) {
        require(cudaGraphLaunch(executable, stream));
        for (int step = 0; step < kSteps; ++step) chain.apply(step * 7);
    }
    require(cudaStreamSynchronize(stream));
    chain.expect_equal("a chain as a graph");
    require(cudaGraphExecDestroy(executable));
    require(cudaGraphDestroy(graph));
}

/// Two chains side by side that wait for one another every few steps, as a graph or launched.
inline void forked(Chain& first, Chain& second, cudaStream_t stream, cudaStream_t beside,
                   bool capture) {
    first.reset();
    second.reset();
    cudaEvent_t fork = nullptr, join = nullptr;
    require(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    require(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    cudaGraph_t graph = nullptr;
    if (capture) require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int step = 0; step < kSteps; ++step) {
        require(cudaEventRecord(fork, stream));
        require(cudaStreamWaitEvent(beside, fork, 0));
        first.enqueue(step, stream);
        second.enqueue(step * 3, beside);
        require(cudaEventRecord(join, beside));
        require(cudaStreamWaitEvent(stream, join, 0));
        first.apply(step);
        second.apply(step * 3);
    }
    if (capture) {
        cudaGraphExec_t executable = nullptr;
        require(cudaStreamEndCapture(stream, &graph));
        require(cudaGraphInstantiate(&executable, graph, 0));
        require(cudaGraphLaunch(executable, stream));
        require(cudaStreamSynchronize(stream));
        require(cudaGraphExecDestroy(executable));
        require(cudaGraphDestroy(graph));
    }
    require(cudaStreamSynchronize(stream));
    const std::string what = capture ? "forked chains as a graph" : "forked chains";
    first.expect_equal(what + ", first");
    second.expect_equal(what + ", second");
    require(cudaEventDestroy(fork));
    require(cudaEventDestroy(join));
}

/// That chains of steps of such kinds give what their order says, each kind after several others.
template <int Count>
void expect_chains(const Kind (&kinds)[Count]) {
    static_assert(Count <= kSteps && Count % 3 != 0 && Count % 7 != 0, "chains have all of them");
    const int rounds = test::state().full ? 50 : 1;
    cudaStream_t stream = nullptr, beside = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    require(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    {
        Chain first(kinds, Count), second(kinds, Count);
        launched(first, stream, rounds);
        launched(first, nullptr, rounds);
        captured(first, stream, rounds);
        for (int round = 0; round < rounds; ++round) {
            forked(first, second, stream, beside, false);
            forked(first, second, stream, beside, true);
        }
    }
    require(cudaStreamDestroy(stream));
    require(cudaStreamDestroy(beside));
}

}  // namespace test::chains
