// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/matrix_reduce.cuh>
#include <wideload/thread/operations.cuh>

#include "case.cuh"
#include "column_sectors.cuh"
#include "reductions.cuh"

/// reduce_rows and reduce_columns. How a matrix is shared out is the library's tuning, which the
/// test asks for; what that moves is stated here. Matrices begin at a line.
namespace counts {

/// A row a thread: a block reads its rows as the range that they are, by the words that hold it.
/// What fills no word at the matrix's end is read element by element.
/// @param plan  whose rows are apart as it says
template <class Plan>
Moved move_short_rows(Plan plan, std::size_t rows, std::size_t columns) {
    constexpr std::size_t kSize = sizeof(typename Plan::Element);
    plan.rows = rows;
    plan.columns = static_cast<unsigned>(columns);
    wideload::detail::shape_short_rows(&plan, static_cast<int>(multiprocessors()));
    const std::size_t pitch = plan.step(), all = ((rows - 1) * pitch + columns) * kSize;
    const std::size_t words_end = round_down(all, kWordBytes);
    std::size_t read = sectors_between(words_end, all);
    for (std::size_t row = 0; row < rows; row += plan.rows_per_block) {
        const std::size_t end_row = std::min(row + plan.rows_per_block, rows);
        const std::size_t begin = row * pitch * kSize;
        const std::size_t end = ((end_row - 1) * pitch + columns) * kSize;
        read += sectors_by_requests(round_down(begin, kWordBytes),
                                    std::min(round_up(end, kWordBytes), words_end), kWarpBytes);
    }
    return {read, sectors(rows * sizeof(typename Plan::Value))};
}

/// A row by a few neighbouring lanes: whole words, of several rows a request.
template <class T>
Moved move_rows_by_lanes(std::size_t rows, std::size_t columns) {
    constexpr std::size_t kRowLanes = wideload::detail::kFewLanes;
    return {sectors_of_rows(rows, columns * sizeof(T), kRowLanes * kWordBytes),
            sectors_by_requests(0, rows * sizeof(T), kLanes / kRowLanes * sizeof(T))};
}

/// The same of rows that begin anywhere between words: those that lie inside of it, of several rows
/// a request, and the elements around them, which are a request each in order, else one a lane.
template <class T>
Moved move_ragged_rows_by_lanes(std::size_t rows, std::size_t columns, bool in_order) {
    constexpr std::size_t kRowLanes = wideload::detail::kFewLanes, kRows = kLanes / kRowLanes;
    Moved moved{0, sectors_by_requests(0, rows * sizeof(T), kRows * sizeof(T))};
    for (std::size_t first = 0; first < rows; first += kRows) {
        WarpRequests words, edges;
        for (std::size_t row = first; row < std::min(first + kRows, rows); ++row) {
            const std::size_t begin = row * columns * sizeof(T), end = begin + columns * sizeof(T);
            const std::size_t low = round_up(begin, kWordBytes), high = round_down(end, kWordBytes);
            for (std::size_t word = low; word < high; word += kWordBytes)
                words.add({(word - low) / (kRowLanes * kWordBytes)}, word, kWordBytes);
            std::size_t edge = 0;
            for (std::size_t at = begin; at < low; at += sizeof(T), ++edge)
                edges.add({in_order ? 0 : edge / kRowLanes}, at, sizeof(T));
            for (std::size_t at = high; at < end; at += sizeof(T), ++edge)
                edges.add({in_order ? 1 : edge / kRowLanes}, at, sizeof(T));
        }
        moved.read += words.sectors() + edges.sectors();
    }
    return moved;
}

template <class T>
bool rows_are_by_lanes(std::size_t rows, std::size_t columns, bool in_order) {
    namespace detail = wideload::detail;
    const T* at_line = nullptr;
    if (detail::rows_are_short<T, T>(at_line, rows, columns, in_order)) return false;
    if (in_order) return detail::rows_by_lanes_in_order<T, T>(at_line, rows, columns);
    return detail::rows_are_for_lanes(at_line, rows, columns, detail::kMatrixReduceWide<T>);
}

/// A row, or a piece of it, by a warp or a block, which reads it as a range and writes one result;
/// the results of the pieces are reduced in turn.
template <class T>
Moved move_rows(std::size_t rows, std::size_t columns, bool in_order) {
    namespace detail = wideload::detail;
    const T* at_line = nullptr;
    if (detail::rows_are_short<T, T>(at_line, rows, columns, in_order))
        return move_short_rows(detail::ShortRowsPlan<T, T>{}, rows, columns);
    const bool by_warp = columns * sizeof(T) <= detail::warp_row_bytes(sizeof(T), rows);
    if (rows_are_by_lanes<T>(rows, columns, in_order))
        return detail::rows_are_words(at_line, columns)
                   ? move_rows_by_lanes<T>(rows, columns)
                   : move_ragged_rows_by_lanes<T>(rows, columns, in_order);
    const std::size_t piece =
        by_warp || columns * sizeof(T) <= detail::kWholeRowBytes
            ? columns
            : detail::piece_length(columns, rows, detail::kLeastRowPiece, multiprocessors());
    const std::size_t pieces = wideload::divide_up(columns, piece);
    Moved moved{0, rows * pieces};
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t begin = 0; begin < columns; begin += piece) {
            const std::size_t end = std::min(begin + piece, columns);
            moved.read += sectors_of_range((row * columns + begin) * sizeof(T),
                                           (row * columns + end) * sizeof(T));
        }
    }
    return pieces == 1 ? moved : moved + move_rows<T>(rows, pieces, in_order);
}

