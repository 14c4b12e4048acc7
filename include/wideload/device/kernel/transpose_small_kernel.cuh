// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/support/fast_divide.cuh>
#include <wideload/thread/access.cuh>

namespace wideload::detail {

/// Many small matrices, one behind the other: a block takes as many whole ones as fit its shared
/// memory, reads them as one contiguous range and writes them as one, so that every access is wide
/// whatever the shape.
template <class T>
struct SmallTransposePlan {
    const T* input;
    T* output;
    std::size_t matrices;
    unsigned matrices_per_block;
    fast_divide rows;             ///< of the input
    fast_divide matrix_elements;  ///< rows * columns
    unsigned columns;
    /// After every 2^padded_bits elements shared memory leaves `padding` free, whole words.
    unsigned padded_bits, padding;
};

/// What a block stages, in bytes and in elements.
inline constexpr int kSmallTransposeBytes = 16384;
template <class T>
inline constexpr int kSmallTransposeElements = kSmallTransposeBytes / static_cast<int>(sizeof(T));
/// Words of shared memory that hold them under the most padding, two words a line.
inline constexpr int kSmallTransposeWords =
    kSmallTransposeBytes / kLineBytes * (kLineBytes / kWideBytes + 2);

/// Padding by a matrix' bytes, so that what neighbouring lanes read of one lies in different banks:
/// 16 bytes after every 128 for matrices of up to 64 bytes and of 1 KiB, after every 256 and 512
/// for larger ones, and 32 bytes in between. So 4 × 4 to 32 × 32 elements of 4 bytes, 4 × 4 to 16 ×
/// 16 of 8, and others that are powers of two are free of conflicts.
struct SmallTransposePadding {
    unsigned every_bytes, bytes;
};
inline SmallTransposePadding small_transpose_padding(std::size_t matrix_bytes) {
    SmallTransposePadding padding{kLineBytes, kWideBytes};
    while (2 * padding.every_bytes <= matrix_bytes / 8) padding.every_bytes *= 2;
    if (matrix_bytes > 64 && matrix_bytes <= 512) padding.bytes = 2 * kWideBytes;
    return padding;
}

/// @tparam Elements  elements per access: as many as make 16 bytes where both ends and every
/// block's range are aligned, 1
///                   otherwise
template <class T, int Elements, int Threads, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(Threads)
    transpose_small_kernel(const __grid_constant__ SmallTransposePlan<T> plan) {
    enter_stream_order();
    constexpr int kBytes = Elements * static_cast<int>(sizeof(T));
    constexpr int kPerWord = kWideBytes / static_cast<int>(sizeof(T));
    // Declared in words of 16 bytes: to an array of T the compiler stores such a word in parts,
    // whose lanes meet in the banks.
    __shared__ uint4 words[kSmallTransposeWords];
    T* const shared = reinterpret_cast<T*>(words);
    const auto place = [&plan](unsigned element) {
        return element + (element >> plan.padded_bits) * plan.padding;
    };
    const std::size_t first_matrix = static_cast<std::size_t>(blockIdx.x) * plan.matrices_per_block;
    const std::size_t left = plan.matrices - first_matrix;
    const unsigned matrices =
        left < plan.matrices_per_block ? static_cast<unsigned>(left) : plan.matrices_per_block;
    const unsigned elements = matrices * plan.matrix_elements.divisor();
    const std::size_t offset = first_matrix * plan.matrix_elements.divisor();

    constexpr int kSteps = kSmallTransposeElements<T> / (Elements * Threads);
    constexpr int kBatch = kSteps < 4 ? kSteps : 4;
#pragma unroll 1
    for (int begin = 0; begin < kSteps; begin += kBatch) {
        access_word_t<kBytes> held[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            const unsigned element = ((begin + i) * Threads + threadIdx.x) * Elements;
            if (element < elements)
                held[i] = access<LoadPolicy>::template load<kBytes>(plan.input + offset + element);
        }
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            const unsigned element = ((begin + i) * Threads + threadIdx.x) * Elements;
            if (element >= elements) continue;
            if constexpr (kBytes == kWideBytes) {
                words[place(element) / kPerWord] = held[i];
            } else {
                std::memcpy(shared + place(element), &held[i], kBytes);
            }
        }
    }
    __syncthreads();
#pragma unroll 4
    for (int step = 0; step < kSteps; ++step) {
        const unsigned element = (step * Threads + threadIdx.x) * Elements;
        if (element >= elements) break;
        // Output element (matrix, column, row) comes from input element (matrix, row, column).
        unsigned matrix, column;
        const unsigned within = plan.matrix_elements.remainder(element, &matrix);
        unsigned row = plan.rows.remainder(within, &column);
        T gathered[Elements];
#pragma unroll
        for (int i = 0; i < Elements; ++i) {
            gathered[i] = shared[place(matrix * plan.matrix_elements.divisor() +
                                       row * plan.columns + column)];
            if (++row == plan.rows.divisor()) {
                row = 0;
                if (++column == plan.columns) column = 0, ++matrix;
            }
        }
        access_word_t<kBytes> word;
        std::memcpy(&word, gathered, kBytes);
        access<StorePolicy>::template store<kBytes>(plan.output + offset + element, word);
    }
}

}  // namespace wideload::detail
