// SPDX-License-Identifier: Apache-2.0
// Elements of an input that a reduction cannot hold.
#include <wideload/wideload.cuh>

struct Given {
    int value;
    explicit __host__ __device__ Given(int value) : value(value) {}
    __host__ __device__ operator int() const { return value; }
};

// says: wideload::reduce: elements and Result must be trivially copyable, with a default
// constructor, and the output not const
cudaError_t wrong_input(const Given* from, int* to) {
    return wideload::reduce(from, 1, to, wideload::plus{}, 0);
}

// says: wideload::reduce_rows and reduce_columns: elements and Result must be trivially copyable,
// with a default constructor, and the output not const
cudaError_t wrong_input_of_rows(const Given* from, int* to) {
    return wideload::reduce_rows(from, 1, 1, to, wideload::plus{}, 0);
}
