// SPDX-License-Identifier: Apache-2.0
// Variables of every kind: __constant__ tables, __device__ globals with initialisers and pointers,
// __managed__ memory, local arrays, unions of shared memory, device-side malloc, host memory that
// kernels see.
#include <cstring>

#include "check.h"

__constant__ float coefficients[16];
__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ struct {
    int a;
    double b;
    const char* text;
} settings = {7, 2.5, "constant"};
__device__ int counter = 41;
__device__ float values[4] = {1.5f, 2.5f, 3.5f, 4.5f};
__device__ int* pointer_to_counter = &counter;
__device__ float* pointer_into_values = values + 2;
__device__ const char* const words[] = {"alpha", "beta", "gamma"};
__device__ double zeroed[100];
__managed__ int shared_with_host = 5;
__managed__ float array_of_both[64];
static __device__ long long hidden = -123456789012345ll;

__global__ void read_constants(float* out, int* ints) {
    const int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum = sum * 2 + coefficients[k];
    out[t] = sum + coefficients[t % 16];
    ints[t] = table[t % 8] * 100 + table[3] + settings.a + static_cast<int>(settings.b * 2) +
              settings.text[t % 8];
}

__global__ void use_globals(long long* out) {
    if (threadIdx.x != 0) return;
    atomicAdd(pointer_to_counter, 1);
    *pointer_into_values += 10;
    out[0] = counter;
    out[1] = static_cast<long long>(values[2] * 2);
    out[2] = words[1][2];
    out[3] = hidden;
    hidden += 1;
    out[4] = zeroed[50] == 0.0;
    shared_with_host *= 3;
    for (int i = 0; i < 64; ++i) array_of_both[i] += i;
    int length = 0;
    for (const char* c = words[2]; *c; ++c) ++length;
    out[5] = length;
}

__global__ void local_arrays(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int history[24];
    unsigned char bytes[32];
    double reals[5] = {1, 2, 3, 4, 5};
    for (int i = 0; i < 24; ++i) history[i] = in[(t + i) % n];
    for (int i = 0; i < 32; ++i) bytes[i] = static_cast<unsigned char>(t * i);
    int sum = 0;
    for (int i = 0; i < 24; ++i)
        sum += history[(in[i % n] + t) % 24] * (i + 1) + bytes[(i + in[t % n]) % 32];
    reals[t % 5] = sum;
    out[t] = sum + static_cast<int>(reals[(t + 1) % 5] + reals[t % 5]);
}

__global__ void dynamic_shared(int* out, int ints, int doubles) {
    extern __shared__ unsigned char raw[];
    int* numbers = reinterpret_cast<int*>(raw);
    double* reals = reinterpret_cast<double*>(raw + ints * sizeof(int));
    char* letters = reinterpret_cast<char*>(reals + doubles);
    const int t = threadIdx.x;
    for (int i = t; i < ints; i += blockDim.x) numbers[i] = i * 3;
    for (int i = t; i < doubles; i += blockDim.x) reals[i] = i * 0.5;
    letters[t] = static_cast<char>('a' + t % 26);
    __syncthreads();
    out[t] = numbers[(t * 7) % ints] + static_cast<int>(reals[(t * 5) % doubles] * 2) +
             letters[(t + 1) % blockDim.x];
}

/// One pointer for shared, global and local memory.
__device__ __noinline__ int sum_of(const int* data, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += data[i];
    return sum;
}

__global__ void generic_pointers(const int* in, int* out) {
    __shared__ int own[32];
    int local[8];
    const int t = threadIdx.x;
    own[t] = t * t;
    for (int i = 0; i < 8; ++i) local[i] = t + i;
    __syncthreads();
    const int* from = t % 3 == 0 ? in : t % 3 == 1 ? own : local;
    out[t] = sum_of(from, 8);
}

struct Node {
    int value;
    Node* next;
};

__global__ void build_lists(Node** heads, int* failures) {
    const int t = threadIdx.x;
    Node* head = nullptr;
    for (int i = 0; i < t % 7 + 1; ++i) {
        Node* node = static_cast<Node*>(malloc(sizeof(Node)));
        if (node == nullptr) {
            atomicAdd(failures, 1);
            return;
        }
        node->value = i * t;
        node->next = head;
        head = node;
    }
    heads[t] = head;
}

__global__ void walk_lists(Node** heads, int* out) {
    int sum = 0;
    Node* node = heads[threadIdx.x];
    while (node != nullptr) {
        sum += node->value;
        Node* next = node->next;
        free(node);
        node = next;
    }
    out[threadIdx.x] = sum;
}

