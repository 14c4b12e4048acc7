// SPDX-License-Identifier: Apache-2.0
// Goes wrong as its argument names, after a launch that does not, and prints each CUDA error that
// it sees: of the launch, of waiting for it, of a call after that. Exits with 1 if there was one.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kElements = 1024;

__global__ void fill(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 7; }

__global__ void read_at(const int* in, int* out, long index) {
    out[threadIdx.x] = in[index + threadIdx.x];
}

__global__ void write_at(int* out, long index) { out[index + threadIdx.x] = 1; }

__global__ void add_at(int* out, long index) { atomicAdd(&out[index + threadIdx.x], 1); }

__global__ void copy_vector2(int* d_in, int* d_out) {
    reinterpret_cast<int2*>(d_out)[threadIdx.x] = reinterpret_cast<int2*>(d_in + 1)[threadIdx.x];
}

__global__ void read_shared(int* out, int index) {
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[index + threadIdx.x];
}

__global__ void never_end(volatile int* flag) {
    while (flag[threadIdx.x] != 8) {
    }
}

__global__ void wait_apart() {
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;");
    } else {
        asm volatile("bar.sync 2, 64;");
    }
}

__global__ void assert_small(const int* in) { assert(in[threadIdx.x] < 5); }

__global__ void trap() {
    if (threadIdx.x == 3) __trap();
}

__global__ void recurse(int* out, int depth) {
    // Each call needs a frame of its own: its array is used after the call below it.
    struct Local {
        static __device__ __noinline__ int descend(int* out, int depth) {
            volatile int frame[64];
            for (int i = 0; i < 64; ++i) frame[i] = depth + i;
            return (depth == 0 ? 0 : descend(out, depth - 1)) + frame[depth % 64];
        }
    };
    out[threadIdx.x] = Local::descend(out, depth);
}

__global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = 1; }

__global__ void use_dynamic_shared(int* out) {
    extern __shared__ int values[];
    values[threadIdx.x] = 1;
    out[threadIdx.x] = values[threadIdx.x];
}

__global__ void meet_grid(int* out) { out[blockIdx.x] = 1; }

__global__ void store_in_bulk(int* out, int bytes) {
    __shared__ alignas(16) int tile[64];
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                 "r"(from), "r"(bytes)
                 : "memory");
}

__global__ void arrive_together(int expected) {
    __shared__ unsigned long long barrier;
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(expected) : "memory");
    }
    __syncwarp();
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], 2;" ::"r"(address) : "memory");
}

__global__ void call_through(int* out, int (*function)(int)) {
    out[threadIdx.x] = function(threadIdx.x);
}

struct Numbers {
    int values[16];
};

__global__ void read_parameter(const __grid_constant__ Numbers numbers, int* out, int index) {
    out[threadIdx.x] = numbers.values[index + threadIdx.x];
}

__device__ __noinline__ int at(const int* values, int index) { return values[index]; }

__global__ void read_parameter_by_pointer(const __grid_constant__ Numbers numbers, int* out,
                                          int index) {
    out[threadIdx.x] = at(numbers.values, index + threadIdx.x);
}

__global__ void read_shared_by_pointer(int* out, int index) {
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = at(values, index + threadIdx.x);
}

__global__ void read_local(int* out, int index) {
    int values[8];
    for (int i = 0; i < 8; ++i) values[(i + out[0]) & 7] = i;
    out[threadIdx.x] = values[index];
}

__global__ void free_given(int* given) { free(given); }

__global__ void free_twice() {
    void* own = malloc(16);
    free(own);
    free(own);
}

/// Takes one lock after the other, and returns with all of them.
__device__ __noinline__ void lock_all(int* locks, int count) {
    while (atomicCAS(&locks[count], 0, 1) != 0) {
    }
    if (count > 0) {
        lock_all(locks, count - 1);
        atomicAdd(&locks[count], 1);
    }
}

__global__ void lock_in_recursion(int* locks) {
    lock_all(locks, 3);
    for (int i = 0; i < 4; ++i) atomicExch(&locks[i], 0);
}

__global__ void reduce_half(int* out) {
    int sum = threadIdx.x;
    if (threadIdx.x < 16) sum += __shfl_down_sync(0xffffffff, sum, 8);
    out[threadIdx.x] = sum;
}

__global__ void vote_for_others(int* out) {
    out[threadIdx.x] = __ballot_sync(0xffff, out[threadIdx.x] == 0);
}

static bool failed = false;

static void show(const char* what, cudaError_t error) {
    std::printf("%s: %s\n", what, cudaGetErrorName(error));
    failed |= error != cudaSuccess;
}

static int* device_array() {
    int* pointer = nullptr;
    if (cudaMalloc(&pointer, kElements * sizeof(int)) != cudaSuccess) std::exit(9);
    cudaMemset(pointer, 0, kElements * sizeof(int));
    return pointer;
}

struct Arrays {
    int *in, *out;
};

struct Case {
    const char* name;
    void (*run)(const Arrays&);
};

