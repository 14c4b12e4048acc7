// SPDX-License-Identifier: Apache-2.0
// Reductions by one warp each, at the addresses that a file lists, for count_requests.py.
#include <cstdio>
#include <vector>

struct Request {
    unsigned mask, bytes_per_lane;
    unsigned long long offsets[32];
};

template <class T>
__global__ void reduce(char* memory, const Request* request) {
    if (request->mask >> threadIdx.x & 1) {
        atomicAdd(reinterpret_cast<T*>(memory + request->offsets[threadIdx.x]), T());
    }
}

/// atomicAdd has float4 from sm_90 on.
__global__ void reduce16(char* memory, const Request* request) {
    if (request->mask >> threadIdx.x & 1) {
        asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(
                         memory + request->offsets[threadIdx.x]),
                     "f"(0.f)
                     : "memory");
    }
}

int main(int argc, char** argv) {
    std::FILE* file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
    if (file == nullptr) return 1;
    std::vector<Request> requests;
    for (Request next; std::fread(&next, sizeof(next), 1, file) == 1;) requests.push_back(next);
    // Whose address is a multiple of its size: offsets and addresses then differ in the same bits.
    constexpr size_t kBytes = 1 << 24;
    char *memory, *aligned;
    Request* all;
    cudaMalloc(&memory, 2 * kBytes);
    cudaMemset(memory, 0, 2 * kBytes);
    aligned =
        reinterpret_cast<char*>((reinterpret_cast<size_t>(memory) + kBytes - 1) & ~(kBytes - 1));
    cudaMalloc(&all, requests.size() * sizeof(Request));
    cudaMemcpy(all, requests.data(), requests.size() * sizeof(Request), cudaMemcpyHostToDevice);
    for (size_t i = 0; i < requests.size(); ++i) {
        if (requests[i].bytes_per_lane == 4) reduce<float><<<1, 32>>>(aligned, all + i);
        if (requests[i].bytes_per_lane == 8) reduce<double><<<1, 32>>>(aligned, all + i);
        if (requests[i].bytes_per_lane == 16) reduce16<<<1, 32>>>(aligned, all + i);
    }
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
