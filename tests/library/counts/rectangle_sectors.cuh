// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_rectangle_dispatch.cuh>

#include "copy_sectors.cuh"
#include "transpose_sectors.cuh"

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
        const std::size_t in_blocks = columns_ - grid_.strip;
        const std::size_t strip = grid_.columns_of_block * rows_;
        Moved sum = gathered(at(0, in_blocks), rows_, grid_.strip, strip * kSize);
        for (std::size_t panel = 0; panel < grid_.panels; ++panel)
            sum =
                sum + panel_gathered(panel) + panel_moved(panel) + copied(0, panel * strip, strip);
        return sum + copied(strip, in_blocks * rows_, grid_.strip * rows_);
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
                                             Tile::kBoundary, read),
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

}  // namespace counts
