// SPDX-License-Identifier: Apache-2.0
// Operations of which there can be but one.
#include <wideload/wideload.cuh>

struct Single {
    Single() = default;
    Single(Single&&) = default;
    Single(const Single&) = delete;
    __host__ __device__ float operator()(float a) const { return a; }
    __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

// says: wideload::transform: the operation must be copyable
cudaError_t wrong_transform(const float* from, float* to) {
    return wideload::transform(from, to, 1, Single{});
}

// says: wideload's reductions: the operation must be copyable
cudaError_t wrong_rows(const float* from, float* to) {
    return wideload::reduce_rows(from, 1, 1, to, Single{}, 0);
}
