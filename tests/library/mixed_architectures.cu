// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched in several ways. Never run.
#include <wideload/device/copy.cuh>
#include <wideload/device/reduce.cuh>
#include <wideload/device/transpose.cuh>

cudaError_t move(float* from, float* to, std::size_t count) {
    if (cudaError_t error = wideload::copy(from, to, count)) return error;
    if (cudaError_t error = wideload::transpose_batched(from, to, 10, 12, count / 120))
        return error;
    return wideload::reduce(from, count, to, wideload::plus{}, 0);
}
