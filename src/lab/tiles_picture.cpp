// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/figures.h"
#include "lab/picture.h"
#include "report/svg.h"

namespace wideload::lab {
namespace {

namespace svg = report::svg;

constexpr double kSide = 240, kGap = 36, kTilesTop = 24, kCaption = 30;
constexpr double kMostLines = 32;  // finer grids would be one grey area
constexpr const char* kOutline = R"(fill="none" stroke="#555")";
constexpr const char* kPanel = R"(fill="#dbe9f6")";
constexpr const char* kLoaded = R"(fill="#4a90d9")";
constexpr const char* kWritten = R"(fill="#e0893a")";

/// A square matrix where it is drawn.
struct Matrix {
    double left = 0, top = 0;
    double elements = 1;  ///< along a side

    [[nodiscard]] double place(double element) const { return element / elements * kSide; }
    [[nodiscard]] svg::Box box(double row, double column, double rows, double columns) const {
        const double right = std::min(column + columns, elements);
        const double bottom = std::min(row + rows, elements);
        return {left + place(column), top + place(row), place(right - column), place(bottom - row)};
    }
    /// Its outline, name, and a grid of tiles.
    [[nodiscard]] std::string draw(const std::string& name, double tile) const {
        std::string content;
        if (elements / tile <= kMostLines) {
            for (double at = tile; at < elements; at += tile) {
                content += svg::line(left + place(at), top, left + place(at), top + kSide,
                                     R"(stroke="#ccc")") +
                           svg::line(left, top + place(at), left + kSide, top + place(at),
                                     R"(stroke="#ccc")");
            }
        }
        return content + svg::rectangle({left, top, kSide, kSide}, kOutline) +
               svg::text(left + kSide / 2, top - 6, name, 13);
    }
};

std::string finished(double width, double height, std::string content, const std::string& caption) {
    content += svg::text(width / 2, height + 18, caption, 13);
    return svg::drawing(width, height + kCaption, content, caption);
}

/// A row of the tile where the block reads it, and where that row of the other side comes from.
std::string transpose_tiles(const Tiling& tiling) {
    const double tile = tiling.tile;
    const Matrix in{kGap, kTilesTop, tiling.side}, out{3 * kGap + kSide, kTilesTop, tiling.side};
    const double row = 0, column = std::min(tile, std::max(tiling.side - tile, 0.0));
    const double line = std::max(tile / 8, tiling.side / kSide * 3);  // visible at any size
    std::string content = svg::rectangle(in.box(row, column, tile, tile), kPanel) +
                          svg::rectangle(in.box(row, column, line, tile), kLoaded) +
                          svg::rectangle(out.box(column, row, tile, tile), kPanel) +
                          svg::rectangle(out.box(column, row, line, tile), kWritten) +
                          in.draw("input, read by rows", tile) +
                          out.draw("output, written by rows", tile);
    const double arrow = kTilesTop + kSide / 2;
    content += svg::line(in.left + kSide + 8, arrow, out.left - 8, arrow,
                         R"(stroke="#555" stroke-width="2")");
    const std::array<svg::Place, 3> head = {
        {{out.left - 14, arrow - 5}, {out.left - 8, arrow}, {out.left - 14, arrow + 5}}};
    content += svg::path(head, R"(stroke="#555" stroke-width="2")");
    return finished(
        out.left + kSide + kGap, kTilesTop + kSide, std::move(content),
        fmt::format("a block reads {0} × {0} by rows and writes the mirrored tile by rows",
                    figure(tile)));
}

/// C below B and beside A, so that what a tile of C needs lies in its row and its column.
std::string product_tiles(const Tiling& tiling) {
    const double tile = tiling.tile, depth = tiling.depth, n = tiling.side;
    const double tiles = std::ceil(n / tile);
    const double row = std::floor(tiles / 2) * tile, column = std::floor(tiles / 2) * tile;
    const double step = std::floor(n / depth / 3) * depth;  // one of those along k
    const Matrix b{2 * kGap + kSide, kTilesTop, n};
    const Matrix a{kGap, kTilesTop + kSide + kGap, n}, c{b.left, a.top, n};
    std::string content = svg::rectangle(a.box(row, 0, tile, n), kPanel) +
                          svg::rectangle(b.box(0, column, n, tile), kPanel) +
                          svg::rectangle(a.box(row, step, tile, depth), kLoaded) +
                          svg::rectangle(b.box(step, column, depth, tile), kLoaded) +
                          svg::rectangle(c.box(row, column, tile, tile), kWritten);
    content += a.draw("A", tile) + b.draw("B", tile) + c.draw("C", tile);
    return finished(
        c.left + kSide + kGap, c.top + kSide, std::move(content),
        fmt::format("{0} × {0} of C: {1} steps of {0} × {2} of A and {2} × {0} of B, each word "
                    "used {0} times",
                    figure(tile), figure(std::ceil(n / depth)), figure(depth)));
}

}  // namespace

std::string tiles_picture(const Tiling& tiling) {
    return tiling.depth > 0 ? product_tiles(tiling) : transpose_tiles(tiling);
}

}  // namespace wideload::lab
