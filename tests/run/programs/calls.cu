// SPDX-License-Identifier: Apache-2.0
// Calls: functions that are not inlined, with structures by value, recursion, function pointers,
// virtual functions.
#include <new>

#include "check.h"

__host__ __device__ unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__device__ __noinline__ void quicksort(int* data, int low, int high) {
    if (low >= high) return;
    const int pivot = data[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (data[i] < pivot) ++i;
        while (data[j] > pivot) --j;
        if (i <= j) {
            const int kept = data[i];
            data[i++] = data[j];
            data[j--] = kept;
        }
    }
    quicksort(data, low, j);
    quicksort(data, i, high);
}

struct Matrix {
    float m[3][3];
};

__host__ __device__
#ifdef __CUDA_ARCH__
    __noinline__
#endif
        Matrix
        product(const Matrix a, const Matrix b) {
    Matrix c;
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 3; ++x) {
            c.m[y][x] = 0;
            for (int k = 0; k < 3; ++k) c.m[y][x] += a.m[y][k] * b.m[k][x];
        }
    }
    return c;
}

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int mix_up(int a, int b) {
    int r = a;
    for (int k = 0; k < b % 5; ++k) r = r * 3 + k;
    return r;
}
__device__ Operation operations[4] = {add, subtract, multiply, mix_up};
__device__ Operation chosen = multiply;

__global__ void by_table(int* out) {
    const int t = threadIdx.x;
    out[t] = operations[t % 4](t, 7) + operations[blockIdx.x](t, 2);
}

__global__ void by_argument(Operation operation, int* out) {
    out[threadIdx.x] = operation(threadIdx.x, 3) + chosen(threadIdx.x, 2);
}

class Shape {
public:
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
class Rectangle : public Shape {
public:
    __device__ Rectangle(float w, float h) : w_(w), h_(h) {}
    __device__ float area() const override { return w_ * h_; }
    __device__ int corners() const override { return 4; }

private:
    float w_, h_;
};
class Square : public Rectangle {
public:
    __device__ explicit Square(float s) : Rectangle(s, s) {}
    __device__ int corners() const override { return 40; }
};
class Circle : public Shape {
public:
    __device__ explicit Circle(float r) : r_(r) {}
    __device__ float area() const override { return 3 * r_ * r_; }

private:
    float r_;
};

__global__ void shapes(float* out) {
    const int t = threadIdx.x;
    Shape* shape;
    if (t % 3 == 0)
        shape = new Rectangle(t, 2);
    else if (t % 3 == 1)
        shape = new Square(t);
    else
        shape = new Circle(t);
    out[t] = shape->area() * 100 + shape->corners();
    delete shape;
}

__global__ void run_fib(unsigned* out) { out[threadIdx.x] = fib(threadIdx.x % 15); }

__global__ void run_quicksort(int* data, int each) {
    quicksort(data + threadIdx.x * each, 0, each - 1);
}

__global__ void run_product(const Matrix* in, Matrix* out) {
    Matrix m = in[threadIdx.x];
    for (int i = 0; i < threadIdx.x % 3; ++i) m = product(m, in[threadIdx.x]);
    out[threadIdx.x] = m;
}

/// A function that ends some of its callers' threads.
__device__ __noinline__ int leave_if_odd(int v, int* out) {
    if (v % 2) {
        out[v] = -1;
        asm volatile("exit;");
    }
    return v * 10;
}

__global__ void exit_inside(int* out) {
    const int r = leave_if_odd(threadIdx.x, out);
    out[threadIdx.x] = r;
}

template <class F>
__global__ void for_each(int* out, int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = f(i);
}

__device__ __noinline__ void through_pointers(int a, int* sum, int* difference) {
    *sum = a + *difference;
    *difference = a - 1;
}

__global__ void stack_addresses(int* out) {
    int sum = 0, difference = threadIdx.x;
    for (int k = 0; k < 5; ++k) through_pointers(k * threadIdx.x, &sum, &difference);
    out[threadIdx.x] = sum * 1000 + difference;
}

__device__ __noinline__ int descend(int depth) {
    volatile int frame[64];
    frame[depth % 64] = depth;
    return (depth == 0 ? 0 : descend(depth - 1)) + frame[depth % 64];
}

__global__ void run_descend(int* out, int depth) { out[threadIdx.x] = descend(depth); }

int main() {
    DeviceArray<unsigned> fibs(64);
    run_fib<<<1, 64>>>(fibs);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) CHECK_AT(t, fibs.host()[t] == fib(t % 15));