/// Columns by a lane each, down all rows or a piece of them, whose results form a matrix.
template <class T>
Moved move_columns_by_lanes(std::size_t rows, std::size_t columns, std::size_t lane_bytes,
                            std::size_t pieces = 1) {
    return {sectors_of_rows(rows, columns * sizeof(T), kLanes * lane_bytes),
            sectors_of_rows(pieces, columns * sizeof(T), kLanes * sizeof(T))};
}

/// Rows that begin anywhere in a word: a block reads the words that hold its columns, and the
/// matrix's first and last row, which may lack the neighbours for that, element by element.
template <class T>
Moved move_shifted_columns(std::size_t rows, std::size_t columns, std::size_t pieces) {
    constexpr std::size_t kWide = wideload::detail::kColumnsWide<T, T>, kWord = kWide * sizeof(T),
                          kColumns = wideload::detail::kShiftedColumns<kWide>;
    const auto by_elements = [&](std::size_t row, std::size_t first) {
        return sectors_by_requests(
            (row * columns + first) * sizeof(T),
            (row * columns + std::min(first + kColumns, columns)) * sizeof(T), kLanes * sizeof(T));
    };
    Moved moved;
    for (std::size_t first = 0; first < columns; first += kColumns) {
        moved.read += by_elements(0, first) + by_elements(rows - 1, first);
        for (std::size_t row = 1; row < rows - 1; ++row) {
            const std::size_t begin = round_down((row * columns + first) * sizeof(T), kWord);
            const std::size_t row_end = round_up((row + 1) * columns * sizeof(T), kWord);
            moved.read += sectors_between(begin, std::min(begin + kLanes * kWord, row_end));
        }
        for (std::size_t p = 0; p < pieces; ++p) moved.written += by_elements(p, first);
    }
    return moved;
}

