// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/matrix_rows.cuh>
#include <wideload/device/dispatch/strided_dispatch.cuh>
#include <wideload/device/dispatch/transpose_dispatch.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// A batch of matrices of which each, and each of whose rows, may lie apart from the next.
struct PitchedMatrices {
    const void* input;
    void* output;
    std::size_t rows, columns, batch;  ///< of the input
    MatrixPitch from, to;

    bool are_packed() const {
        const auto packed = [&](const MatrixPitch& pitch, std::size_t height, std::size_t width) {
            return (height == 1 || pitch.row == width) &&
                   (batch == 1 || pitch.matrix == height * width);
        };
        return packed(from, rows, columns) && packed(to, columns, rows);
    }
    /// Whether all rows of both are whole words of so many elements, at addresses of such.
    bool are_words(std::size_t elements) const {
        for (std::size_t distance : {rows, columns, from.row, from.matrix, to.row, to.matrix}) {
            if (distance % elements != 0) return false;
        }
        return is_aligned(input, kWideBytes) && is_aligned(output, kWideBytes);
    }
    template <class T>
    PitchedPlan<T> plan() const {
        return {plan_transpose<T>(input, output, rows, columns, batch), from, to};
    }
};

template <class T>
cudaError_t launch_pitched_typed(const PitchedMatrices& matrices, cudaStream_t stream) {
    const PitchedPlan<T> plan = matrices.plan<T>();
    if (matrices.are_words(kWideBytes / sizeof(T))) {
        using Tile = tuning::SwizzledTile<sizeof(T)>;
        using SmallTile = tuning::SmallSwizzledTile<sizeof(T)>;
        using Load = tuning::TransposeLoadPolicy;
        if constexpr (SmallTile::kMostBytes != 0) {
            if (plan.rows * plan.columns * plan.batch * sizeof(T) <= SmallTile::kMostBytes)
                return launch_transpose_swizzled_with<T, SmallTile, Load>(plan, false, stream);
        }
        return launch_transpose_swizzled_with<T, Tile, Load>(
            plan, kSwizzledTilesTurn<T> && strip_outlives_l2(plan.rows, Tile::kColumns * sizeof(T)),
            stream);
    }
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        if (is_aligned(matrices.input, sizeof(T)) && is_aligned(matrices.output, sizeof(T))) {
            if (fills_rotated_tiles<T>(plan.rows, plan.columns))
                return launch_rotated_tiles<T>(plan, stream);
            return launch_transpose_padded<T, 1>(plan, stream);
        }
    }
    return launch_transpose_shifted<T>(matrices.plan<char>(), stream);
}

/// Elements that are no power of two, by the units they consist of.
template <int Size>
cudaError_t launch_pitched_structs(const PitchedMatrices& matrices, cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    if (is_aligned(matrices.input, kUnit) && is_aligned(matrices.output, kUnit)) {
        using Unit = access_word_t<kUnit>;
        return launch_transpose_padded<Unit, Size / kUnit>(matrices.plan<Unit>(), stream);
    }
    return launch_transpose_padded<std::uint8_t, Size>(matrices.plan<std::uint8_t>(), stream);
}

template <class T>
cudaError_t dispatch_pitched_transpose(PitchedMatrices matrices, cudaStream_t stream) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::transpose moves raw bytes: T must be trivially copyable");
    static_assert(sizeof(T) <= 128, "wideload::transpose: elements of at most 128 bytes");
    constexpr int kSize = static_cast<int>(sizeof(T));
    const std::size_t rows = matrices.rows, columns = matrices.columns, batch = matrices.batch;
    if (rows == 0 || columns == 0 || batch == 0) return cudaSuccess;
    MatrixRows input, output;
    if (cudaError_t error = checked_matrix_rows(matrices.input, {rows, columns, batch},
                                                matrices.from, kSize, &input))
        return error;
    if (cudaError_t error = checked_matrix_rows(matrices.output, {columns, rows, batch},
                                                matrices.to, kSize, &output))
        return error;
    if (input.overlap(output)) return cudaErrorInvalidValue;
    if (matrices.are_packed())
        return dispatch_transpose<kSize>(matrices.input, matrices.output, rows, columns, batch,
                                         stream);
    if (batch == 1) {
        const auto* const from = static_cast<const T*>(matrices.input);
        auto* const to = static_cast<T*>(matrices.output);
        if (rows == 1) return dispatch_strided_copy(from, 1, to, matrices.to.row, columns, stream);
        if (columns == 1)
            return dispatch_strided_copy(from, matrices.from.row, to, 1, rows, stream);
        matrices.from.matrix = matrices.to.matrix = 0;
    }
    if constexpr (is_power_of_two(kSize) && kSize <= kWideBytes) {
        return launch_pitched_typed<access_word_t<kSize>>(matrices, stream);
    } else {
        return launch_pitched_structs<kSize>(matrices, stream);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
