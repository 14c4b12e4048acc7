// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/columns_reduce_dispatch.cuh>

#include "sectors.cuh"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace counts {

/// What the lanes of a warp ask for together: loads of the same place in the program, at the same
/// turn.
class WarpRequests {
public:
    using Place = std::pair<bool, std::size_t>;

    void add(const Place& place, std::size_t begin, std::size_t bytes) {
        for (std::size_t s = begin / kSectorBytes; s <= (begin + bytes - 1) / kSectorBytes; ++s)
            touched_[place].insert(s);
    }
    std::size_t sectors() const {
        std::size_t sum = 0;
        for (const auto& [place, touched] : touched_) sum += touched.size();
        return sum;
    }

private:
    std::map<Place, std::set<std::size_t>> touched_;
};

/// What few columns are read by, of a matrix that begins at a sector: threads side by side take a
/// column each, down a run of rows of their own. Runs of a warp share sectors where they are short.
/// Loads that all exist have a place of their own; the rest come behind them.
template <class T>
std::size_t read_few_columns(std::size_t rows, std::size_t columns, std::size_t piece) {
    constexpr std::size_t kThreads = wideload::detail::kMatrixReduceThreads;
    constexpr std::size_t kTogether = wideload::detail::kLoadsTogether<1, T>;
    constexpr bool kAll =
        wideload::detail::kAllTogether<1, wideload::greatest_common_divisor<int>(sizeof(T), 16), T>;
    const std::size_t readers = columns <= 4 ? 4 : columns <= 8 ? 8 : columns <= 16 ? 16 : columns;
    const std::size_t runs = kThreads / readers, run_rows = wideload::divide_up(piece, runs);
    std::size_t read = 0;
    for (std::size_t begin = 0; begin < rows; begin += piece) {
        const std::size_t end = std::min(begin + piece, rows);
        for (std::size_t warp = 0; warp < kThreads; warp += kLanes) {
            WarpRequests requests;
            for (std::size_t thread = warp; thread < warp + kLanes; ++thread) {
                const std::size_t run = thread / readers, column = thread % readers;
                const std::size_t first = begin + run * run_rows;
                if (run >= runs || column >= columns || first >= end) continue;
                const std::size_t behind = std::min(first + run_rows, end);
                const std::size_t all =
                    kAll ? first + round_down(behind - first, kTogether) : behind;
                for (std::size_t row = first; row < behind; ++row) {
                    requests.add({row >= all, row - (row >= all ? all : first)},
                                 (row * columns + column) * sizeof(T), sizeof(T));
                }
            }
            read += requests.sectors();
        }
    }
    return read;
}

}  // namespace counts
