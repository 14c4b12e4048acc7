// SPDX-License-Identifier: Apache-2.0
// says: wideload::reduce_atomic combines in any order: its operation must commute, which
// wideload::commutative(operation) states
#include <wideload/device/reduce.cuh>
struct Later {
    __host__ __device__ int operator()(int a, int b) const { return b != 0 ? b : a; }
};
cudaError_t wrong(const int* from, int* to) {
    return wideload::reduce_atomic(from, 1, to, Later{});
}
