// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transform_dispatch.cuh>

namespace wideload {

/// output[i] = operation(input[i]) for i in [0, count).
///
/// The element types may differ in size (bytes to floats, structs of 12 bytes to halves, ...): each
/// lane handles as many elements as make the widest stream's access 16 bytes, narrower streams move
/// whole sectors too, and structs whose size is no power of two go through the warp exchange of
/// warp/aos.cuh, by words of 4 to 16 bytes.
///
/// Alignment: any, of every pointer, equal or not. Inputs misaligned against the output are
/// funnel-shifted, and so are results of which none begins at a word of the output; elements that
/// leave a lane no room for 16-byte words, or would change lanes often, go by way of shared memory
/// (docs/library/transform.md).
///
/// Null and overlap: a count of 0 is a success whatever the pointers are. An input may be the
/// output itself (same address, same element size) or overlap other inputs; any other overlap with
/// the output is an error.
///
/// @param input      `count` elements
/// @param output     `count` elements
/// @param count      elements, from 0 on
/// @param operation  a device function object, which reaches the kernel as a copy of its bytes, as
/// all parameters of kernels do; called once per element with values; a lambda needs nvcc's
/// --extended-lambda
/// @param stream     the work runs in its order; no synchronisation; may be captured into a graph
/// @return cudaErrorInvalidValue for a null pointer with a count, for overlap, for a size past the
/// address space; else
///         what the launch returned
/// Cost: count * (sizeof(Output) + the sum of sizeof(Input)) bytes.
/// Source: one 16-byte access a thread in a plain grid (bench/library/NOTES.md).
template <class Input, class Output, class Operation>
cudaError_t transform(const Input* input, Output* output, std::size_t count, Operation operation,
                      cudaStream_t stream = nullptr) {
    return detail::dispatch_transform(count, output, operation, stream,
                                      std::index_sequence_for<Input>{}, input);
}

/// output[i] = operation(first[i], second[i]); otherwise as the transform of one input.
/// @param first, second  `count` elements each
template <class First, class Second, class Output, class Operation>
cudaError_t transform(const First* first, const Second* second, Output* output, std::size_t count,
                      Operation operation, cudaStream_t stream = nullptr) {
    return detail::dispatch_transform(count, output, operation, stream,
                                      std::index_sequence_for<First, Second>{}, first, second);
}

/// output[i] = operation(first[i], second[i], third[i]); otherwise as the transform of one input.
/// @param first, second, third  `count` elements each
template <class First, class Second, class Third, class Output, class Operation>
cudaError_t transform(const First* first, const Second* second, const Third* third, Output* output,
                      std::size_t count, Operation operation, cudaStream_t stream = nullptr) {
    return detail::dispatch_transform(count, output, operation, stream,
                                      std::index_sequence_for<First, Second, Third>{}, first,
                                      second, third);
}

/// output[i] = operation(first[i], second[i], third[i], fourth[i]); otherwise as the transform of
/// one input.
/// @param first, second, third, fourth  `count` elements each
template <class First, class Second, class Third, class Fourth, class Output, class Operation>
cudaError_t transform(const First* first, const Second* second, const Third* third,
                      const Fourth* fourth, Output* output, std::size_t count, Operation operation,
                      cudaStream_t stream = nullptr) {
    return detail::dispatch_transform(count, output, operation, stream,
                                      std::index_sequence_for<First, Second, Third, Fourth>{},
                                      first, second, third, fourth);
}

}  // namespace wideload
