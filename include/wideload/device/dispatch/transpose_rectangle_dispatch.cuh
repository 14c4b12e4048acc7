// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/scratch.cuh>
#include <wideload/device/dispatch/transpose_blocks_dispatch.cuh>
#include <wideload/device/dispatch/transpose_held_dispatch.cuh>
#include <wideload/device/dispatch/transpose_in_place_dispatch.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>
#include <wideload/tuning/transpose_in_place_tuning.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How a rectangle of rows × columns elements is transposed in place: as a square of `panels` ×
/// `panels` blocks of rows_of_block × columns_of_block elements, with a strip of columns behind the
/// blocks and of rows below them that make no whole block.
///
/// Rows number j * columns_of_block and on of the result, panel j, are the transpose of the columns
/// of that number. They are gathered in scratch memory, which empties the blocks (i, j) below the
/// diagonal, of the same shape as the blocks (j, i) right of it, which lie where the panel belongs:
/// those move there, and the panel takes their place. Later panels find their blocks (i, j) with i
/// < j at (j, i). So every element goes to scratch memory and back, which stays in L2, and half of
/// them move once more: one and a half times the matrix is read and written, where the transpose
/// out of place and the copy back take two times.
///
/// A panel must not reach beyond the rows that are emptied with it, which bounds the columns of a
/// block; so the strip of rows stays where it is until all panels have taken their part of it. The
/// strip of columns, the last rows of the result, waits in scratch memory.
///
/// Panels of elements of 1 to 16 bytes wait in shared memory instead where that holds them: see
/// `HeldGrid`.
struct RectangleGrid {
    std::size_t panels;
    std::size_t rows_of_block, columns_of_block;
    std::size_t strip;  ///< columns behind the blocks

    /// Elements of scratch memory.
    constexpr std::size_t scratch_elements(std::size_t rows) const {
        return (columns_of_block + strip) * rows;
    }
};

/// A grid of `panels` panels, at most as many as there are rows or columns, whose blocks' columns
/// are a multiple of `word` where they are more than that.
constexpr RectangleGrid rectangle_grid_of(std::size_t rows, std::size_t columns, std::size_t panels,
                                          std::size_t word) {
    const std::size_t rows_of_block = rows / panels;
    // rows * columns_of_block <= rows_of_block * columns: a panel fits the rows that it empties.
    std::size_t columns_of_block = rows_of_block * columns / rows;
    if (columns_of_block > word) columns_of_block -= columns_of_block % word;
    return {panels, rows_of_block, columns_of_block, columns - panels * columns_of_block};
}

/// The best grid of `least` to `most` panels of about that size: a panel more costs its launches,
/// as much as half of it, a column in the strip the moving of it. One that takes `enough` bytes of
/// scratch memory at the most, if there is any, else the one that takes the least. `size`: of an
/// element.
constexpr RectangleGrid best_rectangle_grid(std::size_t rows, std::size_t columns, std::size_t size,
                                            const PanelSize& panel, std::size_t least,
                                            std::size_t most, std::size_t word,
                                            std::size_t enough) {
    RectangleGrid best{};
    for (std::size_t panels = least; panels <= most; ++panels) {
        const RectangleGrid grid = rectangle_grid_of(rows, columns, panels, word);
        const auto scratch = [=](const RectangleGrid& of) {
            const std::size_t bytes = of.scratch_elements(rows) * size;
            return bytes > enough ? bytes : enough;
        };
        const auto cost = [=](const RectangleGrid& of) {
            return of.panels * panel.bytes + of.strip * (4 * rows * size);
        };
        const bool less = scratch(grid) < scratch(best);
        if (best.panels == 0 || less || (scratch(grid) == scratch(best) && cost(grid) < cost(best)))
            best = grid;
    }
    return best;
}

/// Longer lines of a matrix that scratch memory has room for, if they are more than a panel.
inline constexpr std::size_t kScratchLines = 64;

/// The best grid whose blocks' columns are whole 16-byte words where the matrix' rows are; if that
/// takes much scratch memory, as all panels together may leave many columns behind, of any blocks.
constexpr RectangleGrid rectangle_grid(std::size_t rows, std::size_t columns, std::size_t size,
                                       const PanelSize& panel) {
    const std::size_t most = (rows < columns ? rows : columns) / panel.block_side;
    std::size_t least = divide_up<std::size_t>(rows * columns * size, panel.bytes);
    if (least > most) least = most;
    if (least <= 1) return {1, rows, columns, 0};
    const std::size_t last = most < 2 * least ? most : 2 * least - 1;
    const std::size_t lines = kScratchLines * (rows < columns ? columns : rows) * size;
    const std::size_t enough = lines < panel.bytes ? panel.bytes : lines;
    const std::size_t word =
        columns * size % kWideBytes == 0
            ? kWideBytes / greatest_common_divisor<std::size_t>(size, kWideBytes)
            : 1;
    const RectangleGrid grid =
        best_rectangle_grid(rows, columns, size, panel, least, last, word, SIZE_MAX);
    if (grid.scratch_elements(rows) * size <= enough) return grid;
    // Larger panels, which L2 holds in part, have fewer rows and columns left behind.
    return best_rectangle_grid(rows, columns, size, panel, least / 2 < 2 ? 2 : least / 2, last, 1,
                               enough);
}