__global__ void increment(int* data, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += 1;
}

/// Each access of it meets memory of another kind than it did the time before; in the last of them
/// the lanes of one request do.
__global__ void add_to_all(int* const* arrays, int count, int* sums) {
    const int t = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        for (int a = 0; a < count; ++a) {
            arrays[a][t] += 10;
            atomicAdd(&arrays[a][t], 100);
            sums[a * 64 + t] += arrays[a][t];
        }
    }
    arrays[t % count][t] += 1000;
    atomicAdd(&arrays[t % count][t], 1000);
}

struct Numbers {
    int values[8];
    long long sum;
};

__device__ __noinline__ long long sum_of(const Numbers& numbers, int first) {
    long long sum = numbers.sum;
    for (int i = first; i < 8; ++i) sum += numbers.values[i];
    return sum;
}

__device__ bool is_parameter(const void* pointer) {
    int inside;
    asm("{ .reg .pred p; isspacep.param p, %1; selp.s32 %0, 1, 0, p; }"
        : "=r"(inside)
        : "l"(pointer));
    return inside != 0;
}

/// A parameter that has an address, and a pointer that is to a parameter in some lanes only.
__global__ void parameters_by_pointer(const __grid_constant__ Numbers numbers,
                                      const Numbers* elsewhere, long long* out) {
    const int t = threadIdx.x;
    const Numbers* chosen = t % 3 == 0 ? elsewhere : &numbers;
    out[t] = sum_of(*chosen, t % 8) * 2 + is_parameter(chosen);
}