    const int each = 50, threads = 40;
    std::vector<int> data(each * threads);
    Random random(9);
    for (int& v : data) v = random.below(1000);
    DeviceArray<int> ddata(data);
    run_quicksort<<<1, threads>>>(ddata, each);
    CHECK_LAUNCH();
    const auto sorted = ddata.host();
    for (int t = 0; t < threads; ++t) {
        long long sum = 0;
        for (int i = 0; i < each; ++i) {
            sum += data[t * each + i] - sorted[t * each + i];
            if (i > 0) CHECK_AT(t * each + i, sorted[t * each + i - 1] <= sorted[t * each + i]);
        }
        CHECK(sum == 0);
    }

    std::vector<Matrix> matrices(64);
    for (int i = 0; i < 64; ++i) {
        for (int k = 0; k < 9; ++k) matrices[i].m[k / 3][k % 3] = (i * 7 + k * 3) % 8;
    }
    DeviceArray<Matrix> dmatrices(matrices), products(64);
    run_product<<<1, 64>>>(dmatrices, products);
    CHECK_LAUNCH();
    const auto got = products.host();
    for (int i = 0; i < 64; ++i) {
        Matrix m = matrices[i];
        for (int k = 0; k < i % 3; ++k) m = product(m, matrices[i]);
        for (int k = 0; k < 9; ++k) CHECK_AT(i, got[i].m[k / 3][k % 3] == m.m[k / 3][k % 3]);
    }

    const auto mixed_up = [](int a, int b) {
        int r = a;
        for (int k = 0; k < b % 5; ++k) r = r * 3 + k;
        return r;
    };
    const auto apply = [&](int which, int a, int b) {
        return which == 0 ? a + b : which == 1 ? a - b : which == 2 ? a * b : mixed_up(a, b);
    };
    DeviceArray<int> out(256);
    by_table<<<4, 64>>>(out);
    CHECK_LAUNCH();
    by_table<<<3, 64>>>(out);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        const int v = out.host()[t];
        bool found = false;
        for (int b = 0; b < 3; ++b) found |= v == apply(t % 4, t, 7) + apply(b, t, 2);
        CHECK_AT(t, found);
    }
    Operation operation;
    CUDA(cudaMemcpyFromSymbol(&operation, chosen, sizeof operation));
    by_argument<<<1, 64>>>(operation, out);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) CHECK_AT(t, out.host()[t] == t * 3 + t * 2);

    DeviceArray<float> areas(64);
    shapes<<<1, 64>>>(areas);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        const float area = t % 3 == 0 ? 2.0f * t : t % 3 == 1 ? 1.0f * t * t : 3.0f * t * t;
        CHECK_AT(t, areas.host()[t] == area * 100 + (t % 3 == 0 ? 4 : t % 3 == 1 ? 40 : 0));
    }

    exit_inside<<<1, 64>>>(out);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) CHECK_AT(t, out.host()[t] == (t % 2 ? -1 : t * 10));

    const int offset = 5;
    for_each<<<4, 64>>>((int*)out, 200, [=] __device__(int i) { return i * i + offset; });
    CHECK_LAUNCH();
    for (int t = 0; t < 200; ++t) CHECK_AT(t, out.host()[t] == t * t + 5);

    stack_addresses<<<1, 64>>>(out);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        int sum = 0, difference = t;
        for (int k = 0; k < 5; ++k) sum = k * t + difference, difference = k * t - 1;
        CHECK_AT(t, out.host()[t] == sum * 1000 + difference);
    }

    // Frames of 256 bytes and more, 1,001 of them: only a larger stack holds them.
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 500000));
    run_descend<<<1, 32>>>(out, 1000);
    CHECK_LAUNCH();
    for (int t = 0; t < 32; ++t) CHECK_AT(t, out.host()[t] == 1000 * 1001 / 2);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}
