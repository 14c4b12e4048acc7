// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/transpose.cuh>

#include "case.cuh"
#include "packed_sectors.cuh"
#include "rectangle_sectors.cuh"
#include "transpose_sectors.cuh"

/// transpose in place, of squares and of rectangles.
namespace counts {

template <int Size>
void transpose_square(std::size_t size, std::size_t batch, std::size_t offset) {
    const Matrix matrix{size, size, Size, offset};
    Memory data(matrix.bytes() * batch, offset);
    Case c("transpose in place of " + std::to_string(batch) + " × " + std::to_string(size) +
           "² elements of " + std::to_string(Size) + " bytes, " + std::to_string(offset) +
           " past a line");
    if (matrix.row_bytes() % kSectorBytes == 0 && offset % kSectorBytes == 0) {
        c.whole("global_ld", sectors(matrix.bytes() * batch));
        c.whole("global_st", sectors(matrix.bytes() * batch));
    } else {
        // Structs move by units, on both sides by warps along the same rows; so do elements of
        // small squares.
        constexpr std::size_t kUnit = wideload::lowest_power_of_two(Size);
        const std::size_t side =
            kUnit == Size ? kLanes : wideload::detail::struct_pairs_side<Size>(size, batch);
        const std::size_t each =
            Matrix{size * batch, size, Size, offset}.by_parts(side, kLanes * kUnit);
        c.runs_exactly("global_ld", each).runs_exactly("global_st", each);
    }
    c.run([&] { return wideload::transpose_square_in_place(data.as<Blob<Size>>(), size, batch); });
}

/// Squares of 4- or 8-byte elements by the tiles of large ones.
template <int Size, class Tuned = wideload::tuning::RotatedInPlaceTile<Size>>
void transpose_square_rotated(std::size_t size, std::size_t offset) {
    using T = wideload::detail::access_word_t<Size>;
    const Matrix matrix{size, size, Size, offset};
    const Moved moved = move_rotated_in_place<T, Tuned>(matrix);
    Memory data(matrix.bytes(), offset);
    Case("rotated tiles in place of " + std::to_string(size) + "² elements of " +
         std::to_string(Size) + " bytes, " + std::to_string(offset) + " past a line")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::detail::launch_in_place_rotated_with<Tuned>(data.as<T>(), size, 1,
                                                                         nullptr);
        });
}

/// Elements of 1 or 2 bytes in place by words of 4 bytes.
template <int Size, class Tuned>
void transpose_square_packed(std::size_t size, std::size_t offset) {
    using T = wideload::detail::access_word_t<Size>;
    const Matrix matrix{size, size, Size, offset};
    const Moved moved = move_packed_by<T, Tuned, false>(matrix);
    Memory data(matrix.bytes(), offset);
    Case("packed tiles in place of " + std::to_string(size) + "² elements of " +
         std::to_string(Size) + " bytes, " + std::to_string(offset) + " past a line")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::detail::launch_in_place_packed_with<Tuned>(data.as<T>(), size, 1,
                                                                        nullptr);
        });
}

template <int Size>
void transpose_squares_packed() {
    using Small = typename wideload::tuning::PackedTiles<Size>::Small;
    transpose_square_packed<Size, Small>(181, 0);
    transpose_square_packed<Size, Small>(127, 2);
    transpose_square_packed<Size, wideload::tuning::PackedInPlaceTile>(255, 4);
    transpose_square_packed<Size, wideload::tuning::PackedInPlaceTile>(311, 6);
}

inline std::string rectangle_name(std::size_t rows, std::size_t columns, std::size_t size) {
    return "transpose in place of " + std::to_string(rows) + " × " + std::to_string(columns) +
           " elements of " + std::to_string(size) + " bytes";
}

/// A rectangle in place: out of place and copied back, its rows and columns being whole words.
template <int Size>
void transpose_rectangle(std::size_t rows, std::size_t columns) {
    Memory data(rows * columns * Size);
    Case(rectangle_name(rows, columns, Size))
        .whole("global_ld", 2 * sectors(rows * columns * Size))
        .whole("global_st", 2 * sectors(rows * columns * Size))
        .run([&] { return wideload::transpose_in_place(data.as<Blob<Size>>(), rows, columns); });
}

/// The same in panels of about so many bytes.
template <int Size>
void transpose_rectangle_in_panels(std::size_t rows, std::size_t columns, std::size_t bytes) {
    constexpr int kUnit = wideload::lowest_power_of_two(Size);
    const wideload::detail::PanelSize panel{bytes, 1, 0};
    const auto grid = wideload::detail::rectangle_grid(rows, columns, Size, panel);
    const Moved moved = RectanglePanels<kUnit, Size / kUnit>(rows, columns, grid).moved();
    const std::size_t scratch_bytes =
        wideload::detail::in_place_scratch_size(rows, columns, Size, panel);
    Memory data(rows * columns * Size), scratch(scratch_bytes);
    Case(rectangle_name(rows, columns, Size) + ", " + std::to_string(grid.panels) + " panels")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::detail::dispatch_transpose_rectangle<Size>(
                data.as<void>(), rows, columns, 1, 0, panel,
                {scratch.as<void>(), scratch_bytes, false}, nullptr);
        });
}

