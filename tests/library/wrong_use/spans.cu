// SPDX-License-Identifier: Apache-2.0
// Spans and mdspans whose elements do not go together.
#include <wideload/wideload.cuh>

#include <cuda/std/mdspan>
#include <cuda/std/span>

struct Owner {
    Owner();
    Owner(const Owner&);
};
template <class T>
using span = cuda::std::span<T>;
template <class T, int Rank = 2>
using mdspan = cuda::std::mdspan<T, cuda::std::dextents<int, Rank>>;

// says: wideload: elements move between spans or mdspans of one element type
cudaError_t wrong_batch(mdspan<double, 3> from, mdspan<float, 3> to) {
    return wideload::transpose_batched(from, to);
}
cudaError_t wrong_copy(span<const float> from, span<double> to) { return wideload::copy(from, to); }

// says: wideload: the elements of a span or mdspan that is written must not be const
cudaError_t wrong_output(mdspan<float> from, mdspan<const float> to) {
    return wideload::transpose(from, to);
}
cudaError_t wrong_in_place(mdspan<const float> matrix) {
    return wideload::transpose_in_place(matrix);
}

// says: wideload::gather_rows moves raw bytes: T must be trivially copyable
cudaError_t wrong_gather_rows(mdspan<Owner> from, span<const int> index, mdspan<Owner> to) {
    return wideload::gather_rows(from, index, to);
}
// says: wideload::scatter_rows moves raw bytes: T must be trivially copyable
cudaError_t wrong_scatter_rows(mdspan<Owner> from, span<const int> index, mdspan<Owner> to) {
    return wideload::scatter_rows(from, index, to);
}

// says: wideload::gather_rows: the indices must be integers
cudaError_t wrong_index(mdspan<float> from, span<const float> index, mdspan<float> to) {
    return wideload::gather_rows(from, index, to);
}
