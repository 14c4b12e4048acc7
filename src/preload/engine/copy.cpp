// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "preload/engine/context.h"
#include "preload/engine/work.h"

namespace wideload::preload {
namespace {

enum class Place { host, device };

Place destination_place(CopyKind kind) {
    return kind == kHostToDevice || kind == kDeviceToDevice ? Place::device : Place::host;
}

Place source_place(CopyKind kind) {
    return kind == kDeviceToHost || kind == kDeviceToDevice ? Place::device : Place::host;
}

/// Bytes from the first to behind the last that a box touches.
std::size_t span_of(const CopyWork::Side& side, const Extent& extent) {
    return (extent.depth - 1) * side.slice_pitch + (extent.height - 1) * side.pitch + extent.width;
}

/// Every byte in one live allocation.
bool is_allocated(const gpu::Memory& memory, std::uint64_t address, std::size_t bytes) {
    const auto allocation = memory.lookup(address);
    return allocation && bytes <= allocation->end() - address;
}

/// The side is memory of the place that the kind of copy names, and all of it exists as far as can
/// be known.
bool is_usable(const gpu::Memory& memory, const CopyWork::Side& side, const Extent& extent,
               Place place, bool by_address) {
    const std::size_t bytes = span_of(side, extent);
    if (memory.in_arena(side.address)) {
        // A GPU refuses to treat device memory as the host's, whatever the kind says.
        if (!is_allocated(memory, side.address, bytes)) return false;
        return by_address || place == Place::device ||
               gpu::host_visible(memory.lookup(side.address)->kind);
    }
    if (side.address == 0) return false;
    return by_address || place == Place::host || is_allocated(memory, side.address, bytes);
}

bool is_empty(const Extent& extent) {
    return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

/// Calls row(destination, source offsets) for each row; rows without gaps between them are one.
template <class Row>
void each_row(Extent extent, std::size_t pitch_a, std::size_t slice_a, std::size_t pitch_b,
              std::size_t slice_b, Row row) {
    if (pitch_a == extent.width && pitch_b == extent.width) {
        extent.width *= extent.height;
        extent.height = 1;
    }
    for (std::size_t z = 0; z < extent.depth; ++z) {
        for (std::size_t y = 0; y < extent.height; ++y) {
            row(z * slice_a + y * pitch_a, z * slice_b + y * pitch_b, extent.width);
        }
    }
}

}  // namespace

Error check(Context& context, const CopyWork& work) {
    if (work.kind < kHostToHost || work.kind > kDefaultKind) return cudaErrorInvalidMemcpyDirection;
    if (is_empty(work.extent)) return cudaSuccess;
    if (work.extent.height > 1 &&
        (work.destination.pitch < work.extent.width || work.source.pitch < work.extent.width)) {
        return cudaErrorInvalidPitchValue;
    }
    const gpu::Memory& memory = context.gpu()->memory();
    const bool by_address = work.kind == kDefaultKind;
    const bool usable =
        is_usable(memory, work.destination, work.extent, destination_place(work.kind),
                  by_address) &&
        is_usable(memory, work.source, work.extent, source_place(work.kind), by_address);
    return usable ? cudaSuccess : cudaErrorInvalidValue;
}

Error run(Context& context, const Stream&, const CopyWork& work) {
    if (is_empty(work.extent)) return cudaSuccess;
    const gpu::Memory& memory = context.gpu()->memory();
    std::byte* destination = memory.engine_pointer(work.destination.address);
    const std::byte* source = memory.engine_pointer(work.source.address);
    each_row(work.extent, work.destination.pitch, work.destination.slice_pitch, work.source.pitch,
             work.source.slice_pitch, [&](std::size_t to, std::size_t from, std::size_t bytes) {
                 std::memmove(destination + to, source + from, bytes);
             });
    return cudaSuccess;
}

Error check(Context& context, const FillWork& work) {
    if (is_empty(work.extent)) return cudaSuccess;
    if (work.extent.height > 1 && work.destination.pitch < work.extent.width)
        return cudaErrorInvalidPitchValue;
    const std::size_t bytes = span_of(work.destination, work.extent);
    return is_allocated(context.gpu()->memory(), work.destination.address, bytes)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

Error run(Context& context, const Stream&, const FillWork& work) {
    if (is_empty(work.extent)) return cudaSuccess;
    std::byte* destination = context.gpu()->memory().engine_pointer(work.destination.address);
    const CopyWork::Side& side = work.destination;
    each_row(work.extent, side.pitch, side.slice_pitch, side.pitch, side.slice_pitch,
             [&](std::size_t to, std::size_t, std::size_t bytes) {
                 if (work.element_bytes == 1) {
                     std::memset(destination + to, static_cast<int>(work.value), bytes);
                     return;
                 }
                 for (std::size_t at = 0; at + work.element_bytes <= bytes;
                      at += work.element_bytes) {
                     std::memcpy(destination + to + at, &work.value, work.element_bytes);
                 }
             });
    return cudaSuccess;
}

}  // namespace wideload::preload