constexpr Case kCases[] = {
    {"none", [](const Arrays&) {}},
    {"out-of-bounds-read",
     [](const Arrays& a) { read_at<<<1, 32>>>(a.in, a.out, kElements - 31); }},
    {"out-of-bounds-write", [](const Arrays& a) { write_at<<<1, 32>>>(a.out, -1l << 33); }},
    {"out-of-bounds-atomic", [](const Arrays& a) { add_at<<<1, 32>>>(a.out, 1l << 33); }},
    {"null-read", [](const Arrays& a) { read_at<<<1, 32>>>(nullptr, a.out, 0); }},
    {"host-pointer",
     [](const Arrays& a) {
         static int on_the_host[32];
         write_at<<<1, 32>>>(on_the_host, 0);
     }},
    {"misaligned", [](const Arrays& a) { copy_vector2<<<1, 32>>>(a.in, a.out); }},
    {"use-after-free",
     [](const Arrays& a) {
         cudaFree(a.in);
         read_at<<<1, 32>>>(a.in, a.out, 0);
     }},
    {"shared-out-of-bounds", [](const Arrays& a) { read_shared<<<1, 32>>>(a.out, 1 << 20); }},
    {"shared-out-of-bounds-by-pointer",
     [](const Arrays& a) { read_shared_by_pointer<<<1, 32>>>(a.out, 9); }},
    {"parameter-out-of-bounds",
     [](const Arrays& a) { read_parameter<<<1, 32>>>(Numbers{}, a.out, 100); }},
    {"parameter-far-out-of-bounds",
     [](const Arrays& a) { read_parameter<<<1, 1>>>(Numbers{}, a.out, 500000000); }},
    {"parameter-out-of-bounds-by-pointer",
     [](const Arrays& a) { read_parameter_by_pointer<<<1, 32>>>(Numbers{}, a.out, 1); }},
    {"local-out-of-bounds", [](const Arrays& a) { read_local<<<1, 1>>>(a.out, 9); }},
    {"local-below-bounds", [](const Arrays& a) { read_local<<<1, 1>>>(a.out, -1); }},
    {"free-of-device-memory", [](const Arrays& a) { free_given<<<1, 1>>>(a.in); }},
    {"free-twice", [](const Arrays&) { free_twice<<<1, 1>>>(); }},
    {"never-end", [](const Arrays& a) { never_end<<<1, 32>>>(a.in); }},
    {"wait-in-recursion", [](const Arrays& a) { lock_in_recursion<<<1, 32>>>(a.out); }},
    {"barrier-deadlock", [](const Arrays&) { wait_apart<<<1, 64>>>(); }},
    {"absent-lanes",
     [](const Arrays& a) {
         for (int i = 0; i < 3; ++i) reduce_half<<<2, 32>>>(a.out);
     }},
    {"unnamed-lanes", [](const Arrays& a) { vote_for_others<<<1, 32>>>(a.out); }},
    {"assert", [](const Arrays& a) { assert_small<<<1, 32>>>(a.out); }},
    {"trap", [](const Arrays&) { trap<<<1, 32>>>(); }},
    {"stack-overflow", [](const Arrays& a) { recurse<<<1, 32>>>(a.out, 1 << 20); }},
    {"too-many-threads", [](const Arrays& a) { fill<<<1, 2048>>>(a.out); }},
    {"no-threads", [](const Arrays& a) { fill<<<1, 0>>>(a.out); }},
    {"too-many-blocks", [](const Arrays& a) { fill<<<dim3(1, 70000), 32>>>(a.out); }},
    {"over-launch-bounds", [](const Arrays& a) { bounded<<<1, 256>>>(a.out); }},
    {"too-much-shared-memory",
     [](const Arrays& a) { use_dynamic_shared<<<1, 32, 64 << 10>>>(a.out); }},
    {"too-much-shared-memory-allowed",
     [](const Arrays& a) {
         show("attribute",
              cudaFuncSetAttribute(use_dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   1 << 20));
         use_dynamic_shared<<<1, 32, 1 << 20>>>(a.out);
     }},
    {"cooperative-too-large",
     [](const Arrays& a) {
         int* out = a.out;
         void* arguments[] = {&out};
         cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet_grid), dim3(1 << 20), dim3(32),
                                     arguments, 0, nullptr);
     }},
    {"bulk-copy-misaligned", [](const Arrays& a) { store_in_bulk<<<1, 1>>>(a.out + 2, 64); }},
    {"bulk-copy-out-of-bounds",
     [](const Arrays& a) { store_in_bulk<<<1, 1>>>(a.out + kElements - 16, 80); }},
    {"bulk-copy-outside-shared", [](const Arrays& a) { store_in_bulk<<<1, 1>>>(a.out, 272); }},
    {"bulk-copy-of-odd-size", [](const Arrays& a) { store_in_bulk<<<1, 1>>>(a.out, 20); }},
    {"too-many-arrivals", [](const Arrays&) { arrive_together<<<1, 32>>>(63); }},
    {"wild-function-pointer",
     [](const Arrays& a) { call_through<<<1, 32>>>(a.out, [](int value) { return value; }); }},
    {"host-read",
     [](const Arrays& a) {
         std::fflush(stdout);
         std::printf("read %d\n", *static_cast<volatile int*>(a.in));
     }},
    {"segmentation-fault",
     [](const Arrays&) {
         std::fflush(stdout);
         *reinterpret_cast<volatile int*>(8) = 1;
     }},
    {"abort",
     [](const Arrays&) {
         std::fflush(stdout);
         std::abort();
     }},
    {"exit-3", [](const Arrays&) { std::exit(3); }},
    {"terminate",
     [](const Arrays&) {
         std::fflush(stdout);
         std::raise(SIGTERM);
     }},
};

int main(int count, char** arguments) {
    const Arrays arrays{device_array(), device_array()};
    fill<<<2, 64>>>(arrays.out);
    show("before", cudaDeviceSynchronize());
    for (const Case& one : kCases) {
        if (count < 2 || std::strcmp(one.name, arguments[1]) != 0) continue;
        std::fflush(stdout);
        one.run(arrays);
        show("launch", cudaGetLastError());
        show("synchronise", cudaDeviceSynchronize());
        int* more = nullptr;
        show("later", cudaMalloc(&more, 4));
        return failed ? 1 : 0;
    }
    std::fprintf(stderr, "no such case\n");
    return 9;
}
