// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_rectangle_dispatch.cuh>

#include "copy_sectors.cuh"
#include "transpose_sectors.cuh"

#include <set>

/// What the transpose of a rectangle in place moves, panel by panel, as
/// device/dispatch/transpose_rectangle_dispatch.cuh describes.
namespace counts {

/// Rows of a matrix, so many bytes each, a pitch apart.
struct PitchedRows {
    std::size_t begin, rows, bytes, pitch;

    /// Each by requests of so many bytes.
    std::size_t by_requests(std::size_t request) const {
        std::size_t sum = 0;
        for (std::size_t row = 0; row < rows; ++row)
            sum += sectors_by_requests(begin + row * pitch, begin + row * pitch + bytes, request);
        return sum;
    }
};

/// Of a matrix that starts at a line, as does the scratch memory.
template <int UnitBytes, int Units>
class RectanglePanels {
    using Tile = wideload::tuning::RectangleTile<UnitBytes, Units>;
    static constexpr std::size_t kSize = std::size_t{UnitBytes} * Units;

public:
    RectanglePanels(std::size_t rows, std::size_t columns,
                    const wideload::detail::RectangleGrid& grid)
        : rows_(rows), columns_(columns), grid_(grid) {}

    Moved moved() const {
        const std::size_t strip = grid_.columns_of_block * rows_;
        Moved sum = strip_moved(strip);
        for (std::size_t panel = 0; panel < grid_.panels; ++panel)
            sum =
                sum + panel_gathered(panel) + panel_moved(panel) + copied(0, panel * strip, strip);
        return sum;
    }
    /// The columns behind the blocks, to scratch memory behind so many elements and back.
    Moved strip_moved(std::size_t place) const {
        const std::size_t in_blocks = columns_ - grid_.strip;
        return gathered(at(0, in_blocks), rows_, grid_.strip, place * kSize) +
               copied(place, in_blocks * rows_, grid_.strip * rows_);
    }

private:
    std::size_t at(std::size_t row, std::size_t column) const {
        return (row * columns_ + column) * kSize;
    }
    std::size_t block(std::size_t i, std::size_t j) const {
        return at(i * grid_.rows_of_block, j * grid_.columns_of_block);
    }

    /// rows × columns elements at `from`, transposed to `to` in scratch memory: warps along rows,
    /// of tiles that are sheared where elements are one unit.
    Moved gathered(std::size_t from, std::size_t rows, std::size_t columns, std::size_t to) const {
        if (columns == 0) return {};
        const PitchedRows written{to, columns, rows * kSize, rows_ * kSize};
        if constexpr (Tile::kBoundary == 1) {
            static_assert(Tile::kWidth * Units % kLanes == 0, "a tile's rows are whole requests");
            constexpr std::size_t kRequest = kLanes * UnitBytes;
            return {
                PitchedRows{from, rows, columns * kSize, columns_ * kSize}.by_requests(kRequest),
                written.by_requests(kRequest)};
        } else {
            const auto read = [&](std::size_t, std::size_t row, std::size_t column) {
                const std::size_t begin = from + row * columns_ * kSize;
                const std::size_t end = std::min<std::size_t>(column + Tile::kHeight, columns);
                return sectors_by_requests(begin + column * kSize, begin + end * kSize,
                                           kLanes * UnitBytes);
            };
            return {sectors_of_sheared_tiles({rows, columns, kSize, 0}, Tile::kWidth, Tile::kHeight,
                                             Tile::kBoundary / kSize - 1, read),
                    written.by_requests(rows * kSize)};
        }
    }
    Moved panel_gathered(std::size_t panel) const {
        const std::size_t before = panel * grid_.rows_of_block;
        Moved sum =
            gathered(block(panel, panel), rows_ - before, grid_.columns_of_block, before * kSize);
        for (std::size_t i = 0; i < panel; ++i) {
            sum = sum + gathered(block(panel, i), grid_.rows_of_block, grid_.columns_of_block,
                                 i * grid_.rows_of_block * kSize);
        }
        return sum;
    }
    /// Blocks that change places, by words where rows and their parts are such.
    Moved panel_moved(std::size_t panel) const {
        const std::size_t bytes = grid_.columns_of_block * kSize, pitch = columns_ * kSize;
        const std::size_t unit =
            bytes % kWordBytes == 0 && pitch % kWordBytes == 0 ? kWordBytes : UnitBytes;
        Moved sum;
        for (std::size_t i = panel + 1; i < grid_.panels; ++i) {
            const PitchedRows from{block(panel, i), grid_.rows_of_block, bytes, pitch};
            const PitchedRows to{block(i, panel), grid_.rows_of_block, bytes, pitch};
            sum = sum + Moved{from.by_requests(kLanes * unit), to.by_requests(kLanes * unit)};
        }
        return sum;
    }
    /// Elements from scratch memory.
    static Moved copied(std::size_t from, std::size_t to, std::size_t count) {
        if (count == 0) return {};
        return CopiedBytes(count * kSize, from * kSize, to * kSize).moved();
    }

    std::size_t rows_, columns_;
    wideload::detail::RectangleGrid grid_;
};

/// What the transpose of a rectangle in place moves whose panels are held in shared memory, of a
/// matrix that starts at a line. Every request takes each row's part in it apart.
template <class Pieces>
class HeldRectangle {
    static constexpr std::size_t kSize = sizeof(typename Pieces::value_type);

public:
    HeldRectangle(std::size_t rows, std::size_t columns, const wideload::detail::HeldGrid& grid)
        : rows_(rows), columns_(columns), grid_(grid) {}

