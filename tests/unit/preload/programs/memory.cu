// SPDX-License-Identifier: Apache-2.0
// Allocation and copies of every kind, and what CUDA refuses of them.
#include <cstring>
#include <numeric>
#include <vector>

#include "expect.h"

static void allocate() {
    char* pointer = nullptr;
    EXPECT_SUCCESS(cudaMalloc(&pointer, 1000));
    EXPECT(reinterpret_cast<std::size_t>(pointer) % 256 == 0);
    cudaPointerAttributes attributes;
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, pointer + 10));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == pointer + 10);
    EXPECT(attributes.hostPointer == nullptr);
    EXPECT_SUCCESS(cudaFree(pointer));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(pointer));
    EXPECT_SUCCESS(cudaFree(nullptr));
    EXPECT_SUCCESS(cudaMalloc(&pointer, 0));
    EXPECT(pointer == nullptr);
    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&pointer, std::size_t{1} << 50));
    int local;
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, &local));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    std::size_t free_bytes, total;
    EXPECT_SUCCESS(cudaMemGetInfo(&free_bytes, &total));
    EXPECT(free_bytes <= total && free_bytes > 0);
    cudaGetLastError();
}

static void copy_linear() {
    std::vector<int> in(100'000), out(in.size());
    std::iota(in.begin(), in.end(), 0);
    const std::size_t bytes = in.size() * sizeof(int);
    int *a, *b;
    EXPECT_SUCCESS(cudaMalloc(&a, bytes));
    EXPECT_SUCCESS(cudaMalloc(&b, bytes));
    EXPECT_SUCCESS(cudaMemcpy(a, in.data(), bytes, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
    EXPECT_SUCCESS(cudaMemcpy(out.data(), b, bytes, cudaMemcpyDefault));
    EXPECT(in == out);
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy(a, in.data(), bytes + 1, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy(out.data(), in.data(), bytes, cudaMemcpyDeviceToHost));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(a, out.data(), bytes, cudaMemcpyDeviceToHost));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpy(a, b, bytes, static_cast<cudaMemcpyKind>(9)));
    EXPECT_SUCCESS(cudaMemset(a, 0xff, bytes));
    EXPECT_SUCCESS(cudaMemcpy(out.data(), a, bytes, cudaMemcpyDeviceToHost));
    EXPECT(out.front() == -1 && out.back() == -1);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(a, 0, bytes + 1));
    EXPECT_SUCCESS(cudaFree(a));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(out.data(), a, bytes, cudaMemcpyDeviceToHost));
    EXPECT_SUCCESS(cudaFree(b));
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
}

static void copy_boxes() {
    constexpr std::size_t kWidth = 100, kHeight = 7, kDepth = 3;
    std::vector<unsigned char> in(kWidth * kHeight * kDepth), out(in.size());
    std::iota(in.begin(), in.end(), 0);
    char* plane;
    std::size_t pitch;
    EXPECT_SUCCESS(cudaMallocPitch(&plane, &pitch, kWidth, kHeight));
    EXPECT(pitch >= kWidth && pitch % 512 == 0);
    EXPECT_SUCCESS(
        cudaMemcpy2D(plane, pitch, in.data(), kWidth, kWidth, kHeight, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(
        cudaMemcpy2D(out.data(), kWidth, plane, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost));
    EXPECT(std::memcmp(in.data(), out.data(), kWidth * kHeight) == 0);
    EXPECT_ERROR(cudaErrorInvalidPitchValue, cudaMemcpy2D(plane, kWidth - 1, in.data(), kWidth,
                                                          kWidth, kHeight, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemset2D(plane, pitch, 5, kWidth, kHeight));
    EXPECT_SUCCESS(cudaMemcpy(out.data(), plane + 6 * pitch, kWidth, cudaMemcpyDeviceToHost));
    EXPECT(out[0] == 5 && out[kWidth - 1] == 5);
    EXPECT_SUCCESS(cudaFree(plane));

    cudaPitchedPtr box;
    const cudaExtent extent = make_cudaExtent(kWidth, kHeight, kDepth);
    EXPECT_SUCCESS(cudaMalloc3D(&box, extent));
    cudaMemcpy3DParms to = {}, from = {};
    to.srcPtr = make_cudaPitchedPtr(in.data(), kWidth, kWidth, kHeight);
    to.dstPtr = box;
    to.extent = extent;
    to.kind = cudaMemcpyHostToDevice;
    from.srcPtr = box;
    from.dstPtr = make_cudaPitchedPtr(out.data(), kWidth, kWidth, kHeight);
    from.extent = extent;
    from.kind = cudaMemcpyDeviceToHost;
    EXPECT_SUCCESS(cudaMemcpy3D(&to));
    EXPECT_SUCCESS(cudaMemcpy3D(&from));
    EXPECT(in == out);
    EXPECT_SUCCESS(cudaFree(box.ptr));
    cudaGetLastError();
}

static void share_with_host() {
    int *managed, *pinned, *mapped;
    EXPECT_SUCCESS(cudaMallocManaged(&managed, 4096));
    EXPECT_SUCCESS(cudaMallocHost(&pinned, 4096));
    EXPECT_SUCCESS(cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped));
    managed[0] = 1;
    pinned[0] = 2;
    EXPECT_SUCCESS(cudaMemcpy(managed, pinned, sizeof(int), cudaMemcpyDefault));
    EXPECT(managed[0] == 2);
    EXPECT_SUCCESS(cudaMemset(managed, 0, 4096));
    EXPECT(managed[0] == 0);
    int* device_pointer;
    EXPECT_SUCCESS(cudaHostGetDevicePointer(&device_pointer, mapped, 0));
    EXPECT(device_pointer == mapped);
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    EXPECT_SUCCESS(cudaMemPrefetchAsync(managed, 4096, device, 0, nullptr));
    EXPECT_SUCCESS(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, device));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(pinned, 4096, device, 0, nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(pinned));
    EXPECT_SUCCESS(cudaFree(managed));
    EXPECT_SUCCESS(cudaFreeHost(pinned));
    EXPECT_SUCCESS(cudaFreeHost(mapped));

    std::vector<int> own(5000);
    EXPECT_SUCCESS(cudaHostRegister(own.data(), own.size() * sizeof(int), cudaHostRegisterDefault));
    EXPECT_ERROR(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own.data(), 4, 0));
    EXPECT_SUCCESS(cudaHostUnregister(own.data()));
    EXPECT_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own.data()));
    cudaGetLastError();
}

int main() {
    allocate();
    copy_linear();
    copy_boxes();
    share_with_host();
    EXPECT(cudaPeekAtLastError() == cudaSuccess);
    std::puts("passed");
}
