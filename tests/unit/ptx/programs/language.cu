// SPDX-License-Identifier: Apache-2.0
// C++ that PTX has a form of its own for: tables of pointers, virtual calls, recursion, jump
// tables, printf and assert.
#include <cassert>
#include <cstdio>

__constant__ float table[16] = {1.f, 2.f, 3.5f};
__constant__ char text[] = "hello";
__constant__ double coefficients[3][2][2] = {{{1, 2}, {3, 4}}, {{5}}};
__managed__ int managed_counter = 5;
__device__ int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__device__ int* pointers[3] = {&grid[0][0], &grid[1][2], nullptr};
__device__ const char* names[] = {"a", "bb", "ccc"};
__device__ short shorts[5] = {-1, 2, -3};
__device__ float4 vector = {1, 2, 3, 4};
__device__ volatile int observed;
static __device__ int private_counter = 7;

__device__ int triple(int x) { return x * 3; }
__device__ int less_three(int x) { return x - 3; }
__device__ int (*functions[2])(int) = {triple, less_three};

struct Mixed {
    char c;
    double d;
    const char* s;
    int (*f)(int);
};
__device__ Mixed mixed[2] = {{'a', 1.5, "abc", triple}, {'b', -2.5, "xyz", less_three}};

#pragma pack(push, 1)
struct Packed {
    char c;
    int* p;
    short s;
};
#pragma pack(pop)
__device__ Packed packed = {'a', &grid[2][0], 9};

struct Base {
    __device__ virtual ~Base() {}
    __device__ virtual int value(int) = 0;
};
struct Plus : Base {
    __device__ int value(int x) override { return x + 1; }
};
struct Times : Base {
    int factor = 2;
    __device__ int value(int x) override { return x * factor; }
};

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int twice_inlined(const int* p, int i) { return p[i] + p[i + 1]; }
__device__ int once_inlined(const int* p, int i) { return twice_inlined(p, i * 2) * 3; }
__global__ void inlined(const int* in, int* out) {
    out[threadIdx.x] = once_inlined(in, threadIdx.x);
}

__global__ void calls(int* out, int n, int which) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
    printf("%d %f %s\n", i, table[i & 15], text);
    out[i] = fibonacci(i) + functions[which](i) + mixed[which].f(i) + *pointers[which];
    Base* object = which ? static_cast<Base*>(new Plus) : new Times;
    out[i] += object->value(i);
    delete object;
    out[1] = shorts[n] + observed + names[n][0] + packed.p[0] + private_counter++;
    out[2] = static_cast<int>(coefficients[n][0][1] + vector.x);
    atomicAdd(&managed_counter, 1);
}

__global__ void jump_table(int* out, int which) {
    switch (which) {
        case 0:
            *out += 1;
            break;
        case 1:
            *out *= 3;
            break;
        case 2:
            *out ^= 7;
            break;
        case 3:
            *out -= 9;
            break;
        case 4:
            *out /= 7;
            break;
        case 5:
            *out %= 5;
            break;
        case 6:
            *out = __popc(*out);
            break;
        case 7:
            *out = __brev(*out);
            break;
        default:
            *out = 0;
    }
}

extern __shared__ double dynamic[];
__global__ void __launch_bounds__(256, 2) local_memory(double* out, int n) {
    double a[32];
    for (int i = 0; i < 32; i++) a[i] = out[i];
    for (int j = 0; j < n; j++) a[(j * 7) & 31] += a[j & 31];
    dynamic[threadIdx.x] = a[n & 31];
    __syncthreads();
    out[1] = dynamic[threadIdx.x ^ 1];
    int* heap = static_cast<int*>(malloc(16));
    heap[0] = n;
    out[2] = heap[0];
    free(heap);
    char* stack = static_cast<char*>(alloca(n));
    stack[0] = 1;
    out[3] = stack[n & 3];
    memcpy(out + 4, out + 100, 64);
    if (n == 12345) __trap();
}

struct alignas(16) Large {
    int a[10];
    char c;
};
__global__ void parameters(Large by_value, char c, double d, const Large* p, short s) {
    *const_cast<int*>(p[0].a) =
        by_value.a[static_cast<int>(c)] + by_value.c + static_cast<int>(d) + s;
}
