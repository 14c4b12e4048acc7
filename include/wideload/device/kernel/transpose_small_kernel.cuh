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
};

/// Elements of shared memory that a block stages, before padding.
template <class T>
inline constexpr int kSmallTransposeElements = 16384 / static_cast<int>(sizeof(T));

/// Element `index`'s place: 16 bytes of padding after every 128 keep the columns of 4 × 4 matrices
/// in different banks.
template <class T>
WIDELOAD_DEVICE constexpr unsigned small_transpose_place(unsigned index) {
    constexpr unsigned kLine = kLineBytes / sizeof(T), kPad = kWideBytes / sizeof(T);
    return index + index / kLine * kPad;
}

/// @tparam Elements  elements per access: as many as make 16 bytes where both ends and every
/// block's range are aligned, 1
///                   otherwise
template <class T, int Elements, int Threads, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(Threads)
    transpose_small_kernel(const __grid_constant__ SmallTransposePlan<T> plan) {
    enter_stream_order();
    constexpr int kBytes = Elements * static_cast<int>(sizeof(T));
    constexpr int kLine = kLineBytes / static_cast<int>(sizeof(T)),
                  kPad = kWideBytes / static_cast<int>(sizeof(T));
    __shared__ alignas(16) T shared[kSmallTransposeElements<T> / kLine * (kLine + kPad)];
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
            if (element < elements)
                std::memcpy(shared + small_transpose_place<T>(element), &held[i], kBytes);
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
            gathered[i] = shared[small_transpose_place<T>(matrix * plan.matrix_elements.divisor() +
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
