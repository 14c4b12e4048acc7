// SPDX-License-Identifier: Apache-2.0
// Every function of device/, for elements of several sizes: what ptxas has to say of their kernels
// on an architecture. Never run.
#include <wideload/wideload.cuh>

namespace {

struct Structure {
    unsigned char bytes[12];
};
struct Odd {
    unsigned char bytes[3];
};

/// Of which the library knows nothing.
struct Later {
    template <class T>
    __host__ __device__ T operator()(const T&, const T& b) const {
        return b;
    }
};

template <class T>
void moves(T* data) {
    T* fields[3] = {data, data, data};
    wideload::copy(data, data, 1);
    wideload::fill(data, 1, T{});
    wideload::transform(data, data, 1, [] __device__(const T& x) { return x; });
    wideload::strided_copy(data, 1, data, 1, 1);
    wideload::gather(data, static_cast<int*>(nullptr), data, 1);
    wideload::gather_rows(data, 1, static_cast<int*>(nullptr), data, 1, 1);
    wideload::scatter_rows(data, static_cast<int*>(nullptr), data, 1, 1, 1);
    wideload::transpose(data, data, 1, 1);
    wideload::copy_rows(data, 2, data, 2, 1, 1);
    wideload::transpose(data, 2, data, 2, 1, 1);
    wideload::transpose_batched(data, data, 1, 1, 1);
    wideload::transpose_in_place(data, 1, 1);
    wideload::transpose_in_place_batched(data, 1, 1, 1);
    wideload::interleave(fields, data, 1);
    wideload::deinterleave(data, fields, 1);
}

template <class T, class Operation>
void reductions(T* data, Operation operation) {
    wideload::reduce(data, 1, data, operation, T{});
    wideload::reduce_rows(data, 1, 1, data, operation, T{});
    wideload::reduce_columns(data, 1, 1, data, operation, T{});
    wideload::reduce_rows(data, 2, 1, 1, data, operation, T{});
    wideload::reduce_columns(data, 2, 1, 1, data, operation, T{});
}

}  // namespace

void every_function() {
    void* none = nullptr;
    moves(static_cast<char*>(none));
    moves(static_cast<short*>(none));
    moves(static_cast<float*>(none));
    moves(static_cast<double*>(none));
    moves(static_cast<float4*>(none));
    moves(static_cast<Structure*>(none));
    moves(static_cast<Odd*>(none));
    reductions(static_cast<float*>(none), wideload::plus{});
    reductions(static_cast<long long*>(none), wideload::minimum{});
    reductions(static_cast<int*>(none), wideload::commutative(Later{}));
    reductions(static_cast<Structure*>(none), Later{});
    wideload::reduce_atomic(static_cast<float*>(none), 1, static_cast<float*>(none),
                            wideload::plus{});
}