/// A matrix of few columns is read as the range that it is, whole rows at a time by as many threads
/// of a block as their words take. Here words hold all of it.
template <class T>
Moved move_thin_columns(std::size_t rows, std::size_t columns) {
    namespace detail = wideload::detail;
    constexpr std::size_t kWide = detail::kThinWide<T, false>, kBytes = kWide * sizeof(T);
    const detail::MatrixReducePlan<T, T> plan{nullptr, rows, columns, rows,
                                              nullptr, T{},  true,    true};
    const auto thin = detail::thin_columns_plan<false>(plan);
    const std::size_t words = rows * columns / kWide, readers = thin.readers;
    const std::size_t blocks =
        detail::thin_columns_blocks<false>(thin, static_cast<int>(multiprocessors()));
    Moved moved{0, sectors_of_rows(blocks, columns * sizeof(T), kLanes * sizeof(T))};
    for (std::size_t word = 0; word < words; word += readers) {
        moved.read += sectors_by_requests(word * kBytes, std::min(word + readers, words) * kBytes,
                                          kLanes * kBytes);
    }
    return blocks == 1 ? moved : moved + move_columns_by_lanes<T>(blocks, columns, sizeof(T));
}

/// Whether rows of bytes begin anywhere in words, and are so few that lanes read their columns'.
template <class T>
bool rows_slip(std::size_t rows, std::size_t columns) {
    namespace detail = wideload::detail;
    const int device = static_cast<int>(multiprocessors());
    const T* at_line = nullptr;
    return detail::rows_are_few<T, T>(at_line, rows, columns, device) &&
           detail::few_rows_slip<T, T>(at_line, rows, columns, device);
}

template <class T>
Moved move_columns(std::size_t rows, std::size_t columns, bool in_order) {
    if (columns == 1) return move_rows<T>(1, rows, in_order);
    namespace detail = wideload::detail;
    const T* at_line = nullptr;
    const int device = static_cast<int>(multiprocessors());
    const bool many = detail::columns_are_wide(columns, device);
    const bool wide = detail::rows_are_words(at_line, columns);
    const std::size_t widest = sizeof(T) * (wide ? detail::kColumnsWide<T, T> : 1);
    if (detail::rows_are_few<T, T>(at_line, rows, columns, device)) {
        if (rows_slip<T>(rows, columns)) return move_few_slipped_rows<T>(rows, columns);
        return move_columns_by_lanes<T>(rows, columns, many ? widest : sizeof(T));
    }
    bool whole = rows <= detail::kBlockColumnRows && !many;
    if (whole && !detail::columns_fill_blocks<T>(rows, columns, device)) {
        if (!detail::columns_are_long<T, T>(at_line, rows, columns, in_order, device))
            return move_columns_by_lanes<T>(rows, columns, sizeof(T));
        whole = false;
    }
    if (!whole && !in_order && detail::columns_are_thin<T, T, false>(at_line, rows, columns))
        return move_thin_columns<T>(rows, columns);
    using Access = detail::ColumnAccess;
    const auto [access, few] = detail::columns_way<T, T>(at_line, rows, columns, in_order);
    const std::size_t piece =
        whole ? rows : detail::column_piece<T, T>(access, rows, columns, device);
    const std::size_t pieces = wideload::divide_up(rows, piece);
    const Moved moved = few ? move_few_columns<T>(rows, columns, piece, access)
                        : access == Access::kSlipped ? move_slipped_columns<T>(rows, columns, piece)
                        : access == Access::kShifted
                            ? move_shifted_columns<T>(rows, columns, pieces)
                            : move_columns_by_lanes<T>(rows, columns, widest, pieces);
    return pieces == 1 ? moved : moved + move_columns_by_lanes<T>(pieces, columns, sizeof(T));
}