/// Bytes of scratch memory for one matrix.
constexpr std::size_t in_place_scratch_size(std::size_t rows, std::size_t columns, std::size_t size,
                                            const PanelSize& panel = {}) {
    if (rows <= 1 || columns <= 1 || rows == columns) return 0;
    const std::size_t elements = rectangle_grid(rows, columns, size, panel).scratch_elements(rows);
    return divide_up<std::size_t>(elements * size, kWideBytes) * kWideBytes;
}

/// A rectangle of elements of `Units` units, cut into more panels than one. What is read or written
/// for the last time streams past L2, which has the panel to keep.
template <class Unit, int Units>
class RectangleInPlace {
    static constexpr std::size_t kSize = sizeof(Unit) * Units;

public:
    RectangleInPlace(void* data, std::size_t rows, std::size_t columns, const RectangleGrid& grid,
                     void* scratch, cudaStream_t stream)
        : data_(static_cast<Unit*>(data)),
          rows_(rows),
          columns_(columns),
          grid_(grid),
          panel_(static_cast<Unit*>(scratch)),
          strip_(panel_ + grid.columns_of_block * rows * Units),
          stream_(stream) {}

    cudaError_t run() const {
        const std::size_t blocks_columns = columns_ - grid_.strip;
        if (cudaError_t error = launch_transpose_blocks<Unit, Units>(
                {element(0, blocks_columns), strip_, rows_, grid_.strip, columns_, rows_, 0, 0}, 1,
                stream_))
            return error;
        for (std::size_t panel = 0; panel < grid_.panels; ++panel) {
            if (cudaError_t error = gather(panel)) return error;
            if (cudaError_t error = move_blocks(panel)) return error;
            const std::size_t rows = grid_.columns_of_block;
            if (cudaError_t error = dispatch_copy<streaming, streaming>(
                    panel_, data_ + panel * rows * rows_ * Units, rows * rows_, kSize, stream_))
                return error;
        }
        return dispatch_copy<streaming, streaming>(strip_, data_ + blocks_columns * rows_ * Units,
                                                   grid_.strip * rows_, kSize, stream_);
    }

private:
    Unit* element(std::size_t row, std::size_t column) const {
        return data_ + (row * columns_ + column) * Units;
    }
    /// The first element of block (i, j).
    Unit* block(std::size_t i, std::size_t j) const {
        return element(i * grid_.rows_of_block, j * grid_.columns_of_block);
    }

    /// The panel, from the blocks of its column that are still there, the strip of rows below them,
    /// and those blocks that were moved into its row.
    cudaError_t gather(std::size_t panel) const {
        const std::size_t moved_rows = panel * grid_.rows_of_block;
        if (cudaError_t error = launch_transpose_blocks<Unit, Units>(
                {block(panel, panel), panel_ + moved_rows * Units, rows_ - moved_rows,
                 grid_.columns_of_block, columns_, rows_, 0, 0},
                1, stream_))
            return error;
        return launch_transpose_blocks<Unit, Units>(
            {block(panel, 0), panel_, grid_.rows_of_block, grid_.columns_of_block, columns_, rows_,
             grid_.columns_of_block, grid_.rows_of_block},
            panel, stream_);
    }

    /// The blocks right of the diagonal to below it.
    cudaError_t move_blocks(std::size_t panel) const {
        const std::size_t blocks = grid_.panels - 1 - panel;
        if (blocks == 0) return cudaSuccess;
        const std::size_t row_bytes = grid_.columns_of_block * kSize, pitch = columns_ * kSize;
        const std::size_t step = grid_.rows_of_block * pitch;
        const auto* from = reinterpret_cast<const char*>(block(panel, panel + 1));
        auto* to = reinterpret_cast<char*>(block(panel + 1, panel));
        const bool wide =
            is_aligned(data_, kWideBytes) && row_bytes % kWideBytes == 0 && pitch % kWideBytes == 0;
        const auto move = wide ? launch_move_blocks<uint4> : launch_move_blocks<Unit>;
        return move(from, to, grid_.rows_of_block, row_bytes, pitch, row_bytes, step, blocks,
                    stream_);
    }

    Unit* data_;
    std::size_t rows_, columns_;
    RectangleGrid grid_;
    Unit* panel_;
    Unit* strip_;
    cudaStream_t stream_;
};

/// Such rectangles, one behind the other.
template <class Unit, int Units>
cudaError_t transpose_in_panels(void* data, std::size_t rows, std::size_t columns,
                                std::size_t batch, const RectangleGrid& grid, void* scratch,
                                cudaStream_t stream) {
    auto* first = static_cast<Unit*>(data);
    for (std::size_t matrix = 0; matrix < batch; ++matrix, first += rows * columns * Units) {
        const RectangleInPlace<Unit, Units> rectangle(first, rows, columns, grid, scratch, stream);
        if (cudaError_t error = rectangle.run()) return error;
    }
    return cudaSuccess;
}

