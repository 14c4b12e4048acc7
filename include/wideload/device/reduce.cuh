// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/callable.cuh>
#include <wideload/device/detail/scratch.cuh>
#include <wideload/device/dispatch/reduce_dispatch.cuh>

namespace wideload {

/// Bytes of scratch memory that `reduce` to a `Result` needs, whatever the count.
template <class Result>
constexpr std::size_t reduce_scratch_bytes() {
    return detail::reduce_scratch_size<Result>();
}

namespace WIDELOAD_DETAIL {

/// What every reduction of a range asks of its input and output, before anything is enqueued.
template <class T, class Result>
cudaError_t check_reduce(const T* input, std::size_t count, const Result* output,
                         std::size_t output_alignment) {
    static_assert(
        kReducible<T, Result>,
        "wideload::reduce: elements and Result must be trivially copyable, with a default "
        "constructor, and the output not const");
    std::size_t bytes = 0;
    if (cudaError_t error = checked_bytes(input, count, sizeof(T), &bytes)) return error;
    if (output == nullptr || !is_aligned(output, output_alignment) ||
        byte_range(input, bytes).overlaps(byte_range(output, sizeof(Result)))) {
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

}  // namespace WIDELOAD_DETAIL

/// *output = operation(initial, input[0], ..., input[count - 1]), in one launch.
///
/// `operation` must be associative up to rounding. Elements keep their order unless it is known to
/// commute (`is_commutative`), or said to: `commutative(operation)`. Deterministic either way: what
/// is combined with what depends on the count, the address modulo 16 and the device alone. Sums
/// (`plus`) of floats and doubles at multiples of their size add the blocks' results exactly and
/// round in the end.
///
/// Scratch: `reduce_scratch_bytes<Result>()` bytes, a multiple of 128 in address, zeroed once
/// before the first use; every call leaves them ready for the next in the same stream. Calls that
/// may run at the same time need scratch of their own.
///
/// Alignment: any; all is read 16 bytes at a time, but for elements above some 150 bytes, of odd
/// sizes from 41 bytes on, and of twice odd ones from 82 on. Those of 1, 2, 4, 8 or 16 bytes at
/// multiples of their size are quickest. Null and overlap: a count of 0
/// gives `initial`; output or scratch must not overlap the input.
///
/// @param input      `count` elements, each converted to `Result` before it is combined
/// @param output     one value in device memory
/// @param initial    combined with the rest
/// @param scratch    see above
/// @param stream     the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer, overlap, a misaligned output, too little or
/// misaligned scratch, or a size past the address space; else what the launch returned
/// Cost: count * sizeof(T) bytes.
/// Source: a single pass as in NVIDIA's threadFenceReduction sample, with wide loads, and with
/// flagged values in place of its fence (bench/library/NOTES.md); sums of numbers by U. Kulisch's
/// long accumulator; in order, a run of tiles per warp and `warp::reduce_striped`.
template <class T, class Result, class Operation>
cudaError_t reduce(const T* input, std::size_t count, Result* output, Operation operation,
                   detail::same_t<Result> initial, void* scratch, std::size_t scratch_bytes,
                   cudaStream_t stream = nullptr) {
    if (cudaError_t error = detail::check_reduce<T, Result>(input, count, output, alignof(Result)))
        return error;
    const detail::Scratch lent{scratch, scratch_bytes, false};
    if (!lent.serves(reduce_scratch_bytes<Result>(), detail::kReduceScratchAlignment,
                     detail::byte_range(input, count * sizeof(T)),
                     detail::byte_range(output, sizeof(Result))))
        return cudaErrorInvalidValue;
    constexpr bool kMay = detail::may_combine<Result, Operation>();
    if constexpr (detail::kReducible<T, Result> && kMay) {  // else one sentence is enough
        if (count == 0)
            return detail::launch(detail::store_value_kernel<Result>, 1, 1, 0, stream, output,
                                  initial);
        return detail::dispatch_reduce(input, count, output, detail::known<Result>(operation),
                                       initial, scratch, stream);
    }
    return cudaErrorInvalidValue;
}

/// `reduce` with scratch memory that is allocated and freed in the stream's order
/// (cudaMallocAsync), at the price of three more operations in the stream. Nothing of that is
/// enqueued where the arguments are wrong.
template <class T, class Result, class Operation>
cudaError_t reduce(const T* input, std::size_t count, Result* output, Operation operation,
                   detail::same_t<Result> initial, cudaStream_t stream = nullptr) {
    if (cudaError_t error = detail::check_reduce<T, Result>(input, count, output, alignof(Result)))
        return error;
    constexpr std::size_t kBytes = reduce_scratch_bytes<Result>();
    return detail::with_scratch(detail::kOwnScratch, kBytes, stream, [&](void* scratch) {
        if (cudaError_t error = cudaMemsetAsync(scratch, 0, kBytes, stream)) return error;
        return reduce(input, count, output, operation, initial, scratch, kBytes, stream);
    });
}

/// *output = operation(*output, input[0], ..., input[count - 1]): what output holds when the work
/// begins is the initial value. Every block adds its part by an atomic operation, so no scratch
/// memory is needed, several calls may share one output, and what rounds (sums of floats) depends
/// on the order in which blocks end: `reduce` is the deterministic form.
///
/// Atomic operations of the hardware serve `plus`, `minimum` and `maximum` of integers and floats
/// of 4 and 8 bytes; compare and swap serves any other operation on 4 or 8 bytes.
///
/// Alignment, null and overlap: as for `reduce`. A count of 0 leaves the output as it is.
///
/// @param input      `count` elements, each converted to `Result` before it is combined
/// @param output     one value in device memory, at a multiple of its size
/// @param operation  associative and commutative up to rounding (`is_commutative`, `commutative`)
/// @param stream     the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer, overlap, a misaligned output or a size past
/// the address space; else what the launch returned
/// Cost: count * sizeof(T) bytes, and one atomic operation a block.
/// Source: J. Luitjens, "Faster parallel reductions on Kepler", NVIDIA Technical Blog, 2014: the
/// blocks' results meet in an atomic operation instead of a second pass.
template <class T, class Result, class Operation>
cudaError_t reduce_atomic(const T* input, std::size_t count, Result* output, Operation operation,
                          cudaStream_t stream = nullptr) {
    static_assert(
        detail::kAtomicallyCombined<Result>,
        "wideload::reduce_atomic combines trivially copyable results of 4 or 8 bytes; use "
        "wideload::reduce");
    static_assert(
        is_commutative<Operation, Result>::value,
        "wideload::reduce_atomic combines in any order: its operation must commute, which "
        "wideload::commutative(operation) states");
    if (cudaError_t error = detail::check_reduce<T, Result>(input, count, output, sizeof(Result)))
        return error;
    if (count == 0) return cudaSuccess;
    if constexpr (detail::kReducible<T, Result> && detail::may_combine<Result, Operation>())
        return detail::dispatch_reduce_atomic(input, count, output,
                                              detail::known<Result>(operation), stream);
    return cudaErrorInvalidValue;
}

}  // namespace wideload
