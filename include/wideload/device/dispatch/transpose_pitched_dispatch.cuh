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
    /// Of all elements, of `size` each.
    std::size_t bytes(std::size_t size) const { return rows * columns * batch * size; }
    /// Whether all rows of both are whole runs of so many elements of `size` bytes, at multiples of
    /// a run.
    bool are_runs(std::size_t elements, std::size_t size) const {
        for (std::size_t distance : {rows, columns, from.row, from.matrix, to.row, to.matrix}) {
            if (distance % elements != 0) return false;
        }
        const auto bytes = static_cast<int>(elements * size);
        return is_aligned(input, bytes) && is_aligned(output, bytes);
    }
    /// Whether the output's rows begin at sectors.
    bool output_is_at_sectors(std::size_t size) const {
        return to.row * size % kSectorBytes == 0 && to.matrix * size % kSectorBytes == 0 &&
               is_aligned(output, kSectorBytes);
    }
    template <class T>
    PitchedPlan<T> plan() const {
        return {plan_transpose<T>(input, output, rows, columns, batch), from, to};
    }
};

/// Whether they go by tiles of whole 16-byte words.
template <class T>
bool go_by_words(const PitchedMatrices& matrices) {
    if (!matrices.are_runs(kWideBytes / sizeof(T), sizeof(T))) return false;
    if constexpr (sizeof(T) <= 8) {
        return matrices.output_is_at_sectors(sizeof(T)) ||
               !sheared_tiles_suit<T>(matrices.rows, matrices.columns, matrices.batch);
    } else {
        return true;
    }
}

/// Whether they go by sheared tiles of narrower words.
template <class T>
bool go_by_sheared_words(const PitchedMatrices& matrices) {
    const std::size_t from = matrices.rows * matrices.from.row;
    const std::size_t to = matrices.columns * matrices.to.row;
    return matrices.are_runs(tuning::kShearedWordBytes / sizeof(T), sizeof(T)) &&
           sheared_words_suit<T>(matrices.rows, matrices.columns, matrices.batch,
                                 from < to ? to : from,
                                 matrices.are_runs(kWideBytes / sizeof(T), sizeof(T)),
                                 matrices.output_is_at_sectors(sizeof(T)));
}

template <class T>
cudaError_t launch_pitched_typed(const PitchedMatrices& matrices, cudaStream_t stream) {
    const PitchedPlan<T> plan = matrices.plan<T>();
    if constexpr (kHasShearedTiles<T>) {
        if (go_by_sheared_words<T>(matrices)) return launch_transpose_sheared<T>(plan, stream);
    }
    if (go_by_words<T>(matrices)) {
        using SmallTile = tuning::SmallSwizzledTile<sizeof(T)>;
        if constexpr (SmallTile::kMostBytes != 0) {
            if (matrices.bytes(sizeof(T)) <= SmallTile::kMostBytes)
                return launch_transpose_swizzled_with<T, SmallTile, tuning::TransposeLoadPolicy>(
                    plan, false, stream);
        }
        const bool at_lines = matrices.are_runs(kLineBytes / sizeof(T), sizeof(T));
        return launch_swizzled_way<T>(plan, swizzled_way<T>(plan, at_lines), stream);
    }
    if constexpr (sizeof(T) <= 8) {
        if (is_aligned(matrices.input, sizeof(T)) && is_aligned(matrices.output, sizeof(T))) {
            using Small = tuning::SmallPitchedTile<sizeof(T)>;
            if (matrices.bytes(sizeof(T)) <= Small::kMostBytes)
                return launch_transpose_padded_with<T, 1, Small>(plan, stream);
            if constexpr (sizeof(T) >= 4) {
                return fills_rotated_tiles<T>(plan.rows, plan.columns)
                           ? launch_rotated_tiles<T>(plan, stream)
                           : launch_transpose_padded<T, 1>(plan, stream);
            }
        }
    }
    return launch_transpose_shifted<T>(matrices.plan<char>(), stream);
}

/// Elements that are no power of two, by the units they consist of.
template <int Size>
cudaError_t launch_pitched_structs(const PitchedMatrices& matrices, cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    if (is_aligned(matrices.input, kUnit) && is_aligned(matrices.output, kUnit)) {
        if constexpr (kMayBeGrouped<Size>) {
            if (prefers_grouped_tiles<Size>(matrices.rows, matrices.columns, matrices.batch,
                                            matrices.from.row, matrices.to.row))
                return launch_transpose_grouped<Size>(matrices.plan<char>(), stream);
        }
        using Unit = access_word_t<kUnit>;
        return launch_transpose_padded<Unit, Size / kUnit>(matrices.plan<Unit>(), stream);
    }
    return launch_transpose_padded<std::uint8_t, Size>(matrices.plan<std::uint8_t>(), stream);
}

template <class T>
cudaError_t dispatch_pitched_transpose(PitchedMatrices matrices, cudaStream_t stream) {
    constexpr int kSize = transposed_size<T>();
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