/// Matrices of which a block's shared memory holds at least one: the copy of it that is wide on
/// both sides, where it holds two.
template <class Unit, int Units>
cudaError_t transpose_matrices_on_chip(void* data, std::size_t rows, std::size_t columns,
                                       std::size_t batch, std::size_t on_chip_bytes,
                                       cudaStream_t stream) {
    const std::size_t bytes = rows * columns * sizeof(Unit) * Units;
    const bool twice = holds_two_copies(bytes, on_chip_bytes);
    if (bytes <= tuning::kMostSmallTransposeBytes && twice)
        return dispatch_transpose_small<static_cast<int>(sizeof(Unit)) * Units>(
            data, data, rows, columns, batch, stream);
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const auto launch_items = twice ? launch_transpose_small<SmallElement<Unit, Units>, false>
                                    : launch_transpose_small<SmallElement<Unit, Units>, true>;
    return launch_items(data, data, rows, columns, batch, bytes, stream, device);
}

/// Matrices that fit the scratch memory, as many at a time as it holds: out of place and back.
template <int Size>
cudaError_t transpose_and_copy_back(void* data, std::size_t rows, std::size_t columns,
                                    std::size_t batch, void* scratch, std::size_t scratch_bytes,
                                    cudaStream_t stream) {
    const std::size_t elements = rows * columns, together = scratch_bytes / (elements * Size);
    auto* matrix = static_cast<char*>(data);
    for (std::size_t first = 0; first < batch; first += together) {
        const std::size_t matrices = batch - first < together ? batch - first : together;
        if (cudaError_t error =
                dispatch_transpose<Size>(matrix, scratch, rows, columns, matrices, stream))
            return error;
        if (cudaError_t error = dispatch_copy(scratch, matrix, matrices * elements, Size, stream))
            return error;
        matrix += matrices * elements * Size;
    }
    return cudaSuccess;
}

template <int Size>
cudaError_t transpose_through_scratch(void* data, std::size_t rows, std::size_t columns,
                                      std::size_t batch, const PanelSize& panel, void* scratch,
                                      std::size_t scratch_bytes, cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    using Unit = access_word_t<kUnit>;
    if constexpr (kUnit == Size) {
        bool done = false;
        const cudaError_t error = dispatch_transpose_held<Unit>(
            data, rows, columns, batch, panel, scratch, scratch_bytes, stream, &done);
        if (done || error != cudaSuccess) return error;
    }
    const RectangleGrid grid = rectangle_grid(rows, columns, Size, panel);
    if (grid.panels == 1)
        return transpose_and_copy_back<Size>(data, rows, columns, batch, scratch, scratch_bytes,
                                             stream);
    const auto transpose = is_aligned(data, kUnit) ? transpose_in_panels<Unit, Size / kUnit>
                                                   : transpose_in_panels<std::uint8_t, Size>;
    return transpose(data, rows, columns, batch, grid, scratch, stream);
}

/// Matrices of rows × columns elements, `batch` of them, whose bounds are checked. `on_chip_bytes`
/// of shared memory a block.
template <int Size>
cudaError_t dispatch_transpose_rectangle(void* data, std::size_t rows, std::size_t columns,
                                         std::size_t batch, std::size_t on_chip_bytes,
                                         const PanelSize& panel, const Scratch& scratch,
                                         cudaStream_t stream) {
    if (rows == 1 || columns == 1) return cudaSuccess;
    if (rows == columns) return dispatch_transpose_square<Size>(data, rows, batch, stream);
    const std::size_t elements = rows * columns;
    // One large matrix would leave all SMs but one idle.
    if (elements <= on_chip_bytes / Size &&
        staged_copy_bytes(elements * Size, false) <= on_chip_bytes &&
        (elements <= tuning::kInPlaceLoneElements || batch >= tuning::kInPlaceManyMatrices)) {
        constexpr int kUnit = access_width(Size, kWideBytes);
        const auto transpose = is_aligned(data, kUnit)
                                   ? transpose_matrices_on_chip<access_word_t<kUnit>, Size / kUnit>
                                   : transpose_matrices_on_chip<std::uint8_t, Size>;
        return transpose(data, rows, columns, batch, on_chip_bytes, stream);
    }
    std::size_t scratch_bytes = scratch.bytes;
    if (scratch.own) {
        // Several matrices at a time where they are small.
        const std::size_t bytes = elements * Size;
        std::size_t together = bytes < panel.bytes ? panel.bytes / bytes : 1;
        if (together > batch) together = batch;
        scratch_bytes *= together;
    }
    return with_scratch(scratch, scratch_bytes, stream, [&](void* memory) {
        return transpose_through_scratch<Size>(data, rows, columns, batch, panel, memory,
                                               scratch_bytes, stream);
    });
}

}  // namespace wideload::WIDELOAD_DETAIL
