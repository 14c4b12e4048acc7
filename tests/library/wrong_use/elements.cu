// SPDX-License-Identifier: Apache-2.0
// Elements that are no raw bytes, or too large.
#include <wideload/wideload.cuh>

struct Owner {
    Owner();
    Owner(const Owner&);
};
struct Large {
    char bytes[129];
};
using pointers = Owner* const[2];

// says: wideload::fill writes raw bytes: T must be trivially copyable, and not const
cudaError_t wrong_fill(Owner* data) { return wideload::fill(data, 1, Owner{}); }

// says: wideload::strided_copy moves raw bytes: T must be trivially copyable
cudaError_t wrong_strided_copy(const Owner* from, Owner* to) {
    return wideload::strided_copy(from, 2, to, 1, 1);
}

// says: wideload::gather moves raw bytes: T must be trivially copyable
cudaError_t wrong_gather(const Owner* from, const int* index, Owner* to) {
    return wideload::gather(from, index, to, 1);
}

// says: wideload::scatter moves raw bytes: T must be trivially copyable
cudaError_t wrong_scatter(const Owner* from, const int* index, Owner* to) {
    return wideload::scatter(from, index, to, 1);
}

// says: wideload::copy_rows moves raw bytes: T must be trivially copyable
cudaError_t wrong_copy_rows(const Owner* from, Owner* to) {
    return wideload::copy_rows(from, 1, to, 1, 1, 1);
}

// says: wideload::gather_rows moves raw bytes: T must be trivially copyable
cudaError_t wrong_gather_rows(const Owner* from, const int* index, Owner* to) {
    return wideload::gather_rows(from, 1, index, to, 1, 1);
}

// says: wideload::scatter_rows moves raw bytes: T must be trivially copyable
cudaError_t wrong_scatter_rows(const Owner* from, const int* index, Owner* to) {
    return wideload::scatter_rows(from, index, to, 1, 1, 1);
}

// says: wideload::transpose moves raw bytes: T must be trivially copyable
cudaError_t wrong_transpose(const Owner* from, Owner* to) {
    return wideload::transpose(from, to, 2, 3);
}

// says: wideload::transpose: elements of at most 128 bytes
cudaError_t wrong_size(const Large* from, Large* to) { return wideload::transpose(from, to, 2, 3); }

// says: wideload::deinterleave moves raw bytes: T must be trivially copyable
cudaError_t wrong_deinterleave(const Owner* structs, pointers& fields) {
    return wideload::deinterleave(structs, fields, 1);
}

// says: wideload::interleave moves raw bytes: T must be trivially copyable
cudaError_t wrong_interleave(pointers& fields, Owner* structs) {
    return wideload::interleave(fields, structs, 1);
}

struct Later {
    __host__ __device__ Owner operator()(const Owner& a, const Owner&) const { return a; }
};
// says: wideload::reduce: elements and Result must be trivially copyable, with a default
// constructor, and the output not const
cudaError_t wrong_reduce(const Owner* from, Owner* to) {
    return wideload::reduce(from, 1, to, Later{}, Owner{});
}
// says: wideload::reduce_rows and reduce_columns: elements and Result must be trivially copyable,
// with a default constructor, and the output not const
cudaError_t wrong_rows(const Owner* from, Owner* to) {
    return wideload::reduce_rows(from, 1, 1, to, Later{}, Owner{});
}

using Larger = wideload::vec<int, 64>;
struct First {
    __host__ __device__ Larger operator()(const Larger& a, const Larger&) const { return a; }
};
// says: wideload::reduce_rows and reduce_columns: results of at most 176 bytes
cudaError_t wrong_columns(const Larger* from, Larger* to) {
    return wideload::reduce_columns(from, 1, 1, to, First{}, Larger{});
}

struct Given {
    int value;
    explicit __host__ __device__ Given(int value) : value(value) {}
};
struct Double {
    __host__ __device__ Given operator()(const Given& a) const { return Given(2 * a.value); }
};
// says: wideload::transform: elements must be trivially copyable, with a default constructor, and
// the output's not const
cudaError_t wrong_transform(const Given* from, Given* to) {
    return wideload::transform(from, to, 1, Double{});
}
