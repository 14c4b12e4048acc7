// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/columns_reduce_dispatch.cuh>

#include "sectors.cuh"

#include <array>
#include <map>

namespace counts {

/// What the lanes of a warp ask for together: by the load in the program, the turn in which it is,
/// and, of loads that are written out, which of them.
class WarpRequests {
public:
    using Load = std::array<std::size_t, 3>;

    void add(const Load& load, std::size_t begin, std::size_t bytes) {
        Request& request = requests_[load];
        request.bytes = bytes;
        request.addresses.push_back(begin);
    }
    std::size_t sectors() const {
        std::size_t sum = 0;
        for (const auto& [load, request] : requests_)
            sum += sectors_of_lanes(request.addresses, 1, request.bytes);
        return sum;
    }

private:
    struct Request {
        std::size_t bytes;
        std::vector<std::size_t> addresses;
    };
    std::map<Load, Request> requests_;
};

/// Columns in order of a matrix that begins at a sector: what a thread reads of its run of rows, of
/// which it has the columns from `column` on.
template <class T>
class ColumnReader {
    using Access = wideload::detail::ColumnAccess;

public:
    /// @param by_lane  whether rows whose words reach out of the matrix are read element by element
    ///                 by the lanes of those words alone, which have a loop of their own
    ColumnReader(std::size_t rows, std::size_t columns, Access access, bool by_lane = false)
        : rows_(rows), columns_(columns), access_(access), by_lane_(by_lane) {}

    int each() const { return wideload::detail::columns_a_thread<T, T>(access_); }
    void read(WarpRequests& warp, std::size_t first, std::size_t end, std::size_t column) const {
        if (access_ == Access::kSlipped) {
            read_slipped(warp, first, end, column);
        } else if (access_ == Access::kWords) {
            for (std::size_t row = first; row < end; ++row)
                warp.add({0, row - first, 0}, place(row, column), each() * sizeof(T));
        } else {
            read_elements(warp, first, end, column);
        }
    }

private:
    std::size_t place(std::size_t row, std::size_t column) const {
        return (row * columns_ + column) * sizeof(T);
    }
    /// Loads that all exist have a place of their own in the program; the rest come behind them.
    void read_elements(WarpRequests& warp, std::size_t first, std::size_t end,
                       std::size_t column) const {
        namespace detail = wideload::detail;
        constexpr bool kAll =
            detail::kAllTogether<1, wideload::greatest_common_divisor<int>(sizeof(T), 16), T>;
        constexpr std::size_t kTogether = kAll ? detail::kLoadsTogether<1, T> : 1;
        const std::size_t all = first + round_down(end - first, kTogether);
        for (std::size_t row = first; row < end; ++row)
            warp.add({row >= all, row - (row >= all ? all : first), 0}, place(row, column),
                     sizeof(T));
    }
    /// Two neighbouring words, but one where that holds all, of all rows but the matrix's first and
    /// last.
    void read_slipped(WarpRequests& warp, std::size_t first, std::size_t end,
                      std::size_t column) const {
        constexpr std::size_t kWord = wideload::detail::kSlippedBytes;
        const bool by_words = by_lane_ && column != 0 && column + 2 * kWord <= columns_;
        const bool before = first == 0 && !by_words, behind = end == rows_ && !by_words;
        for (std::size_t row = first; row < end; ++row) {
            const std::size_t begin = place(row, column), word = round_down(begin, kWord);
            if ((before && row == 0) || (behind && row + 1 == rows_)) {
                for (std::size_t k = 0; k < kWord && column + k < columns_; ++k)
                    warp.add({row == 0 ? 0u : 2u, 0, k}, begin + k, 1);
            } else {
                const std::size_t turn = row - (before ? 1 : first);
                const std::size_t loop = by_words ? 3 : 1;
                warp.add({loop, turn, 0}, word, kWord);
                if (begin != word) warp.add({loop, turn, 1}, word + kWord, kWord);
            }
        }
    }

    std::size_t rows_, columns_;
    Access access_;
    bool by_lane_;
};

/// Few rows of bytes that begin anywhere in words. Results are written side by side.
template <class T>
Moved move_few_slipped_rows(std::size_t rows, std::size_t columns) {
    const ColumnReader<T> reader(rows, columns, wideload::detail::ColumnAccess::kSlipped, true);
    const std::size_t each = reader.each(), strip = kLanes * each;
    Moved moved{0, sectors_of_rows(1, columns * sizeof(T), kLanes * sizeof(T))};
    for (std::size_t left = 0; left < columns; left += strip) {
        WarpRequests read;
        for (std::size_t column = left; column < std::min(left + strip, columns); column += each)
            reader.read(read, 0, rows, column);
        moved.read += read.sectors();
    }
    return moved;
}

/// Few columns in order: threads side by side have a run of rows. Runs of a warp share sectors
/// where they are short. The first run's threads write their results one by one.
template <class T>
Moved move_few_columns(std::size_t rows, std::size_t columns, std::size_t piece,
                       wideload::detail::ColumnAccess access) {
    const ColumnReader<T> reader(rows, columns, access);
    constexpr std::size_t kThreads = wideload::detail::kMatrixReduceThreads;
    const std::size_t each = reader.each();
    const std::size_t readers = wideload::detail::few_columns_readers(columns, reader.each());
    const std::size_t runs = kThreads / readers, run_rows = wideload::divide_up(piece, runs);
    Moved moved;
    for (std::size_t begin = 0; begin < rows; begin += piece) {
        const std::size_t end = std::min(begin + piece, rows);
        for (std::size_t warp = 0; warp < kThreads; warp += kLanes) {
            WarpRequests read, written;
            for (std::size_t thread = warp; thread < warp + kLanes; ++thread) {
                const std::size_t run = thread / readers, column = thread % readers * each;
                const std::size_t first = begin + run * run_rows;
                if (run >= runs || column >= columns || first >= end) continue;
                reader.read(read, first, std::min(first + run_rows, end), column);
                for (std::size_t k = 0; run == 0 && k < each && column + k < columns; ++k) {
                    written.add({0, 0, k}, (begin / piece * columns + column + k) * sizeof(T),
                                sizeof(T));
                }
            }
            moved = moved + Moved{read.sectors(), written.sectors()};
        }
    }
    return moved;
}

/// Strips of columns in order that begin anywhere in words: a block's warps have a run of rows
/// each, of a piece. Results are written side by side.
template <class T>
Moved move_slipped_columns(std::size_t rows, std::size_t columns, std::size_t piece) {
    const ColumnReader<T> reader(rows, columns, wideload::detail::ColumnAccess::kSlipped);
    const std::size_t each = reader.each(), strip = kLanes * each;
    constexpr std::size_t kWarps = wideload::detail::kMatrixReduceThreads / kLanes;
    Moved moved{0, sectors_of_rows(wideload::divide_up(rows, piece), columns * sizeof(T),
                                   kLanes * sizeof(T))};
    for (std::size_t begin = 0; begin < rows; begin += piece) {
        const std::size_t end = std::min(begin + piece, rows);
        const std::size_t run_rows = wideload::divide_up(end - begin, kWarps);
        for (std::size_t first = begin; first < end; first += run_rows) {
            for (std::size_t left = 0; left < columns; left += strip) {
                WarpRequests read;
                for (std::size_t column = left; column < std::min(left + strip, columns);
                     column += each)
                    reader.read(read, first, std::min(first + run_rows, end), column);
                moved.read += read.sectors();
            }
        }
    }
    return moved;
}

}  // namespace counts
