// SPDX-License-Identifier: Apache-2.0
// The library's kernels may be launched before the last kernel of their stream has ended. Chains in
// which each step reads what the step before wrote, too short to hide a missing wait, must still
// give what their order says: launched, captured into a graph, forked and joined, and with the
// caller's own kernels, copies and fills in between.
#include <wideload/wideload.cuh>

#include "support/matrices.cuh"

#include <utility>

namespace {

constexpr std::size_t kSide = 144, kCount = kSide * kSide;
constexpr int kSteps = 40;

using State = std::vector<std::uint32_t>;

__global__ void add_index(std::uint32_t* data) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCount) data[i] += i;
}

struct Scale {
    __host__ __device__ std::uint32_t operator()(std::uint32_t x) const { return 5 * x + 1; }
};

void require(cudaError_t status) { test::require(status, "a step of a chain"); }

std::uint32_t permuted(std::size_t i) { return static_cast<std::uint32_t>(i * 1025 % kCount); }

/// What the steps of one chain work on.
struct Memory {
    static constexpr std::size_t kScratchBytes = wideload::reduce_scratch_bytes<std::uint32_t>();
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

/// `batch` matrices, transposed.
void transpose_on_host(State& state, std::size_t rows, std::size_t columns, std::size_t batch) {
    test::transpose_on_host(reinterpret_cast<unsigned char*>(state.data()), rows, columns, batch,
                            4);
}

std::uint32_t sum_of(const State& state, std::size_t first, std::size_t step, std::size_t count) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += state[first + i * step];
    return sum;
}

/// A rectangle in place, panel by panel, by many launches, or by two blocks that hold a panel.
void through_scratch(const Memory& memory, void* scratch, std::size_t held_by,
                     cudaStream_t stream) {
    require(wideload::detail::dispatch_transpose_rectangle<4>(
        memory.state, kSide / 2, kSide * 2, 1, 0, {Memory::kLentBytes / 2, 1, held_by},
        {scratch, Memory::kLentBytes, scratch == nullptr}, stream));
}

/// A kind of step: the work that takes the state to the next, and what the next is to be.
struct Kind {
    void (*enqueue)(const Memory&, cudaStream_t);
    void (*apply)(State&);
};