template <class T, class Operation>
void reduce_matrix(std::size_t rows, std::size_t columns, bool by_rows, Operation operation) {
    constexpr bool kInOrder = !wideload::is_commutative<Operation, T>::value;
    Memory from(rows * columns * sizeof(T)), to((rows + columns) * sizeof(T));
    const Moved moved =
        by_rows ? move_rows<T>(rows, columns, kInOrder) : move_columns<T>(rows, columns, kInOrder);
    Case c(std::string("reduce ") + (by_rows ? "rows" : "columns") +
           (kInOrder ? " in order of " : " of ") + std::to_string(rows) + " x " +
           std::to_string(columns) + " elements of " + std::to_string(sizeof(T)) + " bytes");
    const auto [access, few] = wideload::detail::columns_way<T, T>(static_cast<const T*>(nullptr),
                                                                   rows, columns, kInOrder);
    const bool anywhere =
        !by_rows &&
        ((kInOrder && columns > 1 && (few || access == wideload::detail::ColumnAccess::kSlipped)) ||
         rows_slip<T>(rows, columns));
    const bool whole = !anywhere && columns * sizeof(T) % kSectorBytes == 0;
    if (whole) {
        c.whole("global_ld", moved.read);
    } else if (anywhere || (by_rows && rows_are_by_lanes<T>(rows, columns, kInOrder))) {
        c.exactly("global_ld", moved.read);  // runs of several rows a request, or parts of words
    } else {
        c.wide_runs_exactly("global_ld", moved.read);
    }
    // Rows give a result each, whose sector nobody else writes at the same time.
    if (anywhere) {
        c.exactly("global_st", moved.written);
    } else {
        whole || by_rows ? c.whole("global_st", moved.written)
                         : c.runs_exactly("global_st", moved.written);
    }
    c.run([&] {
        return by_rows
                   ? wideload::reduce_rows(from.as<T>(), rows, columns, to.as<T>(), operation, T{})
                   : wideload::reduce_columns(from.as<T>(), rows, columns, to.as<T>(), operation,
                                              T{});
    });
}

/// Rows of structs, whole tiles of 32 lanes, read as the words that they are. A row's result is
/// stored by as many bytes as its type is aligned to.
template <int Size>
void reduce_rows_of_structs(std::size_t rows, std::size_t columns) {
    using T = Blob<Size>;
    Memory from(rows * columns * Size), to(rows * Size);
    Case("reduce rows of " + std::to_string(rows) + " x " + std::to_string(columns) +
         " structs of " + std::to_string(Size) + " bytes")
        .whole("global_ld", sectors(rows * columns * Size))
        .exactly("global_st", rows * Size / alignof(T))
        .run([&] {
            return wideload::reduce_rows(from.as<T>(), rows, columns, to.as<T>(), AddEach{}, T{});
        });
}

/// Two words that an 8-byte access takes at once, although the type asks for 4.
struct Pair {
    unsigned a, b;
};
struct AddPairs {
    __device__ Pair operator()(const Pair& x, const Pair& y) const {
        return {x.a + y.a, x.b + y.b};
    }
};

/// Columns of pairs, an odd number of them, by a lane each. Results go by the type's alignment.
inline void reduce_columns_of_pairs(std::size_t rows, std::size_t columns) {
    Memory from(rows * columns * sizeof(Pair)), to(columns * sizeof(Pair));
    Case("reduce columns of " + std::to_string(rows) + " x " + std::to_string(columns) + " pairs")
        .wide_runs_exactly("global_ld", move_columns<Pair>(rows, columns, true).read)
        .exactly("global_st",
                 2 * sectors_by_requests(0, columns * sizeof(Pair), kLanes * sizeof(Pair)))
        .run([&] {
            return wideload::reduce_columns(from.as<Pair>(), rows, columns, to.as<Pair>(),
                                            AddPairs{}, Pair{});
        });
}

