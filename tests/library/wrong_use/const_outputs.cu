// SPDX-License-Identifier: Apache-2.0
// Outputs that cannot be written.
#include <wideload/wideload.cuh>

// says: wideload::reduce: elements and Result must be trivially copyable, with a default
// constructor, and the output not const
cudaError_t wrong_output(const int* from, const int* to) {
    return wideload::reduce(from, 1, to, wideload::plus{}, 0);
}

// says: wideload::reduce_rows and reduce_columns: elements and Result must be trivially copyable,
// with a default constructor, and the output not const
cudaError_t wrong_output_of_columns(const int* from, const int* to) {
    return wideload::reduce_columns(from, 1, 1, to, wideload::plus{}, 0);
}

// says: wideload::fill writes raw bytes: T must be trivially copyable, and not const
cudaError_t wrong_destination(const int* to) { return wideload::fill(to, 1, 0); }