constexpr Kind kKinds[] = {
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::transform(m.state, m.other, kCount, Scale{}, stream));
         m.take_other(stream);
     },
     [](State& state) {
         for (std::uint32_t& value : state) value = Scale{}(value);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::transpose(m.state, m.other, kSide / 2, kSide * 2, stream));
         require(wideload::transform(m.other, m.state, kCount, Scale{}, stream));
     },
     [](State& state) {
         transpose_on_host(state, kSide / 2, kSide * 2, 1);
         for (std::uint32_t& value : state) value = Scale{}(value);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::copy(m.state, m.other + 1, kCount, stream));
         require(wideload::copy(m.other + 1, m.state, kCount, stream));
     },
     [](State&) {}},
    {[](const Memory& m, cudaStream_t stream) {
         add_index<<<(kCount + 255) / 256, 256, 0, stream>>>(m.state);
         require(cudaGetLastError());
     },
     [](State& state) {
         for (std::size_t i = 0; i < kCount; ++i) state[i] += static_cast<std::uint32_t>(i);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::gather(m.state, m.index, m.other, kCount, stream));
         require(cudaMemcpyAsync(m.state, m.other, kCount * 4, cudaMemcpyDeviceToDevice, stream));
     },
     [](State& state) {
         const State before = state;
         for (std::size_t i = 0; i < kCount; ++i) state[i] = before[permuted(i)];
     }},
    // To rows that begin between words, and from there.
    {[](const Memory& m, cudaStream_t stream) {
         char* const between = reinterpret_cast<char*>(m.other) + 1;
         require(wideload::gather_rows(reinterpret_cast<const char*>(m.state), kCount, m.index,
                                       between, kCount, 4, stream));
         require(wideload::scatter_rows(between, m.index, reinterpret_cast<char*>(m.state), kCount,
                                        kCount, 4, stream));
         require(wideload::gather_rows(m.state, kCount, m.index, m.other, kCount, 1, stream));
         m.take_other(stream);
     },
     [](State& state) {
         const State before = state;
         for (std::size_t i = 0; i < kCount; ++i) state[i] = before[permuted(i)];
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::scatter(m.state, m.index, m.other, kCount, stream));
         m.take_other(stream);
     },
     [](State& state) {
         const State before = state;
         for (std::size_t i = 0; i < kCount; ++i) state[permuted(i)] = before[i];
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::transpose_square_in_place(m.state, kSide, 1, stream));
     },
     [](State& state) { transpose_on_host(state, kSide, kSide, 1); }},
    // Rows that start anywhere, and tiles inside as well as at the edges.
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::transpose_square_in_place(m.state, kSide - 1, 1, stream));
     },
     [](State& state) { transpose_on_host(state, kSide - 1, kSide - 1, 1); }},
    {[](const Memory& m, cudaStream_t stream) {
         require(
             wideload::transpose_batched(m.state, m.other, kSide / 9, kSide / 16, kSide, stream));
         m.take_other(stream);
     },
     [](State& state) { transpose_on_host(state, kSide / 9, kSide / 16, kSide); }},
    {[](const Memory& m, cudaStream_t stream) { through_scratch(m, m.lent, 0, stream); },
     [](State& state) { transpose_on_host(state, kSide / 2, kSide * 2, 1); }},
    {[](const Memory& m, cudaStream_t stream) { through_scratch(m, nullptr, 0, stream); },
     [](State& state) { transpose_on_host(state, kSide / 2, kSide * 2, 1); }},
    {[](const Memory& m, cudaStream_t stream) { through_scratch(m, m.lent, 2, stream); },
     [](State& state) { transpose_on_host(state, kSide / 2, kSide * 2, 1); }},
    {[](const Memory& m, cudaStream_t stream) { through_scratch(m, nullptr, 2, stream); },
     [](State& state) { transpose_on_host(state, kSide / 2, kSide * 2, 1); }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::reduce(m.state, kCount, m.sums, wideload::plus{}, 7u, m.scratch,
                                  Memory::kScratchBytes, stream));
         require(wideload::copy(m.sums, m.state + 17, 1, stream));
     },
     [](State& state) { state[17] = 7 + sum_of(state, 0, 1, kCount); }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::reduce(m.state, kCount, m.sums, wideload::plus{}, 9u, stream));
         require(wideload::copy(m.sums, m.state + 18, 1, stream));
     },
     [](State& state) { state[18] = 9 + sum_of(state, 0, 1, kCount); }},
    {[](const Memory& m, cudaStream_t stream) {
         require(cudaMemsetAsync(m.sums, 0, 4, stream));
         require(wideload::reduce_atomic(m.state, kCount, m.sums, wideload::plus{}, stream));
         require(wideload::copy(m.sums, m.state + kCount - 1, 1, stream));
     },
     [](State& state) { state[kCount - 1] = sum_of(state, 0, 1, kCount); }},
    {[](const Memory& m, cudaStream_t stream) {
         std::uint32_t* fields[] = {m.other, m.other + kCount / 3, m.other + kCount / 3 * 2};
         require(wideload::deinterleave(m.state, fields, kCount / 3, stream));
         std::swap(fields[0], fields[2]);
         require(wideload::interleave(fields, m.state, kCount / 3, stream));
     },
     [](State& state) {
         for (std::size_t i = 0; i < kCount; i += 3) std::swap(state[i], state[i + 2]);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(
             wideload::reduce_rows(m.state, kSide, kSide, m.sums, wideload::plus{}, 0u, stream));
         require(wideload::strided_copy(m.sums, 1, m.state, kSide, kSide, stream));
     },
     [](State& state) {
         for (std::size_t r = 0; r < kSide; ++r)
             state[r * kSide] = sum_of(state, r * kSide, 1, kSide);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(
             wideload::reduce_columns(m.state, kSide, kSide, m.sums, wideload::plus{}, 0u, stream));
         require(wideload::copy(m.sums, m.state + kSide, kSide, stream));
     },
     [](State& state) {
         const State before = state;
         for (std::size_t c = 0; c < kSide; ++c) state[kSide + c] = sum_of(before, c, kSide, kSide);
     }},
    // Few rows, and few columns, of so many elements that each takes two launches.
    {[](const Memory& m, cudaStream_t stream) {
         require(
             wideload::reduce_rows(m.state, 2, kCount / 2, m.sums, wideload::plus{}, 3u, stream));
         require(wideload::copy(m.sums, m.state, 2, stream));
     },
     [](State& state) {
         const State before = state;
         for (std::size_t r = 0; r < 2; ++r)
             state[r] = 3 + sum_of(before, r * (kCount / 2), 1, kCount / 2);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::reduce_columns(m.state, kCount / 4, 4, m.sums, wideload::plus{}, 3u,
                                          stream));
         require(wideload::copy(m.sums, m.state + 5, 4, stream));
     },
     [](State& state) {
         const State before = state;
         for (std::size_t c = 0; c < 4; ++c) state[5 + c] = 3 + sum_of(before, c, 4, kCount / 4);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::fill(m.other, kCount, 3u, stream));
         require(wideload::transform(m.state, m.other, m.state, kCount, wideload::plus{}, stream));
     },
     [](State& state) {
         for (std::uint32_t& value : state) value += 3;
     }},
};
constexpr int kKindCount = sizeof(kKinds) / sizeof(kKinds[0]);

/// The memory of one chain, and its state as it should be.
class Chain {
public:
    Chain() { reset(); }

    void reset() {
        wanted_.resize(kCount);
        for (std::size_t i = 0; i < kCount; ++i)
            wanted_[i] = static_cast<std::uint32_t>(test::mix(i));
        require(cudaMemcpy(memory_.state, wanted_.data(), kCount * 4, cudaMemcpyHostToDevice));
    }
    void enqueue(int step, cudaStream_t stream) {
        kKinds[step % kKindCount].enqueue(memory_, stream);
    }
    /// What that step does to the state.
    void apply(int step) { kKinds[step % kKindCount].apply(wanted_); }

    void expect_equal(const std::string& what) {
        State got(kCount);
        require(cudaMemcpy(got.data(), memory_.state, kCount * 4, cudaMemcpyDeviceToHost));
        test::expect(got == wanted_, what);
    }

private:
    Memory memory_;
    State wanted_;
};

void launched(Chain& chain, cudaStream_t stream, int rounds) {
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

void captured(Chain& chain, cudaStream_t stream, int rounds) {
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
void forked(Chain& first, Chain& second, cudaStream_t stream, cudaStream_t beside, bool capture) {
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

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    const int rounds = test::state().full ? 50 : 1;
    cudaStream_t stream = nullptr, beside = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    require(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    {
        Chain first, second;
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
    return test::finish("stream_order_test");
}
