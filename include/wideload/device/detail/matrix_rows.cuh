// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/range.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Elements from a row to the next, and from a matrix of a batch to the next.
struct MatrixPitch {
    std::size_t row, matrix;
};

struct MatrixShape {
    std::size_t rows, columns, batch;
};

/// The bytes of matrices whose rows may lie apart, for the checks that entry points make.
struct MatrixRows {
    ByteRange span;         ///< from the first byte to the last, what lies between rows included
    std::size_t row_bytes;  ///< of one
    std::size_t period;     ///< rows begin at multiples of it behind the first; 0: at others, too

    bool is_row() const { return span.bytes == row_bytes; }
    /// Whether the two have bytes in common, or may have where their rows lie differently.
    bool overlap(const MatrixRows& other) const {
        if (!span.overlaps(other.span)) return false;
        const std::size_t step = is_row() ? other.period : period;
        if (step == 0 || (!other.is_row() && step != other.period)) return true;
        const std::size_t ahead = other.span.begin >= span.begin
                                      ? (other.span.begin - span.begin) % step
                                      : (step - (span.begin - other.span.begin) % step) % step;
        return ahead < row_bytes || ahead + other.row_bytes > step;
    }
};

/// Of at least one element.
///
/// @return cudaErrorInvalidValue for a null pointer, for rows that overlap, or for a size past the
/// address space
inline cudaError_t checked_matrix_rows(const void* pointer, const MatrixShape& shape,
                                       const MatrixPitch& pitch, std::size_t size,
                                       MatrixRows* result) {
    struct {
        std::size_t count, step;
    } near{shape.rows, shape.rows > 1 ? pitch.row : 0},
        far{shape.batch, shape.batch > 1 ? pitch.matrix : 0};
    // Matrices may also alternate row by row.
    if (far.count > 1 && far.step < near.step) {
        const auto rows = near;
        near = far;
        far = rows;
    }
    std::size_t elements = shape.columns;
    for (const auto& each : {near, far}) {
        if (each.count == 1) continue;
        if (each.step < elements || each.count - 1 > (SIZE_MAX - elements) / each.step)
            return cudaErrorInvalidValue;
        elements += (each.count - 1) * each.step;
    }
    std::size_t bytes = 0;
    if (cudaError_t error = checked_bytes(pointer, elements, size, &bytes)) return error;
    const std::size_t step = near.count > 1 ? near.step : far.step;
    const bool even = step != 0 && far.step % step == 0;
    *result = {byte_range(pointer, bytes), shape.columns * size, even ? step * size : 0};
    return cudaSuccess;
}

}  // namespace wideload::WIDELOAD_DETAIL
