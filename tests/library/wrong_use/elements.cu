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

// says: wideload::fill writes raw bytes: T must be trivially copyable
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
// says: wideload::reduce: Result must be trivially copyable
cudaError_t wrong_reduce(const Owner* from, Owner* to) {
    return wideload::reduce(from, 1, to, Later{}, Owner{});
}