/// Rows by way of shared memory: a warp's are one range, of which every tile stores the results of
/// the rows that end in it, each by as many bytes as its type is aligned to.
template <class T, class Operation>
void reduce_staged_rows(std::size_t rows, std::size_t columns, std::size_t offset,
                        Operation operation) {
    using Runs = wideload::detail::StagedRowRuns<T>;
    constexpr std::size_t kPart = std::min(alignof(T), kWordBytes);
    const std::size_t row_bytes = columns * sizeof(T);
    const wideload::detail::TileRuns runs(
        rows, wideload::detail::staged_rows_warps<T>(rows, static_cast<int>(multiprocessors())));
    const ByteSpan all{offset, offset + rows * row_bytes};
    std::size_t read = 0, written = 0, first = 0;
    for (std::size_t warp = 0; warp < runs.warps; ++warp) {
        const std::size_t behind = first + runs.least + (warp < runs.longer ? 1 : 0);
        read += sectors_of_staged_tiles({offset + first * row_bytes, offset + behind * row_bytes},
                                        all, Runs::kTileBytes);
        for (std::size_t ended = 0; ended < (behind - first) * columns; ended += Runs::kElements) {
            std::vector<std::size_t> results;
            for (std::size_t row = ended / columns;
                 (row + 1) * columns <= ended + Runs::kElements && first + row < behind; ++row)
                results.push_back(first + row);
            for (std::size_t part = 0; part < sizeof(T); part += kPart)
                written += sectors_of_lanes(results, sizeof(T), kPart, part);
        }
        first = behind;
    }
    Memory from(rows * row_bytes, offset), to(rows * sizeof(T));
    Case("reduce rows of " + std::to_string(rows) + " x " + std::to_string(columns) +
         " elements of " + std::to_string(sizeof(T)) + " bytes by shared memory, " +
         std::to_string(offset) + " past a line")
        .wide_runs_exactly("global_ld", read)
        .exactly("global_st", written)
        .run([&] {
            return wideload::reduce_rows(from.as<T>(), rows, columns, to.as<T>(), operation, T{});
        });
}

/// What a lane's run of columns is brought by: parts of rows, or where rows are short of the range
/// that they are, a warp's part of the words that a block reads at once.
template <class T>
std::size_t read_staged_columns(std::size_t rows, std::size_t columns, std::size_t offset,
                                bool thin) {
    using Runs = wideload::detail::ColumnRuns<T>;
    const std::size_t row_bytes = columns * sizeof(T);
    const ByteSpan all{offset, offset + rows * row_bytes};
    constexpr std::size_t kPart = Runs::kElements * sizeof(T);
    std::size_t step = row_bytes;
    if (thin) {
        const std::size_t period = wideload::detail::words_per_period<T, true>(columns);
        step = round_down(wideload::detail::kThinStagedThreads, period) * Runs::kRunBytes;
    }
    std::size_t read = 0;
    for (std::size_t from = all.begin; from < all.end; from += step) {
        const std::size_t to = std::min(from + step, all.end);
        for (std::size_t part = from; part < to; part += kPart)
            read += sectors_of_staged_tiles({part, std::min(part + kPart, to)}, all, kPart);
    }
    return read;
}

/// Columns of elements that would be read by bytes, a whole number of runs of them.
template <class T, class Operation>
void reduce_staged_columns(std::size_t rows, std::size_t columns, std::size_t offset,
                           Operation operation) {
    namespace detail = wideload::detail;
    using Result = std::conditional_t<std::is_arithmetic_v<T>, T, unsigned>;
    constexpr bool kInOrder = !wideload::is_commutative<Operation, Result>::value;
    Memory from(rows * columns * sizeof(T), offset), to(columns * sizeof(Result));
    const T* const input = from.as<T>();
    const int device = static_cast<int>(multiprocessors());
    const bool thin = rows > detail::kFewRows && !kInOrder &&
                      detail::columns_are_thin<T, Result, true>(input, rows, columns);
    std::size_t pieces = 1;
    if (thin) {
        const detail::MatrixReducePlan<T, Result> plan{input,           rows, columns, rows,
                                                       to.as<Result>(), {},   true,    true};
        pieces = detail::thin_columns_blocks<true>(detail::thin_columns_plan<true>(plan), device);
    } else if (rows > detail::kFewRows) {
        const auto way = detail::columns_way<T, Result>(input, rows, columns, kInOrder);
        pieces = wideload::divide_up(
            rows, detail::column_piece<T, Result>(way.access, rows, columns, device));
    }
    Moved moved{read_staged_columns<T>(rows, columns, offset, thin),
                sectors_of_rows(pieces, columns * sizeof(Result), kLanes * sizeof(Result))};
    if (pieces > 1) moved = moved + move_columns_by_lanes<Result>(pieces, columns, sizeof(Result));
    Case(std::string("reduce columns ") + (kInOrder ? "in order " : "") + "of " +
         std::to_string(rows) + " x " + std::to_string(columns) + " elements of " +
         std::to_string(sizeof(T)) + " bytes by shared memory, " + std::to_string(offset) +
         " past a line")
        .wide_runs_exactly("global_ld", moved.read)
        .runs_exactly("global_st", moved.written)
        .run([&] {
            return wideload::reduce_columns(input, rows, columns, to.as<Result>(), operation,
                                            Result{});
        });
}

