// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/matrix_rows.cuh>
#include <wideload/device/dispatch/strided_dispatch.cuh>
#include <wideload/device/kernel/rows_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

template <int Word, class Source, class Destination>
cudaError_t launch_row_words(const Source& source, const Destination& destination, std::size_t rows,
                             std::size_t row_bytes, cudaStream_t stream) {
    const fast_divide per_row(static_cast<std::uint32_t>(row_bytes / Word));
    const RowWords<Source> from{source, per_row};
    const RowWords<Destination> to{destination, per_row};
    const std::size_t words = rows * per_row.divisor();
    return by_words_each<tuning::row_words_each(Word, Destination::kIndexed)>(
        words,
        [&](auto each) { return launch_move_words<Word, each, true>(from, to, words, stream); });
}

/// Words that a row may reach into which begins at a multiple of `unit`.
constexpr std::size_t slipped_words(std::size_t row_bytes, std::size_t word, std::size_t unit) {
    return (row_bytes + word - unit + word - 1) / word;
}

template <int Word, int Unit, bool Aligned, class Source, class Destination>
cudaError_t launch_slipped_rows(const Source& source, const Destination& destination,
                                std::size_t rows, std::size_t row_bytes, cudaStream_t stream) {
    constexpr int kThreads = tuning::kStridedThreads;
    const fast_divide per_row(static_cast<std::uint32_t>(slipped_words(row_bytes, Word, Unit)));
    const std::size_t words = rows * per_row.divisor();
    const auto launch_by = [&](auto each, auto few) {
        return launch(
            move_slipped_rows_kernel<Word, Unit, each, few, kThreads, Aligned, Source, Destination>,
            divide_up<std::size_t>(words, kThreads * each), kThreads, 0, stream, source,
            destination, static_cast<int>(row_bytes), per_row, static_cast<std::uint32_t>(words));
    };
    constexpr int kMost = tuning::slipped_row_words_each(Word, Unit, Source::kIndexed);
    if constexpr (Word == 16 && Unit == 1) {
        if (words > tuning::kIndexedByOne && (kMost == 1 || words < tuning::kGatheredByOne ||
                                              row_bytes < tuning::kGatheredByTwoRowBytes))
            return launch_by(std::integral_constant<int, 1>{}, std::false_type{});
    }
    return by_words_each<kMost>(
        words, [&](auto each) { return launch_by(each, std::bool_constant < each == 1 > {}); });
}

/// As many rows, and bytes of each, as 32 bits count the words of.
template <class Source, class Destination>
cudaError_t launch_rows_part(const Source& source, const Destination& destination, std::size_t rows,
                             std::size_t row_bytes, cudaStream_t stream) {
    const auto fits = [&](int bytes) {
        return row_bytes % bytes == 0 && source.is_aligned(bytes) && destination.is_aligned(bytes);
    };
    const auto words = [&](auto word) {
        return launch_row_words<word>(source, destination, rows, row_bytes, stream);
    };
    const auto slipped = [&](auto word, auto unit, auto aligned) {
        return launch_slipped_rows<word, unit, aligned>(source, destination, rows, row_bytes,
                                                        stream);
    };
    constexpr std::integral_constant<int, 1> kOne;
    constexpr std::integral_constant<int, 2> kTwo;
    constexpr std::integral_constant<int, 4> kFour;
    constexpr std::integral_constant<int, 16> kSixteen;
    if (!source.has_aligned_indices() || !destination.has_aligned_indices())
        return slipped(kFour, kOne, std::false_type{});
    if (fits(16)) return words(kSixteen);
    if (fits(8)) return words(std::integral_constant<int, 8>{});
    const auto is_wide = [&](int unit) {
        return row_bytes >= tuning::wide_row_bytes(unit, Source::kIndexed, Destination::kIndexed);
    };
    if (fits(4)) return is_wide(4) ? slipped(kSixteen, kFour, std::true_type{}) : words(kFour);
    const auto by = [&](auto unit) {
        return is_wide(unit) ? slipped(kSixteen, unit, std::true_type{})
                             : slipped(kFour, unit, std::true_type{});
    };
    return fits(2) ? by(kTwo) : by(kOne);
}

