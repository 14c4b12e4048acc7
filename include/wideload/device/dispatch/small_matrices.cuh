// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/bank_swizzle.cuh>
#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/support/integer.cuh>
#include <wideload/thread/aligned_ptr.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// So many matrices as make whole ranges of `range` bytes, a power of two.
inline unsigned matrices_making(unsigned range, unsigned matrix_bytes) {
    return range / greatest_common_divisor(matrix_bytes, range);
}

/// So many matrices that a block's range begins at a line, at a sector, or at least at a word of 16
/// bytes, whatever fits: what a block takes is a multiple of them.
inline unsigned matrices_filling(unsigned matrix_bytes, unsigned fit) {
    for (const unsigned range : {kLineBytes, kSectorBytes, kWideBytes}) {
        const unsigned filling = matrices_making(range, matrix_bytes);
        if (filling <= fit) return filling;
    }
    return 1;
}

inline unsigned round_up_to_line(std::size_t bytes) {
    return static_cast<unsigned>(divide_up<std::size_t>(bytes, kLineBytes)) * kLineBytes;
}

/// Bytes of shared memory for a copy of so many of matrices, whose range begins and ends at words
/// of 16 bytes or anywhere.
inline unsigned staged_copy_bytes(std::size_t bytes, bool aligned) {
    return round_up_to_line(bytes) + (aligned ? 0 : unsigned{kLineBytes});
}

/// Whether a block's shared memory holds two copies of so much, wherever it begins: sm_75 lacks 256
/// bytes for the largest stage.
inline bool holds_two_copies(std::size_t bytes, std::size_t shared_bytes) {
    return 2 * staged_copy_bytes(bytes, false) <= shared_bytes;
}

/// Whether those of the current device do.
inline cudaError_t device_holds_two_copies(std::size_t bytes, bool* holds) {
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    *holds = holds_two_copies(bytes, static_cast<std::size_t>(device.shared_bytes));
    return cudaSuccess;
}

/// Whether both ends of `bytes` in all, of which blocks take `range` each, are whole words of 16
/// bytes for every block.
inline bool blocks_take_words(const void* input, const void* output, unsigned range,
                              std::size_t bytes) {
    return is_aligned(input, kWideBytes) && is_aligned(output, kWideBytes) &&
           range % kWideBytes == 0 && bytes % kWideBytes == 0;
}

/// Whether words of 4 bytes that hold bytes so far from each other may lie in one bank, whatever
/// the first one's byte of its word; distances may be negative.
inline bool may_meet(unsigned bytes) { return (bytes + 3) % kLineBytes < 7; }

/// How many of `batch` matrices a block takes: the `fit` that it has room for, or fewer where that
/// leaves no four blocks for each multiprocessor. If those are not even as many as belong together,
/// a multiprocessor has one block where lanes lie along the matrices, and blocks take whole words
/// of 16 bytes or, of few matrices, what they may.
inline unsigned small_matrices_per_block(std::size_t batch, unsigned matrix_bytes, unsigned fit,
                                         unsigned together, bool in_lanes,
                                         std::size_t multiprocessors) {
    const auto share = [&](std::size_t blocks) {
        const std::size_t matrices = divide_up(batch, blocks);
        return matrices < fit ? static_cast<unsigned>(matrices) : fit;
    };
    const unsigned wanted = share(multiprocessors * 4);
    if (wanted >= together) return wanted - wanted % together;
    const unsigned least = in_lanes ? share(multiprocessors) : wanted;
    const unsigned filling = matrices_making(kWideBytes, matrix_bytes);
    const unsigned filled = divide_up(least, filling) * filling;
    return filled > fit || filled > least * 4 ? least : filled < together ? filled : together;
}

/// How many matrices, of those `wanted`, a block's shared memory holds: all but on sm_75.
/// `bytes(n)` of it for n matrices.
template <class Bytes>
unsigned matrices_held(unsigned wanted, const DeviceProperties& device, const Bytes& bytes) {
    while (wanted > 1 && bytes(wanted) > static_cast<std::size_t>(device.shared_bytes)) --wanted;
    return wanted;
}

/// What a kernel for small matrices asks of the driver: as much shared memory as a block may have,
/// if it needs to be asked, and of a multiprocessor what several such blocks need, or all where
/// `many` are not to be there. The former must not depend on the launch: other threads of the host
/// have launches of their own.
template <class... Parameters>
cudaError_t set_small_attributes(void (*kernel)(Parameters...), std::size_t shared,
                                 const DeviceProperties& device, bool many = true) {
    if (shared > kUnaskedSharedBytes) {
        if (cudaError_t error = cudaFuncSetAttribute(
                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_bytes))
            return error;
    }
    return cudaFuncSetAttribute(
        kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
        many ? tuning::kSmallTransposeCarveout : int{cudaSharedmemCarveoutMaxShared});
}

}  // namespace wideload::WIDELOAD_DETAIL
