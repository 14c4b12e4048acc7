// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/work.h"

namespace wideload::preload::api {
namespace {

CopyWork linear(void* destination, const void* source, std::size_t bytes, CopyKind kind) {
    CopyWork work;
    work.destination.address = reinterpret_cast<std::uint64_t>(destination);
    work.source.address = reinterpret_cast<std::uint64_t>(source);
    work.extent.width = bytes;
    work.kind = kind;
    return work;
}

CopyWork planar(void* destination, std::size_t destination_pitch, const void* source,
                std::size_t source_pitch, std::size_t width, std::size_t height, CopyKind kind) {
    CopyWork work = linear(destination, source, width, kind);
    work.destination.pitch = destination_pitch;
    work.source.pitch = source_pitch;
    work.extent.height = height;
    return work;
}

CopyWork::Side side_of(const PitchedPointer& pointer, const Position& position) {
    const std::size_t slice_pitch = pointer.pitch * pointer.y_size;
    return {reinterpret_cast<std::uint64_t>(pointer.pointer) + position.z * slice_pitch +
                position.y * pointer.pitch + position.x,
            pointer.pitch, slice_pitch};
}

CopyWork box(const Copy3DParameters& parameters) {
    return {side_of(parameters.destination, parameters.destination_position),
            side_of(parameters.source, parameters.source_position), parameters.extent,
            parameters.kind};
}

Error copy_now(const CopyWork& work) {
    return synchronising_call(
        nullptr, [&](Context& own, gpu::Gpu&) { return enqueue(own, nullptr, work, true); });
}

Error copy_in(Stream* stream, const CopyWork& work) {
    return gpu_call([&](Context& own, gpu::Gpu&) { return enqueue(own, stream, work); });
}

/// Arrays cannot be made here, so a copy that names one names nothing.
bool names_arrays(const Copy3DParameters& parameters) {
    return parameters.source_array != nullptr || parameters.destination_array != nullptr;
}

}  // namespace

Error cudaMemcpy(void* destination, const void* source, std::size_t bytes, CopyKind kind) {
    return copy_now(linear(destination, source, bytes, kind));
}

Error cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, CopyKind kind,
                      Stream* stream) {
    return copy_in(stream, linear(destination, source, bytes, kind));
}

Error cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                   std::size_t source_pitch, std::size_t width, std::size_t height, CopyKind kind) {
    return copy_now(
        planar(destination, destination_pitch, source, source_pitch, width, height, kind));
}

Error cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                        std::size_t source_pitch, std::size_t width, std::size_t height,
                        CopyKind kind, Stream* stream) {
    return copy_in(
        stream, planar(destination, destination_pitch, source, source_pitch, width, height, kind));
}

Error cudaMemcpy3D(const Copy3DParameters* parameters) {
    if (parameters == nullptr || names_arrays(*parameters)) return remember(cudaErrorInvalidValue);
    return copy_now(box(*parameters));
}

Error cudaMemcpy3DAsync(const Copy3DParameters* parameters, Stream* stream) {
    if (parameters == nullptr || names_arrays(*parameters)) return remember(cudaErrorInvalidValue);
    return copy_in(stream, box(*parameters));
}

Error cudaMemcpyPeer(void* destination, int destination_device, const void* source,
                     int source_device, std::size_t bytes) {
    if (destination_device != 0 || source_device != 0) return remember(cudaErrorInvalidDevice);
    return copy_now(linear(destination, source, bytes, kDeviceToDevice));
}

Error cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                          int source_device, std::size_t bytes, Stream* stream) {
    if (destination_device != 0 || source_device != 0) return remember(cudaErrorInvalidDevice);
    return copy_in(stream, linear(destination, source, bytes, kDeviceToDevice));
}

}  // namespace wideload::preload::api
