// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/work.h"

namespace wideload::preload::api {
namespace {

/// Calls use(symbol) for the variable that a host variable's address stands for.
template <class Use>
Error with_symbol(const void* host_variable, Use use) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const gpu::Symbol* symbol = nullptr;
        const Error error = find_loaded(own, own.registry.find_variable(host_variable), symbol);
        return error != cudaSuccess ? error : use(own, *symbol);
    });
}

/// Address of [offset, offset + bytes) of the variable, or 0 where it has not so many.
std::uint64_t part_of(const gpu::Symbol& symbol, std::size_t offset, std::size_t bytes) {
    const bool inside = offset <= symbol.bytes && bytes <= symbol.bytes - offset;
    return inside ? symbol.address + offset : 0;
}

Error copy_to(Context& own, const gpu::Symbol& symbol, const void* source, std::size_t bytes,
              std::size_t offset, CopyKind kind, Stream* stream, bool wait = false) {
    if (kind != kHostToDevice && kind != kDeviceToDevice && kind != kDefaultKind) {
        return cudaErrorInvalidMemcpyDirection;
    }
    CopyWork work;
    work.destination.address = part_of(symbol, offset, bytes);
    work.source.address = reinterpret_cast<std::uint64_t>(source);
    work.extent.width = bytes;
    work.kind = kind;
    return enqueue(own, stream, work, wait);
}

Error copy_from(Context& own, const gpu::Symbol& symbol, void* destination, std::size_t bytes,
                std::size_t offset, CopyKind kind, Stream* stream, bool wait = false) {
    if (kind != kDeviceToHost && kind != kDeviceToDevice && kind != kDefaultKind) {
        return cudaErrorInvalidMemcpyDirection;
    }
    CopyWork work;
    work.destination.address = reinterpret_cast<std::uint64_t>(destination);
    work.source.address = part_of(symbol, offset, bytes);
    work.extent.width = bytes;
    work.kind = kind;
    return enqueue(own, stream, work, wait);
}

}  // namespace

Error cudaGetSymbolAddress(void** pointer, const void* symbol) {
    return with_symbol(symbol, [&](Context&, const gpu::Symbol& found) {
        *pointer = reinterpret_cast<void*>(found.address);
        return cudaSuccess;
    });
}

Error cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
    return with_symbol(symbol, [&](Context&, const gpu::Symbol& found) {
        *bytes = found.bytes;
        return cudaSuccess;
    });
}

Error cudaMemcpyToSymbolAsync(const void* symbol, const void* source, std::size_t bytes,
                              std::size_t offset, CopyKind kind, Stream* stream) {
    return with_symbol(symbol, [&](Context& own, const gpu::Symbol& found) {
        return copy_to(own, found, source, bytes, offset, kind, stream);
    });
}

Error cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t bytes,
                         std::size_t offset, CopyKind kind) {
    context().tasks.wait(before(context(), nullptr));
    return with_symbol(symbol, [&](Context& own, const gpu::Symbol& found) {
        const Error fault = own.synchronise();
        return fault != cudaSuccess
                   ? fault
                   : copy_to(own, found, source, bytes, offset, kind, nullptr, true);
    });
}

Error cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, std::size_t bytes,
                                std::size_t offset, CopyKind kind, Stream* stream) {
    return with_symbol(symbol, [&](Context& own, const gpu::Symbol& found) {
        return copy_from(own, found, destination, bytes, offset, kind, stream);
    });
}

Error cudaMemcpyFromSymbol(void* destination, const void* symbol, std::size_t bytes,
                           std::size_t offset, CopyKind kind) {
    context().tasks.wait(before(context(), nullptr));
    return with_symbol(symbol, [&](Context& own, const gpu::Symbol& found) {
        const Error fault = own.synchronise();
        return fault != cudaSuccess
                   ? fault
                   : copy_from(own, found, destination, bytes, offset, kind, nullptr, true);
    });
}

}  // namespace wideload::preload::api
