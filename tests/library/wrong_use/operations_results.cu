// SPDX-License-Identifier: Apache-2.0
// Operations that give what is not wanted.
#include <wideload/wideload.cuh>

struct box {
    float value;
};
struct boxed {
    template <class... Values>
    __device__ box operator()(Values... values) const {
        return {(values + ...)};
    }
};

// says: wideload::transform: the operation must take an element of each input and give one of the
// output
cudaError_t wrong_result(const float* from, float* to) {
    return wideload::transform(from, to, 1, boxed{});
}

// says: wideload's reductions: the operation must take two values of the result's type and give one
cudaError_t wrong_sum(const float* from, float* to) {
    return wideload::reduce_rows(from, 1, 1, to, wideload::commutative(boxed{}), 0);
}
