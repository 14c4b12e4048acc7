// SPDX-License-Identifier: Apache-2.0
// Threads of the host that call the library at once, each with a stream and memory of its own, must
// not notice one another: what they launch differs in what it asks of the driver.
#include <wideload/wideload.cuh>

#include "support/matrices.cuh"

#include <thread>

namespace {

using test::GuardedBuffer;

/// A thread's work, and what it should come to.
class Worker {
public:
    Worker(std::size_t rows, std::size_t columns, std::size_t batch)
        : rows_(rows),
          columns_(columns),
          batch_(batch),
          matrices_(bytes(), 0, 1),
          transposed_(bytes(), 0, 2),
          sum_(sizeof(int), 0, 3) {
        test::require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                      "cudaStreamCreateWithFlags");
        test::transpose_on_host(matrices_.expected(), transposed_.expected(), rows, columns, batch,
                                sizeof(int));
        int sum = 0;
        for (std::size_t i = 0; i < bytes() / sizeof(int); ++i)
            sum ^= reinterpret_cast<const int*>(matrices_.expected())[i];
        std::memcpy(sum_.expected(), &sum, sizeof(sum));
    }
    ~Worker() { cudaStreamDestroy(stream_); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void run() {
        constexpr int kTimes = 5;
        int* const data = matrices_.as<int>();
        for (int i = 0; i < kTimes && status_ == cudaSuccess; ++i) {
            attempt(wideload::transpose_batched(data, transposed_.as<int>(), rows_, columns_,
                                                batch_, stream_));
            attempt(wideload::transpose_in_place_batched(data, rows_, columns_, batch_, stream_));
            attempt(wideload::transpose_in_place_batched(data, columns_, rows_, batch_, stream_));
            attempt(wideload::reduce(data, bytes() / sizeof(int), sum_.as<int>(),
                                     wideload::bit_xor{}, 0, stream_));
        }
        attempt(cudaStreamSynchronize(stream_));
    }
    /// Launches into graphs that nothing runs, for as little as possible between one and the next.
    void capture() {
        constexpr int kTimes = 2000;
        int* const data = matrices_.as<int>();
        attempt(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < kTimes && status_ == cudaSuccess; ++i) {
            attempt(wideload::transpose_in_place_batched(data, rows_, columns_, batch_,
                                                         transposed_.as<void>(), bytes(), stream_));
        }
        cudaGraph_t graph = nullptr;
        attempt(cudaStreamEndCapture(stream_, &graph));
        attempt(cudaGraphDestroy(graph));
    }
    void check() {
        const std::string what = "a thread's " + test::shape(rows_, columns_, batch_, sizeof(int));
        test::expect_status(status_, cudaSuccess, what);
        matrices_.expect_equal(what);
        transposed_.expect_equal("transpose of " + what);
        sum_.expect_equal("reduction of " + what);
    }

private:
    std::size_t bytes() const { return rows_ * columns_ * batch_ * sizeof(int); }
    void attempt(cudaError_t status) {
        if (status_ == cudaSuccess) status_ = status;
    }

    std::size_t rows_, columns_, batch_;
    GuardedBuffer matrices_, transposed_, sum_;
    cudaStream_t stream_ = nullptr;
    cudaError_t status_ = cudaSuccess;
};

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    // The same kernels with more and with less shared memory than needs no asking for.
    Worker workers[] = {{100, 130, 64}, {60, 64, 9}, {96, 104, 64}, {9, 7, 30}};
    for (const auto& work : {&Worker::capture, &Worker::run}) {
        std::vector<std::thread> threads;
        for (Worker& worker : workers) threads.emplace_back(work, &worker);
        for (std::thread& thread : threads) thread.join();
    }
    for (Worker& worker : workers) worker.check();
    return test::finish("host_threads_test");
}
