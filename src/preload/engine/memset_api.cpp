// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/work.h"

namespace wideload::preload::api {
namespace {

FillWork fill(void* pointer, std::size_t pitch, std::size_t slice_pitch, int value, Extent extent) {
    FillWork work;
    work.destination = {reinterpret_cast<std::uint64_t>(pointer), pitch, slice_pitch};
    work.extent = extent;
    work.value = static_cast<unsigned char>(value);
    return work;
}

/// cudaMemset does not wait for the device: a kernel's fault is not its to report.
Error fill_in(Stream* stream, const FillWork& work) {
    return gpu_call([&](Context& own, gpu::Gpu&) { return enqueue(own, stream, work); });
}

}  // namespace

Error cudaMemsetAsync(void* pointer, int value, std::size_t bytes, Stream* stream) {
    return fill_in(stream, fill(pointer, 0, 0, value, {bytes, 1, 1}));
}

Error cudaMemset(void* pointer, int value, std::size_t bytes) {
    return cudaMemsetAsync(pointer, value, bytes, nullptr);
}

Error cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                        std::size_t height, Stream* stream) {
    return fill_in(stream, fill(pointer, pitch, 0, value, {width, height, 1}));
}

Error cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                   std::size_t height) {
    return cudaMemset2DAsync(pointer, pitch, value, width, height, nullptr);
}

Error cudaMemset3DAsync(PitchedPointer pointer, int value, Extent extent, Stream* stream) {
    const std::size_t slice_pitch = pointer.pitch * pointer.y_size;
    return fill_in(stream, fill(pointer.pointer, pointer.pitch, slice_pitch, value, extent));
}

Error cudaMemset3D(PitchedPointer pointer, int value, Extent extent) {
    return cudaMemset3DAsync(pointer, value, extent, nullptr);
}

}  // namespace wideload::preload::api