    Moved moved() const {
        const RectanglePanels<kSize, 1> panels(
            rows_, columns_,
            {grid_.panels, grid_.rows_of_block, grid_.columns_of_block, grid_.strip});
        Moved sum = panels.strip_moved(0);
        for (std::size_t step = 0; step < grid_.panels; ++step)
            sum = sum + panel_moved(step) + blocks_moved(step);
        return sum;
    }

private:
    std::size_t at(std::size_t row, std::size_t column) const {
        return (row * columns_ + column) * kSize;
    }

    /// Words number [first, last) of those that hold a row of so many bytes, by one request. The
    /// matrix' own last one goes by runs if it is not whole, or by elements if those are too narrow
    /// to be copied asynchronously.
    std::size_t words_of(std::size_t begin, std::size_t bytes, std::size_t first,
                         std::size_t last) const {
        const std::size_t word = round_down(begin, kWordBytes);
        const std::size_t end =
            std::min(round_up(begin + bytes, kWordBytes), word + last * kWordBytes);
        const std::size_t from = word + first * kWordBytes, all = at(rows_, 0);
        if (from >= end) return 0;
        const std::size_t whole = std::min(end, round_down(all, kWordBytes));
        constexpr std::size_t kRunBytes = Pieces::kRun * kSize;
        const std::size_t runs = end > all ? (begin + bytes - std::max(whole, begin)) /
                                                 (kRunBytes < 4 ? kSize : kRunBytes)
                                           : 0;
        return (from < whole ? sectors_by_requests(from, whole, whole - from) : 0) + runs;
    }

    /// Tiles' rows, from wherever they are by then, and their columns.
    Moved panel_moved(std::size_t step) const {
        Moved sum;
        const std::size_t width = grid_.columns_of_block;
        for (std::size_t column = 0; column < width; column += Pieces::kTileColumns) {
            const std::size_t tile = std::min<std::size_t>(Pieces::kTileColumns, width - column);
            for (std::size_t row = 0; row < rows_; ++row) {
                const std::size_t block = row / grid_.rows_of_block;
                const bool moved = block + 1 < step;
                const std::size_t begin =
                    moved ? at(row + (step - block) * grid_.rows_of_block, block * width + column)
                          : at(row, step * width + column);
                sum.read += words_of(begin, tile * kSize, 0, Pieces::kTileWords);
            }
            for (std::size_t i = column; i < column + tile; ++i) {
                const std::size_t line = (step * width + i) * rows_ * kSize;
                for (std::size_t row = 0; row < rows_; row += Pieces::kLineRows) {
                    const std::size_t end = std::min<std::size_t>(row + Pieces::kLineRows, rows_);
                    sum.written += line_written(line + row * kSize, line + end * kSize);
                }
            }
        }
        return sum;
    }

    /// What lies along a line of the output, by one request, but for the edges of such as begin
    /// within a unit.
    static std::size_t line_written(std::size_t begin, std::size_t end) {
        constexpr std::size_t kUnit = Pieces::kLineUnit * kSize;
        if (Pieces::kLineUnit == 1 || kUnit == kWordBytes)
            return sectors_by_requests(begin, end, kLanes * kUnit);
        if (end - begin == Pieces::kLineRows * kSize) return units_written(begin, end, kUnit);
        // Each element of all units by one request, those of the last lane from the beginning.
        std::size_t sum = 0;
        for (std::size_t k = 0; k < kUnit; k += kSize) {
            std::set<std::size_t> written;
            for (std::size_t unit = round_up(begin, kUnit);
                 unit < begin + Pieces::kLineRows * kSize; unit += kUnit) {
                const std::size_t wrapped =
                    begin + (unit + k - begin) % (Pieces::kLineRows * kSize);
                if (wrapped < end) written.insert(wrapped / kSectorBytes);
            }
            sum += written.size();
        }
        return sum;
    }
    /// The whole units of a range by a warp, and what is left on both sides by a request.
    static std::size_t units_written(std::size_t begin, std::size_t end, std::size_t unit) {
        const std::size_t first = round_up(begin, unit), last = round_down(end, unit);
        const std::size_t edges = (first != begin) + (last != end);
        return sectors_by_requests(first, last, kLanes * unit) + edges;
    }

    /// Warps read words of whole rows of a block, one row behind the other. They write the same
    /// words, or each units of one row.
    Moved blocks_moved(std::size_t step) const {
        Moved sum;
        const std::size_t bytes = grid_.columns_of_block * kSize;
        for (std::size_t block = step + 2; block < grid_.panels; ++block) {
            for (std::size_t row = 0; row < grid_.rows_of_block; ++row) {
                const std::size_t from =
                    at(step * grid_.rows_of_block + row, block * grid_.columns_of_block);
                const std::size_t to =
                    at(block * grid_.rows_of_block + row, step * grid_.columns_of_block);
                const std::size_t begin = row % grid_.move_rows * grid_.words_of_row;
                for (std::size_t first = 0; first < grid_.words_of_row;) {
                    const std::size_t last =
                        std::min(first + kLanes - (begin + first) % kLanes, grid_.words_of_row);
                    sum.read += words_of(from, bytes, first, last);
                    if (Pieces::kLineUnit == Pieces::kPerWord)
                        sum.written += words_of(to, bytes, first, last);
                    first = last;
                }
                if (Pieces::kLineUnit != Pieces::kPerWord)
                    sum.written += units_written(to, to + bytes, Pieces::kColumnUnit * kSize);
            }
        }
        return sum;
    }

    std::size_t rows_, columns_;
    wideload::detail::HeldGrid grid_;
};

}  // namespace counts
