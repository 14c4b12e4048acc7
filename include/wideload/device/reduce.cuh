// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/reduce_dispatch.cuh>

namespace wideload {

/// Bytes of scratch memory that `reduce` to a `Result` needs, whatever the count.
template <class Result>
constexpr std::size_t reduce_scratch_bytes() {
    return detail::reduce_scratch_size<Result>();
}

/// *output = operation(initial, input[0], ..., input[count - 1]), in one launch.
///
/// Deterministic: the order of combination depends on the count, the address modulo 16 and the
/// device alone. `operation` must be associative and commutative up to rounding.
///
/// Scratch: `reduce_scratch_bytes<Result>()` bytes, a multiple of 128 in address, zeroed once
/// before the first use; every call leaves them ready for the next in the same stream. Calls that
/// may run at the same time need scratch of their own.
///
/// Alignment: any. Elements of 1, 2, 4, 8 or 16 bytes at multiples of their size are read 16 bytes
/// at a time. Null and overlap: a count of 0 gives `initial`; output or scratch must not overlap
/// the input.
///
/// @param input      `count` elements, each converted to `Result` before it is combined
/// @param output     one value in device memory
/// @param initial    combined with the rest
/// @param scratch    see above
/// @param stream     the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer, overlap, too little or misaligned scratch;
/// else what the launch
///         returned
/// Cost: count * sizeof(T) bytes.
/// Source: a single pass as in NVIDIA's threadFenceReduction sample, with wide loads, and with
/// flagged values in place of its fence (bench/library/NOTES.md).
template <class T, class Result, class Operation>
cudaError_t reduce(const T* input, std::size_t count, Result* output, Operation operation,
                   Result initial, void* scratch, std::size_t scratch_bytes,
                   cudaStream_t stream = nullptr) {
    static_assert(std::is_trivially_copyable_v<Result>,
                  "wideload::reduce: Result must be trivially copyable");
    std::size_t bytes = 0;
    if (cudaError_t error = detail::checked_bytes(input, count, sizeof(T), &bytes)) return error;
    if (output == nullptr || scratch == nullptr || scratch_bytes < reduce_scratch_bytes<Result>())
        return cudaErrorInvalidValue;
    if (!is_aligned(scratch, detail::kReducePartialsOffset) || !is_aligned(output, alignof(Result)))
        return cudaErrorInvalidValue;
    const detail::ByteRange read = detail::byte_range(input, bytes);
    if (read.overlaps(detail::byte_range(output, sizeof(Result))) ||
        read.overlaps(detail::byte_range(scratch, scratch_bytes))) {
        return cudaErrorInvalidValue;
    }
    if (count == 0)
        return detail::launch(detail::store_value_kernel<Result>, 1, 1, 0, stream, output, initial);
    return detail::dispatch_reduce(input, count, output, operation, initial, scratch, stream);
}

/// `reduce` with scratch memory that is allocated and freed in the stream's order
/// (cudaMallocAsync), at the price of two more operations in the stream.
template <class T, class Result, class Operation>
cudaError_t reduce(const T* input, std::size_t count, Result* output, Operation operation,
                   Result initial, cudaStream_t stream = nullptr) {
    constexpr std::size_t kBytes = reduce_scratch_bytes<Result>();
    void* scratch = nullptr;
    if (cudaError_t error = cudaMallocAsync(&scratch, kBytes, stream)) return error;
    cudaError_t error = cudaMemsetAsync(scratch, 0, kBytes, stream);
    if (error == cudaSuccess)
        error = reduce(input, count, output, operation, initial, scratch, kBytes, stream);
    const cudaError_t freed = cudaFreeAsync(scratch, stream);
    return error != cudaSuccess ? error : freed;
}

/// *output = operation(*output, input[0], ..., input[count - 1]): what output holds when the work
/// begins is the initial value. Every block adds its part by an atomic operation, so no scratch
/// memory is needed, several calls may share one output, and what rounds (sums of floats) depends
/// on the order in which blocks end: `reduce` is the deterministic form.
///
/// Atomic operations of the hardware serve `plus` of integers and floats of 4 and 8 bytes and
/// `minimum` and `maximum` of integers; compare and swap serves any other operation on 4 or 8
/// bytes.
///
/// Alignment, null and overlap: as for `reduce`. A count of 0 leaves the output as it is.
///
/// @param input      `count` elements, each converted to `Result` before it is combined
/// @param output     one value in device memory, at a multiple of its size
/// @param operation  associative and commutative up to rounding
/// @param stream     the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer, overlap or a misaligned output; else what the
/// launch returned
/// Cost: count * sizeof(T) bytes.
template <class T, class Result, class Operation>
cudaError_t reduce_atomic(const T* input, std::size_t count, Result* output, Operation operation,
                          cudaStream_t stream = nullptr) {
    static_assert(
        detail::kAtomicallyCombined<Result>,
        "wideload::reduce_atomic combines trivially copyable results of 4 or 8 bytes; use "
        "wideload::reduce");
    std::size_t bytes = 0;
    if (cudaError_t error = detail::checked_bytes(input, count, sizeof(T), &bytes)) return error;
    if (output == nullptr || !is_aligned(output, sizeof(Result))) return cudaErrorInvalidValue;
    if (detail::byte_range(input, bytes).overlaps(detail::byte_range(output, sizeof(Result))))
        return cudaErrorInvalidValue;
    if (count == 0) return cudaSuccess;
    return detail::dispatch_reduce_atomic(input, count, output, operation, stream);
}

}  // namespace wideload
