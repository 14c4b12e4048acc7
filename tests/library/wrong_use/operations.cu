// SPDX-License-Identifier: Apache-2.0
// Operations that a kernel cannot call, or whose result is not what is wanted.
#include <wideload/wideload.cuh>

// says: wideload::transform: the lambda must be __device__ or __host__ __device__, and nvcc be
// given --extended-lambda
cudaError_t wrong_lambda(const float* from, float* to) {
    return wideload::transform(from, to, 1, [](float x) { return x; });
}

// says: wideload's reductions: the lambda must be __device__ or __host__ __device__, and nvcc be
// given --extended-lambda
cudaError_t wrong_sum(const float* from, float* to) {
    return wideload::reduce(from, 1, to, [](float a, float b) { return a + b; }, 0);
}