/// Bytes, reduced as their sum.
template <int Size>
struct SumOfBytes {
    std::uint8_t bytes[Size];
    __host__ __device__ explicit operator unsigned() const {
        unsigned sum = 0;
        for (const std::uint8_t byte : bytes) sum += byte;
        return sum;
    }
};

inline void matrix_reductions() {
    reduce_staged_columns<SumOfBytes<3>>(9000, 100, 0, wideload::plus{});
    reduce_staged_columns<SumOfBytes<7>>(4100, 24, 0, wideload::plus{});
    reduce_staged_columns<std::uint16_t>(9000, 136, 1, wideload::plus{});
    reduce_staged_columns<float>(4100, 1021, 3, wideload::plus{});  // strips
    reduce_staged_columns<float>(4100, 132, 2, SumInOrder{});
    reduce_staged_columns<SumOfBytes<3>>(4200, 384, 5, SumInOrder{});
    reduce_staged_columns<SumOfBytes<7>>(7, 140001, 0, wideload::plus{});  // few rows
    // Elements that would be read by bytes, and others in order: rows that end anywhere in a tile.
    reduce_staged_rows<float>(3000, 100, 1, wideload::plus{});
    reduce_staged_rows<double>(40, 333, 4, wideload::plus{});
    reduce_staged_rows<Blob<3>>(14000, 100, 0, wideload::commutative(AddEach{}));
    reduce_staged_rows<Blob<20>>(700, 24, 0, AddEach{});
    reduce_staged_rows<Blob<37>>(70, 101, 3, AddEach{});
    reduce_staged_rows<Blob<63>>(70, 24, 5, AddEach{});
    // Thin columns, whose results take less than a bank each.
    for (std::size_t columns : {10, 131}) {
        reduce_matrix<std::uint8_t>(9000, columns, false, wideload::plus{});
        reduce_matrix<std::uint16_t>(9000, columns, false, wideload::plus{});
    }
    // So many short rows that a thread takes several.
    reduce_matrix<float>(280000, 2, true, wideload::plus{});
    reduce_matrix<double>(280000, 2, true, SumInOrder{});
    // Rows of bytes whose neighbours would meet in the banks: every fourth or second, or halves.
    for (const std::size_t columns : {7, 10, 61, 255, 333, 702, 703})
        reduce_matrix<std::uint8_t>(3000, columns, true, wideload::plus{});
    reduce_matrix<std::uint16_t>(280000, 3, true, wideload::plus{});
    // Rows of vectors of 8 and 16 bytes, of which neighbours begin with others or not.
    for (const std::size_t columns : {8, 16, 48, 64, 200})
        reduce_matrix<std::uint8_t>(3000, columns, true, wideload::plus{});
    reduce_matrix<std::uint16_t>(3000, 32, true, SumInOrder{});
    // Rows that begin anywhere between words, by eight lanes each, in any order and in theirs.
    reduce_matrix<std::uint8_t>(501, 1001, true, wideload::plus{});
    reduce_matrix<std::uint16_t>(1003, 417, true, wideload::plus{});
    reduce_matrix<float>(8194, 285, true, wideload::plus{});
    reduce_matrix<double>(1001, 105, true, wideload::plus{});
    reduce_matrix<std::uint16_t>(1003, 361, true, SumInOrder{});
    reduce_matrix<std::uint16_t>(300, 256, true, SumInOrder{});  // whole words
    reduce_matrix<float>(24577, 381, true, SumInOrder{});
    reduce_matrix<double>(8195, 201, true, SumInOrder{});
    // Columns of bytes: few rows, by words or lanes side by side, and strips of both.
    for (const std::size_t columns : {140032, 541003}) {
        reduce_matrix<std::uint8_t>(3, columns, false, wideload::plus{});
        reduce_matrix<std::uint16_t>(2, columns, false, wideload::plus{});
    }
    reduce_matrix<float>(2, 541003, false, SumInOrder{});
    // More rows of bytes and halves, by words that begin anywhere, by elements and by whole words.
    reduce_matrix<std::uint8_t>(14, 405511, false, wideload::plus{});
    reduce_matrix<std::uint8_t>(14, 405511, false, SumInOrder{});
    reduce_matrix<std::uint8_t>(67, 135233, false, wideload::plus{});
    reduce_matrix<std::uint16_t>(66, 202752, false, wideload::plus{});
    for (const std::size_t columns : {4240, 4243})
        reduce_matrix<std::uint8_t>(720, columns, false, wideload::plus{});
    reduce_rows_of_structs<20>(4096, 256);  // by warps
    reduce_rows_of_structs<20>(3, 3200);    // by blocks
    reduce_columns_of_pairs(1000, 333);
    // Few columns in order, by runs of lanes whose last ones share sectors.
    reduce_matrix<float>(280000, 2, false, SumInOrder{});
    reduce_matrix<float>(70000, 7, false, SumInOrder{});
    reduce_matrix<double>(90000, 1, false, SumInOrder{});
    reduce_matrix<float>(30000, 24, false, SumInOrder{});  // words
    reduce_matrix<float>(9001, 29, false, SumInOrder{});
    reduce_matrix<std::uint8_t>(9001, 10, false, SumInOrder{});
    reduce_matrix<std::uint16_t>(9001, 6, false, SumInOrder{});
    reduce_matrix<std::uint16_t>(45001, 24, false, SumInOrder{});
    reduce_matrix<std::uint16_t>(14563, 72, false, SumInOrder{});
    reduce_matrix<float>(10001, 80, false, SumInOrder{});
    reduce_matrix<double>(7001, 40, false, SumInOrder{});
    // Bytes by words that begin anywhere: few columns, and strips.
    for (const std::size_t columns : {17, 64, 257, 401}) {
        const std::size_t rows = wideload::detail::kLeastSlippedMatrix / columns + 5;
        reduce_matrix<std::uint8_t>(rows, columns, false, SumInOrder{});
    }
    // A row per thread, a lane per columns of few rows, thin matrices and rows that begin anywhere
    // have kernels of their own.
    const std::size_t shapes[][2] = {
        {64, 1024},  {1024, 64},   {2, 32768},  {300, 200},  {77, 333},   {4096, 8},    {8, 8192},
        {3000, 10},  {700, 87},    {5, 163840}, {9000, 12},  {4500, 520}, {4501, 1021}, {3, 50000},
        {100, 8192}, {270, 12288}, {4000, 131}, {3000, 401}, {70000, 5}};
    for (const auto& shape : shapes) {
        for (const bool by_rows : {true, false}) {
            reduce_matrix<float>(shape[0], shape[1], by_rows, wideload::plus{});
            reduce_matrix<double>(shape[0], shape[1], by_rows, wideload::plus{});
            reduce_matrix<float>(shape[0], shape[1], by_rows, SumInOrder{});
            reduce_matrix<double>(shape[0], shape[1], by_rows, SumInOrder{});
        }
    }
}

}  // namespace counts