int main() {
    float host[16];
    for (int i = 0; i < 16; ++i) host[i] = i % 5;
    CUDA(cudaMemcpyToSymbol(coefficients, host, sizeof host));
    DeviceArray<float> floats(64);
    DeviceArray<int> ints(64);
    read_constants<<<1, 64>>>(floats, ints);
    CHECK_LAUNCH();
    const int digits[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    for (int t = 0; t < 64; ++t) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum = sum * 2 + host[k];
        CHECK_AT(t, floats.host()[t] == sum + host[t % 16]);
        CHECK_AT(t, ints.host()[t] == digits[t % 8] * 100 + 1 + 7 + 5 + "constant"[t % 8]);
    }

    DeviceArray<long long> out(8);
    for (int i = 0; i < 64; ++i) array_of_both[i] = 100.0f;
    use_globals<<<1, 32>>>(out);
    CHECK_LAUNCH();
    const auto got = out.host();
    CHECK(got[0] == 42 && got[1] == 27 && got[2] == 't' && got[3] == -123456789012345ll &&
          got[4] == 1 && got[5] == 5);
    CHECK(shared_with_host == 15 && array_of_both[63] == 163.0f);
    shared_with_host = 2;
    int count;
    CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK(count == 42);
    count = 7;
    CUDA(cudaMemcpyToSymbol(counter, &count, sizeof count));
    void* address;
    std::size_t size;
    CUDA(cudaGetSymbolAddress(&address, values));
    CUDA(cudaGetSymbolSize(&size, values));
    CHECK(size == sizeof(float) * 4);
    float second;
    CUDA(cudaMemcpy(&second, static_cast<float*>(address) + 1, sizeof second,
                    cudaMemcpyDeviceToHost));
    CHECK(second == 2.5f);
    use_globals<<<1, 32>>>(out);
    CHECK_LAUNCH();
    CHECK(out.host()[0] == 8 && out.host()[3] == -123456789012344ll && shared_with_host == 6);

    std::vector<int> in(50);
    for (int i = 0; i < 50; ++i) in[i] = i * 13 % 50;
    DeviceArray<int> din(in), arrays(64);
    local_arrays<<<1, 64>>>(din, arrays, 50);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        int history[24], sum = 0;
        unsigned char bytes[32];
        double reals[5] = {1, 2, 3, 4, 5};
        for (int i = 0; i < 24; ++i) history[i] = in[(t + i) % 50];
        for (int i = 0; i < 32; ++i) bytes[i] = static_cast<unsigned char>(t * i);
        for (int i = 0; i < 24; ++i)
            sum += history[(in[i % 50] + t) % 24] * (i + 1) + bytes[(i + in[t % 50]) % 32];
        reals[t % 5] = sum;
        CHECK_AT(t, arrays.host()[t] == sum + static_cast<int>(reals[(t + 1) % 5] + reals[t % 5]));
    }

    dynamic_shared<<<1, 64, 30 * 4 + 20 * 8 + 64>>>(arrays, 30, 20);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        CHECK_AT(t, arrays.host()[t] == t * 7 % 30 * 3 + t * 5 % 20 + 'a' + (t + 1) % 64 % 26);
    }
    CUDA(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              100 * 1024));
    dynamic_shared<<<2, 64, 100 * 1024>>>(arrays, 10000, 1000);
    CHECK_LAUNCH();

    generic_pointers<<<1, 32>>>(din, arrays);
    CHECK_LAUNCH();
    for (int t = 0; t < 32; ++t) {
        int sum = 0;
        for (int i = 0; i < 8; ++i) sum += t % 3 == 0 ? in[i] : t % 3 == 1 ? i * i : t + i;
        CHECK_AT(t, arrays.host()[t] == sum);
    }

    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    DeviceArray<Node*> heads(64);
    DeviceArray<int> failures(1);
    build_lists<<<1, 64>>>(heads, failures);
    walk_lists<<<1, 64>>>(heads, arrays);
    CHECK_LAUNCH();
    CHECK(failures.host()[0] == 0);
    for (int t = 0; t < 64; ++t) {
        const int k = t % 7 + 1;
        CHECK_AT(t, arrays.host()[t] == t * k * (k - 1) / 2);
    }

    int *managed, *pinned, *mapped, *mapped_device;
    CUDA(cudaMallocManaged(&managed, 100 * sizeof(int)));
    CUDA(cudaMallocHost(&pinned, 100 * sizeof(int)));
    CUDA(cudaHostAlloc(&mapped, 100 * sizeof(int), cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer(&mapped_device, mapped, 0));
    std::vector<int> plain(100);
    CUDA(cudaHostRegister(plain.data(), 100 * sizeof(int), cudaHostRegisterMapped));
    int* registered;
    CUDA(cudaHostGetDevicePointer(&registered, plain.data(), 0));
    for (int i = 0; i < 100; ++i) managed[i] = pinned[i] = mapped[i] = plain[i] = i;
    increment<<<1, 64>>>(managed, 100);
    increment<<<1, 64>>>(pinned, 100);
    increment<<<1, 64>>>(mapped_device, 100);
    increment<<<1, 64>>>(registered, 100);
    CHECK_LAUNCH();
    for (int i = 0; i < 100; ++i) {
        CHECK_AT(i, managed[i] == i + 1 && pinned[i] == i + 1 && mapped[i] == i + 1 &&
                        plain[i] == i + 1);
    }
    const DeviceArray<int> device(plain);
    const std::vector<int*> all{registered, device, managed, registered, pinned, mapped_device};
    const DeviceArray<int*> places(all);
    DeviceArray<int> sums(all.size() * 64);
    add_to_all<<<1, 64>>>(places, static_cast<int>(all.size()), sums);
    CHECK_LAUNCH();
    const std::vector<int> on_device = device.host();
    for (int t = 0; t < 64; ++t) {
        const int visited = t % 6;
        const auto expected = [&](int a, int times) {
            return t + 1 + 330 * times + (visited == a ? 2000 : 0);
        };
        CHECK_AT(t, plain[t] == expected(0, 2) + (visited == 3 ? 2000 : 0));
        CHECK_AT(t, on_device[t] == expected(1, 1) && managed[t] == expected(2, 1));
        CHECK_AT(t, pinned[t] == expected(4, 1) && mapped[t] == expected(5, 1));
        // Of an array that is there once, after 110, 220 and 330 were added to it.
        CHECK_AT(t, sums.host()[64 + t] == 3 * (t + 1) + 660);
    }
    CUDA(cudaHostUnregister(plain.data()));
    CUDA(cudaFree(managed));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFreeHost(mapped));

    const Numbers passed{{1, 2, 3, 4, 5, 6, 7, 8}, 1ll << 40}, stored{{9, 9, 9, 9, 9, 9, 9, 9}, 5};
    DeviceArray<Numbers> elsewhere(std::vector<Numbers>{stored});
    DeviceArray<long long> totals(64);
    parameters_by_pointer<<<1, 64>>>(passed, elsewhere, totals);
    CHECK_LAUNCH();
    for (int t = 0; t < 64; ++t) {
        const Numbers& chosen = t % 3 == 0 ? stored : passed;
        long long sum = chosen.sum;
        for (int i = t % 8; i < 8; ++i) sum += chosen.values[i];
        CHECK_AT(t, totals.host()[t] == sum * 2 + (t % 3 != 0));
    }
}
