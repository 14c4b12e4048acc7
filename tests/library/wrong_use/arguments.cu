// SPDX-License-Identifier: Apache-2.0
// Types and shapes that do not belong together.
#include <wideload/wideload.cuh>

#include <cuda/std/mdspan>

// says: wideload::scatter: the indices must be integers
cudaError_t wrong_scatter(const float* from, const float* index, float* to) {
    return wideload::scatter(from, index, to, 1);
}

// says: wideload::gather_rows: the indices must be integers
cudaError_t wrong_gather_rows(const float* from, const float* index, float* to) {
    return wideload::gather_rows(from, 1, index, to, 1, 1);
}

// says: wideload::scatter_rows: the indices must be integers
cudaError_t wrong_scatter_rows(const float* from, const float* index, float* to) {
    return wideload::scatter_rows(from, index, to, 1, 1, 1);
}

// says: wideload::interleave: the fields' element type is not that of the structs
cudaError_t wrong_interleave(const int* const (&fields)[2], float* structs) {
    return wideload::interleave(fields, structs, 1);
}

// says: wideload::interleave takes 2 to 16 fields
cudaError_t wrong_fields(const float* const (&fields)[17], float* structs) {
    return wideload::interleave(fields, structs, 1);
}

// says: wideload::reduce_atomic combines trivially copyable results of 4 or 8 bytes; use
// wideload::reduce
cudaError_t wrong_reduce(const short* from, short* to) {
    return wideload::reduce_atomic(from, 1, to, wideload::plus{});
}

using matrix = cuda::std::mdspan<float, cuda::std::dextents<int, 2>>;
using matrices = cuda::std::mdspan<float, cuda::std::dextents<int, 3>>;

// says: wideload: a batch of matrices has three extents: batch, rows, columns
cudaError_t wrong_batch(matrix from, matrix to) { return wideload::transpose_batched(from, to); }

// says: wideload::transpose takes matrices: two extents
cudaError_t wrong_matrix(matrices from, matrices to) { return wideload::transpose(from, to); }

// says: wideload::copy_rows takes matrices: two extents
cudaError_t wrong_copy_rows(matrices from, matrices to) { return wideload::copy_rows(from, to); }

// says: wideload::gather_rows takes matrices: two extents
cudaError_t wrong_gather_rows(matrices from, cuda::std::span<int> index, matrices to) {
    return wideload::gather_rows(from, index, to);
}

// says: wideload::scatter_rows takes matrices: two extents
cudaError_t wrong_scatter_rows(matrices from, cuda::std::span<int> index, matrices to) {
    return wideload::scatter_rows(from, index, to);
}

// says: wideload::reduce_rows takes a matrix: two extents
cudaError_t wrong_rows(matrices from, cuda::std::span<float> to) {
    return wideload::reduce_rows(from, to, wideload::plus{}, 0);
}

// says: wideload::reduce_columns takes a matrix: two extents
cudaError_t wrong_columns(matrices from, cuda::std::span<float> to) {
    return wideload::reduce_columns(from, to, wideload::plus{}, 0);
}
