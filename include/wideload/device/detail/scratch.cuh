// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/range.cuh>
#include <wideload/thread/aligned_ptr.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Memory for what work keeps between its launches: what the caller lends, or what is allocated in
/// the stream's order where that is nothing.
struct Scratch {
    void* memory;
    std::size_t bytes;
    bool own;  ///< to be allocated if it turns out to be needed

    /// Whether it is what work needs that has `others` beside it; any will do where none is needed.
    template <class... Ranges>
    bool serves(std::size_t needed, std::size_t alignment, const Ranges&... others) const {
        const ByteRange range = byte_range(memory, bytes);
        return own || needed == 0 ||
               (memory != nullptr && bytes >= needed && is_aligned(memory, alignment) &&
                !(range.overlaps(others) || ...));
    }
};

inline constexpr Scratch kOwnScratch{nullptr, 0, true};

/// Calls `work(memory)` with `bytes` bytes of scratch memory: the caller's, which hold as many, or
/// such as are freed behind it.
template <class Work>
cudaError_t with_scratch(const Scratch& scratch, std::size_t bytes, cudaStream_t stream,
                         const Work& work) {
    if (!scratch.own) return work(scratch.memory);
    void* memory = nullptr;
    if (cudaError_t error = cudaMallocAsync(&memory, bytes, stream)) return error;
    const cudaError_t error = work(memory);
    const cudaError_t freed = cudaFreeAsync(memory, stream);
    return error != cudaSuccess ? error : freed;
}

}  // namespace wideload::WIDELOAD_DETAIL
