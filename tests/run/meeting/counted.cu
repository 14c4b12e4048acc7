// SPDX-License-Identifier: Apache-2.0
// Loops that count, whose lanes take different numbers of turns. ptxas takes four, two and one turn
// of some at a time, by which other lanes meet in a request; of others it does not.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kRows = 1 << 12;
constexpr int kThreads = 128;
constexpr int kLongest = 41;

/// Rows of a sparse matrix, and where else their elements lead.
struct Matrix {
    const int* row;     ///< where each begins in `column` and `value`
    const int* column;  ///< below kRows
    const float* value;
    const float* x;  ///< kRows of them
    __host__ __device__ float product(int k) const { return value[k] * x[column[k]]; }
};

#ifdef __CUDA_ARCH__
#define LOAD(pointer) __ldg(pointer)
#else
#define LOAD(pointer) *(pointer)
#endif

// One row's result each. They run on the host, too, where they are the reference.

struct signed_counter {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r]; k < m.row[r + 1]; ++k) sum += m.product(k);
        return sum;
    }
};

struct unsigned_counter {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (unsigned k = m.row[r]; k < unsigned(m.row[r + 1]); ++k) sum += m.product(k);
        return sum;
    }
};

struct wide_counter {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (long long k = m.row[r]; k < m.row[r + 1]; ++k) sum += m.product(k);
        return sum;
    }
};

struct inclusive_end {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r]; k <= m.row[r + 1] - 1; ++k) sum += m.product(k);
        return sum;
    }
};

struct downwards {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r + 1] - 1; k >= m.row[r]; --k) sum += m.product(k);
        return sum;
    }
};

struct down_to_zero {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = r % kLongest; k >= 0; --k) sum += m.value[k * kRows / 64 + r];
        return sum;
    }
};

struct to_own_number {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = 0; k <= r % kLongest; ++k) sum += m.value[k * kRows / 64 + r];
        return sum;
    }
};

struct steps_of_three {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r]; k < m.row[r + 1]; k += 3) sum += m.product(k);
        return sum;
    }
};

struct unequal_end {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r]; k != m.row[r + 1]; ++k) sum += m.product(k);
        return sum;
    }
};

struct read_only_loads {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r]; k < m.row[r + 1]; ++k) sum += LOAD(m.value + k);
        return sum;
    }
};

struct not_unrolled {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
#pragma unroll 1
        for (int k = m.row[r]; k < m.row[r + 1]; ++k) sum += m.product(k);
        return sum;
    }
};

struct unrolled_by_two {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
#pragma unroll 2
        for (int k = m.row[r]; k < m.row[r + 1]; ++k) sum += m.product(k);
        return sum;
    }
};

struct branch_inside {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r]; k < m.row[r + 1]; ++k) {
            if (m.column[k] > r) sum += m.x[m.column[k]];
        }
        return sum;
    }
};

struct way_out {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r]; k < m.row[r + 1]; ++k) {
            if (m.column[k] == r % 64) break;
            sum += m.x[m.column[k]];
        }
        return sum;
    }
};

struct one_after_another {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int k = m.row[r]; k < m.row[r + 1]; ++k) sum += m.product(k);
        const int other = (r + 7) % kRows;
        for (int k = m.row[other]; k < m.row[other + 1]; ++k) sum -= m.value[k];
        return sum;
    }
};

struct one_in_another {
    static __host__ __device__ float of(const Matrix m, int r) {
        float sum = 0;
        for (int i = 0; i <= r % 3; ++i) {
            const int other = (r + i) % kRows;
            for (int k = m.row[other]; k < m.row[other + 1]; ++k) sum += m.product(k);
        }
        return sum;
    }
};

struct chain {
    static __host__ __device__ float of(const Matrix m, int r) {
        int at = r;
        for (int k = 0; k < r % kLongest; ++k) at = m.column[at];
        return float(at);
    }
};

template <class Row>
__global__ void run(Matrix m, float* results) {
    const int r = blockIdx.x * kThreads + threadIdx.x;
    results[r] = Row::of(m, r);
}

/// What stores is not unrolled.
__global__ void stores_inside(Matrix m, float* results) {
    const int r = blockIdx.x * kThreads + threadIdx.x;
    for (int k = m.row[r]; k < m.row[r + 1]; ++k) results[k] = m.product(k);
}

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

template <class T>
T* on_device(const std::vector<T>& values) {
    T* copy;
    check(cudaMalloc(&copy, values.size() * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "copy");
    return copy;
}

template <class Row>
void demand(const char* name, const Matrix& host, const Matrix& device, float* results) {
    run<Row><<<kRows / kThreads, kThreads>>>(device, results);
    std::vector<float> found(kRows);
    check(cudaMemcpy(found.data(), results, kRows * sizeof(float), cudaMemcpyDeviceToHost), name);
    for (int r = 0; r < kRows; ++r) {
        if (found[r] == Row::of(host, r)) continue;
        std::printf("%s: row %d is %g, not %g\n", name, r, found[r], Row::of(host, r));
        std::exit(1);
    }
}
#define DEMAND(name) demand<name>(#name, host, device, results)

int main() {
    std::vector<int> row{0}, column;
    std::vector<float> value, x;
    unsigned state = 12345;
    const auto number = [&](unsigned below) {
        state = state * 1664525 + 1013904223;
        return static_cast<int>((state >> 16) % below);
    };
    // Small whole numbers: sums are the same in any order.
    for (int r = 0; r < kRows; ++r) {
        row.push_back(row.back() + number(kLongest));
        x.push_back(float(number(9)));
    }
    for (int k = 0; k < row.back(); ++k) {
        column.push_back(number(kRows));
        value.push_back(float(number(9)));
    }
    const Matrix host{row.data(), column.data(), value.data(), x.data()};
    const Matrix device{on_device(row), on_device(column), on_device(value), on_device(x)};
    float* results;
    check(cudaMalloc(&results, value.size() * sizeof(float)), "cudaMalloc");
    DEMAND(signed_counter);
    DEMAND(unsigned_counter);
    DEMAND(wide_counter);
    DEMAND(inclusive_end);
    DEMAND(downwards);
    DEMAND(down_to_zero);
    DEMAND(to_own_number);
    DEMAND(steps_of_three);
    DEMAND(unequal_end);
    DEMAND(read_only_loads);
    DEMAND(not_unrolled);
    DEMAND(unrolled_by_two);
    DEMAND(branch_inside);
    DEMAND(way_out);
    DEMAND(one_after_another);
    DEMAND(one_in_another);
    DEMAND(chain);
    stores_inside<<<kRows / kThreads, kThreads>>>(device, results);
    check(cudaDeviceSynchronize(), "stores_inside");
    std::puts("ok");
}