/// In at least so many panels, which so many thread blocks hold in shared memory. Each of those
/// counts itself twice a step.
template <class Pieces>
void transpose_rectangle_held(std::size_t rows, std::size_t columns, std::size_t panels,
                              std::size_t blocks) {
    constexpr int kSize = sizeof(typename Pieces::value_type);
    const wideload::detail::PanelSize panel{rows * columns * kSize / panels + 1, 1, blocks};
    const auto grid = wideload::detail::held_grid<Pieces>(rows, columns, panel.bytes, blocks);
    const Moved moved = HeldRectangle<Pieces>(rows, columns, grid).moved();
    const std::size_t scratch_bytes = grid.scratch_bytes(rows, kSize);
    Memory data(rows * columns * kSize), scratch(scratch_bytes);
    Case(rectangle_name(rows, columns, kSize) + ", " + std::to_string(grid.panels) +
         " panels held by " + std::to_string(blocks) + " blocks")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .exactly("global_red", 2 * grid.panels * blocks)
        .run([&] {
            return wideload::detail::dispatch_transpose_rectangle<kSize>(
                data.as<void>(), rows, columns, 1, 0, panel,
                {scratch.as<void>(), scratch_bytes, false}, nullptr);
        });
}

inline void transpose_rectangles_held() {
    using wideload::detail::HeldElements;
    using wideload::detail::HeldWords;
    transpose_rectangle_held<HeldWords<std::uint8_t>>(256, 512, 2, 20);
    transpose_rectangle_held<HeldWords<std::uint8_t>>(400, 2416, 12, 9);
    transpose_rectangle_held<HeldWords<std::uint16_t>>(256, 512, 2, 20);
    transpose_rectangle_held<HeldWords<std::uint16_t>>(328, 1384, 12, 9);
    transpose_rectangle_held<HeldWords<std::uint32_t>>(256, 384, 2, 30);
    transpose_rectangle_held<HeldWords<std::uint32_t>>(244, 516, 5, 9);
    transpose_rectangle_held<HeldWords<std::uint32_t>>(192, 384, 12, 5);
    transpose_rectangle_held<HeldWords<uint2>>(258, 130, 4, 17);
    transpose_rectangle_held<HeldWords<uint2>>(324, 334, 20, 9);
    transpose_rectangle_held<HeldWords<uint4>>(131, 173, 10, 24);
    transpose_rectangle_held<HeldElements<std::uint8_t, 1>>(259, 515, 2, 20);
    transpose_rectangle_held<HeldElements<std::uint8_t, 1>>(401, 2413, 12, 9);
    transpose_rectangle_held<HeldElements<std::uint8_t, 2>>(518, 514, 3, 20);
    transpose_rectangle_held<HeldElements<std::uint8_t, 4>>(387, 772, 3, 20);
    transpose_rectangle_held<HeldElements<std::uint8_t, 16>>(387, 784, 3, 20);
    transpose_rectangle_held<HeldElements<std::uint16_t, 1>>(259, 515, 3, 20);
    transpose_rectangle_held<HeldElements<std::uint16_t, 1>>(328, 1383, 12, 9);
    transpose_rectangle_held<HeldElements<std::uint16_t, 2>>(301, 614, 4, 20);
    transpose_rectangle_held<HeldElements<std::uint16_t, 8>>(301, 616, 4, 20);
    transpose_rectangle_held<HeldElements<std::uint32_t, 1>>(256, 385, 2, 30);
    transpose_rectangle_held<HeldElements<std::uint32_t, 1>>(243, 515, 5, 19);
    transpose_rectangle_held<HeldElements<std::uint32_t, 1>>(192, 389, 12, 9);
    transpose_rectangle_held<HeldElements<std::uint32_t, 2>>(243, 514, 5, 19);
    transpose_rectangle_held<HeldElements<std::uint32_t, 4>>(243, 516, 5, 19);
    transpose_rectangle_held<HeldElements<uint2, 1>>(259, 131, 4, 17);
    transpose_rectangle_held<HeldElements<uint2, 1>>(325, 377, 20, 19);
    transpose_rectangle_held<HeldElements<uint2, 2>>(259, 134, 4, 17);
}

inline void in_place_transposes() {
    transpose_square<1>(256, 1, 0);
    transpose_square<2>(128, 2, 0);
    transpose_square<4>(256, 1, 0);
    transpose_square<8>(128, 1, 0);
    transpose_square<16>(64, 1, 0);
    transpose_square<12>(64, 1, 0);
    transpose_square<4>(255, 1, 0);
    transpose_square<8>(127, 1, 0);
    transpose_square<4>(128, 1, 4);
    transpose_square<1>(95, 1, 1);
    transpose_square<2>(127, 1, 2);
    transpose_squares_packed<1>();
    transpose_squares_packed<2>();
    transpose_square_rotated<4>(255, 0);
    transpose_square_rotated<4>(128, 4);
    transpose_square_rotated<4, wideload::tuning::LargeRotatedInPlaceTile>(511, 8);
    transpose_square_rotated<8>(127, 0);
    transpose_square<12>(63, 2, 0);
    transpose_square<3>(64, 1, 0);

    transpose_rectangle<4>(256, 384);
    transpose_rectangle<8>(128, 192);
    transpose_rectangle<1>(512, 768);
    transpose_rectangle_in_panels<4>(256, 384, 256 * 384);
    transpose_rectangle_in_panels<4>(384, 256, 256 * 384);
    transpose_rectangle_in_panels<4>(255, 1024, 300000);
    transpose_rectangle_in_panels<4>(331, 257, 100000);
    transpose_rectangle_in_panels<8>(128, 192, 60000);
    transpose_rectangle_in_panels<8>(129, 193, 60000);
    transpose_rectangle_in_panels<12>(96, 160, 50000);
    transpose_rectangle_in_panels<1>(510, 768, 100000);
    transpose_rectangle_in_panels<2>(256, 500, 50000);
    transpose_rectangles_held();
}

}  // namespace counts