template <class Source, class Destination>
cudaError_t launch_rows(const Source& source, const Destination& destination, std::size_t rows,
                        std::size_t row_bytes, cudaStream_t stream) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 30, kMostWords = std::size_t{1} << 30;
    for (std::size_t byte = 0; byte < row_bytes; byte += kMostBytes) {
        const std::size_t left = row_bytes - byte, bytes = left < kMostBytes ? left : kMostBytes;
        const std::size_t most_rows = kMostWords / slipped_words(bytes, 4, 1);
        for (std::size_t row = 0; row < rows; row += most_rows) {
            const std::size_t part = rows - row < most_rows ? rows - row : most_rows;
            if (cudaError_t error = launch_rows_part(
                    source.from(row, byte), destination.from(row, byte), part, bytes, stream))
                return error;
        }
    }
    return cudaSuccess;
}

/// Rows of `columns` elements that begin `pitch` elements apart.
struct RowsShape {
    std::size_t rows, columns, pitch;
};

/// `checked_matrix_rows` of one matrix.
template <class T>
cudaError_t checked_rows(const T* data, const RowsShape& shape, MatrixRows* result) {
    return checked_matrix_rows(data, {shape.rows, shape.columns, 1}, {shape.pitch, 0}, sizeof(T),
                               result);
}

/// The rows, which span so many bytes.
template <class Byte, class T>
EvenRows<Byte> even_rows(T* data, const RowsShape& shape, std::size_t bytes) {
    auto* const base = reinterpret_cast<Byte*>(data);
    return {base, shape.pitch * sizeof(T), base + bytes};
}

/// Rows to as many of as many columns, which may be differently far apart.
template <class T>
cudaError_t dispatch_copy_rows(const T* source, const RowsShape& source_shape, T* destination,
                               const RowsShape& shape, cudaStream_t stream) {
    if (shape.rows == 0 || shape.columns == 0) return cudaSuccess;
    MatrixRows from, to;
    if (cudaError_t error = checked_rows(source, source_shape, &from)) return error;
    if (cudaError_t error = checked_rows(destination, shape, &to)) return error;
    if (from.span.equals(to.span)) return cudaSuccess;
    if (from.overlap(to)) return cudaErrorInvalidValue;
    const std::size_t packed = shape.rows * to.row_bytes;
    if (from.span.bytes == packed && to.span.bytes == packed)
        return dispatch_copy(source, destination, shape.rows * shape.columns, sizeof(T), stream);
    return launch_rows(even_rows<const char>(source, source_shape, from.span.bytes),
                       even_rows<char>(destination, shape, to.span.bytes), shape.rows, to.row_bytes,
                       stream);
}

/// Rows of `table` that indices name, to or from `packed`, one a row.
///
/// @tparam Scattered  to the table
template <bool Scattered, class T, class Table, class Packed, class Index>
cudaError_t dispatch_indexed_rows(Table* table, const RowsShape& table_shape, Packed* packed,
                                  const RowsShape& shape, const Index* index, cudaStream_t stream) {
    static_assert(Scattered || is_bitwise_copyable_v<T>,
                  "wideload::gather_rows moves raw bytes: T must be trivially copyable");
    static_assert(!Scattered || is_bitwise_copyable_v<T>,
                  "wideload::scatter_rows moves raw bytes: T must be trivially copyable");
    static_assert(Scattered || std::is_integral_v<Index>,
                  "wideload::gather_rows: the indices must be integers");
    static_assert(!Scattered || std::is_integral_v<Index>,
                  "wideload::scatter_rows: the indices must be integers");
    if (shape.rows == 0 || shape.columns == 0) return cudaSuccess;
    if (table_shape.rows == 0) return cudaErrorInvalidValue;
    MatrixRows table_rows, packed_rows;
    std::size_t index_bytes = 0;
    if (cudaError_t error = checked_rows<T>(table, table_shape, &table_rows)) return error;
    if (cudaError_t error = checked_rows<T>(packed, shape, &packed_rows)) return error;
    if (cudaError_t error = checked_bytes(index, shape.rows, sizeof(Index), &index_bytes))
        return error;
    const ByteRange written = Scattered ? table_rows.span : packed_rows.span;
    if (table_rows.span.overlaps(packed_rows.span) ||
        byte_range(index, index_bytes).overlaps(written))
        return cudaErrorInvalidValue;
    using TableByte = std::conditional_t<Scattered, char, const char>;
    using PackedByte = std::conditional_t<Scattered, const char, char>;
    const IndexedRows<TableByte, Index> named{
        even_rows<TableByte>(table, table_shape, table_rows.span.bytes), index};
    const EvenRows<PackedByte> in_order =
        even_rows<PackedByte>(packed, shape, packed_rows.span.bytes);
    if constexpr (Scattered) {
        return launch_rows(in_order, named, shape.rows, shape.columns * sizeof(T), stream);
    } else {
        return launch_rows(named, in_order, shape.rows, shape.columns * sizeof(T), stream);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
