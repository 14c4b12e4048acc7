// SPDX-License-Identifier: Apache-2.0
// The library's kernels may be launched before the last kernel of their stream has ended. Chains in
// which each step reads what the step before wrote, too short to hide a missing wait, must still
// give what their order says: launched, captured into a graph, forked and joined, and with the
// caller's own kernels, copies and fills in between.
#include <wideload/wideload.cuh>

#include "support/harness.cuh"

#include <utility>

namespace {

constexpr std::size_t kSide = 96, kCount = kSide * kSide;
constexpr int kSteps = 96;

__global__ void add_index(std::uint32_t* data) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCount) data[i] += i;
}

struct Scale {
    __host__ __device__ std::uint32_t operator()(std::uint32_t x) const { return 5 * x + 1; }
};

void require(cudaError_t status) { test::require(status, "a step of a chain"); }

/// The memory of one chain: its state, what a step needs besides, and the state as it should be.
class Chain {
public:
    Chain() : wanted_(kCount) {
        require(cudaMalloc(&state_, kCount * 4));
        require(cudaMalloc(&other_, (kCount + 1) * 4));
        require(cudaMalloc(&sums_, kSide * 4));
        require(cudaMalloc(&index_, kCount * 4));
        require(cudaMalloc(&scratch_, kScratchBytes));
        require(cudaMemset(scratch_, 0, kScratchBytes));
        std::vector<std::uint32_t> index(kCount);
        for (std::size_t i = 0; i < kCount; ++i) index[i] = permuted(i);
        require(cudaMemcpy(index_, index.data(), kCount * 4, cudaMemcpyHostToDevice));
        reset();
    }
    ~Chain() {
        for (std::uint32_t* memory : {state_, other_, sums_, index_}) cudaFree(memory);
        cudaFree(scratch_);
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    void reset() {
        for (std::size_t i = 0; i < kCount; ++i)
            wanted_[i] = static_cast<std::uint32_t>(test::mix(i));
        require(cudaMemcpy(state_, wanted_.data(), kCount * 4, cudaMemcpyHostToDevice));
    }

    void expect_equal(const std::string& what) {
        std::vector<std::uint32_t> got(kCount);
        require(cudaMemcpy(got.data(), state_, kCount * 4, cudaMemcpyDeviceToHost));
        test::expect(got == wanted_, what);
    }

    /// Enqueues a step that takes the state in `state_` to the next.
    void enqueue(int step, cudaStream_t stream) {
        switch (step % kKinds) {
            case 0:
                require(wideload::transform(state_, other_, kCount, Scale{}, stream));
                return require(wideload::copy(other_, state_, kCount, stream));
            case 1:
                require(wideload::transpose(state_, other_, kSide / 2, kSide * 2, stream));
                return require(wideload::transform(other_, state_, kCount, Scale{}, stream));
            case 2:
                require(wideload::copy(state_, other_ + 1, kCount, stream));
                return require(wideload::copy(other_ + 1, state_, kCount, stream));
            case 3:
                add_index<<<(kCount + 255) / 256, 256, 0, stream>>>(state_);
                return require(cudaGetLastError());
            case 4:
                require(wideload::gather(state_, index_, other_, kCount, stream));
                return require(
                    cudaMemcpyAsync(state_, other_, kCount * 4, cudaMemcpyDeviceToDevice, stream));
            case 5:
                return require(wideload::transpose_square_in_place(state_, kSide, 1, stream));
            case 6:
                require(wideload::reduce(state_, kCount, sums_, wideload::plus{}, 7u, scratch_,
                                         kScratchBytes, stream));
                return require(wideload::copy(sums_, state_ + 17, 1, stream));
            case 7:
                require(cudaMemsetAsync(sums_, 0, 4, stream));
                require(wideload::reduce_atomic(state_, kCount, sums_, wideload::plus{}, stream));
                return require(wideload::copy(sums_, state_ + kCount - 1, 1, stream));
            case 8: {
                std::uint32_t* fields[] = {other_, other_ + kCount / 3, other_ + kCount / 3 * 2};
                require(wideload::deinterleave(state_, fields, kCount / 3, stream));
                std::swap(fields[0], fields[2]);
                return require(wideload::interleave(fields, state_, kCount / 3, stream));
            }
            case 9:
                require(wideload::reduce_rows(state_, kSide, kSide, sums_, wideload::plus{}, 0u,
                                              stream));
                require(wideload::strided_copy(sums_, 1, state_, kSide, kSide, stream));
                require(wideload::reduce_columns(state_, kSide, kSide, sums_, wideload::plus{}, 0u,
                                                 stream));
                return require(wideload::copy(sums_, state_ + kSide, kSide, stream));
            default:
                require(wideload::fill(other_, kCount, 3u, stream));
                return require(
                    wideload::transform(state_, other_, state_, kCount, wideload::plus{}, stream));
        }
    }

    /// What that step does to the state.
    void apply(int step) {
        const std::vector<std::uint32_t> before = wanted_;
        std::uint32_t sum = step % kKinds == 6 ? 7 : 0;
        for (const std::uint32_t value : before) sum += value;
        for (std::size_t i = 0; i < kCount; ++i) {
            switch (step % kKinds) {
                case 0:
                    wanted_[i] = Scale{}(before[i]);
                    break;
                case 1: {
                    const std::size_t rows = kSide / 2, columns = kSide * 2;
                    wanted_[i] = Scale{}(before[i % rows * columns + i / rows]);
                    break;
                }
                case 3:
                    wanted_[i] += static_cast<std::uint32_t>(i);
                    break;
                case 4:
                    wanted_[i] = before[permuted(i)];
                    break;
                case 5:
                    wanted_[i] = before[i % kSide * kSide + i / kSide];
                    break;
                case 8:
                    wanted_[i] = before[i / 3 * 3 + (2 - i % 3)];
                    break;
                case 10:
                    wanted_[i] += 3;
                    break;
                default:
                    break;
            }
        }
        if (step % kKinds == 6) wanted_[17] = sum;
        if (step % kKinds == 7) wanted_[kCount - 1] = sum;
        if (step % kKinds == 9) apply_sums();
    }

private:
    static constexpr int kKinds = 11;
    static constexpr std::size_t kScratchBytes = wideload::reduce_scratch_bytes<std::uint32_t>();
    static std::uint32_t permuted(std::size_t i) {
        return static_cast<std::uint32_t>(i * 1025 % kCount);
    }

    void apply_sums() {
        for (std::size_t r = 0; r < kSide; ++r) {
            std::uint32_t sum = 0;
            for (std::size_t c = 0; c < kSide; ++c) sum += wanted_[r * kSide + c];
            wanted_[r * kSide] = sum;
        }
        std::vector<std::uint32_t> sums(kSide);
        for (std::size_t i = 0; i < kCount; ++i) sums[i % kSide] += wanted_[i];
        for (std::size_t c = 0; c < kSide; ++c) wanted_[kSide + c] = sums[c];
    }

    std::uint32_t *state_ = nullptr, *other_ = nullptr, *sums_ = nullptr, *index_ = nullptr;
    void* scratch_ = nullptr;
    std::vector<std::uint32_t> wanted_;
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
