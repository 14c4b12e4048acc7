// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/dispatch/copy_dispatch.cuh>
#include <wideload/device/dispatch/transpose_blocks_dispatch.cuh>
#include <wideload/device/kernel/transpose_held_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How a rectangle is cut whose panels are held in shared memory (transpose_held_kernel.cuh): into
/// panels as `RectangleGrid` has them, whose blocks' rows are whole words, and these into pieces.
struct HeldGrid {
    std::size_t panels = 0;  ///< 0: it cannot be
    std::size_t rows_of_block, columns_of_block;
    std::size_t strip;  ///< columns behind the blocks
    std::size_t tiles_across, panel_tiles;
    std::size_t words_of_row, move_rows, moves_of_block;
    std::size_t thread_blocks;

    /// Whole words, behind which the counters are aligned.
    constexpr std::size_t strip_bytes(std::size_t rows, std::size_t size) const {
        return divide_up<std::size_t>(strip * rows * size, kWideBytes) * kWideBytes;
    }
    /// The strip, and two counters for each step.
    constexpr std::size_t scratch_bytes(std::size_t rows, std::size_t size) const {
        return strip_bytes(rows, size) + panels * 2 * sizeof(unsigned);
    }
    /// What the first step takes, which has most.
    constexpr std::size_t most_pieces() const {
        return panel_tiles + (panels - 2) * moves_of_block;
    }
};

/// A grid of `panels` panels, two at least; none where a row of its blocks is more than a slot, or
/// where they are too small: of fewer bytes a row than `row_bytes`.
template <class Pieces>
constexpr HeldGrid held_grid_of(std::size_t rows, std::size_t columns, std::size_t panels,
                                std::size_t row_bytes) {
    constexpr std::size_t kPerWord = Pieces::kPerWord, kUnit = Pieces::kColumnUnit;
    constexpr std::size_t kWords = kHeldSlotWords;
    HeldGrid grid{};
    grid.rows_of_block = rows / panels / kPerWord * kPerWord;
    grid.columns_of_block = grid.rows_of_block * columns / rows / kUnit * kUnit;
    grid.words_of_row = Pieces::words_of_row(grid.columns_of_block);
    if (grid.rows_of_block < tuning::kHeldLeastRows || grid.words_of_row > kWords ||
        grid.columns_of_block * sizeof(typename Pieces::value_type) < row_bytes)
        return grid;
    grid.panels = panels;
    grid.strip = columns - panels * grid.columns_of_block;
    grid.tiles_across = divide_up<std::size_t>(grid.columns_of_block, Pieces::kTileColumns);
    grid.panel_tiles = divide_up<std::size_t>(rows, Pieces::kTileRows) * grid.tiles_across;
    grid.moves_of_block = divide_up(grid.rows_of_block, kWords / grid.words_of_row);
    grid.move_rows = divide_up(grid.rows_of_block, grid.moves_of_block);
    return grid;
}

/// The best grid whose steps fit the slots of so many thread blocks, whose panels are of about
/// `panel_bytes` bytes at most, and whose blocks have so many bytes a row at least.
template <class Pieces>
constexpr HeldGrid held_grid_of_rows(std::size_t rows, std::size_t columns, std::size_t panel_bytes,
                                     std::size_t thread_blocks, std::size_t row_bytes) {
    constexpr std::size_t kSize = sizeof(typename Pieces::value_type);
    const std::size_t slots = thread_blocks * tuning::kHeldSlots;
    HeldGrid best{};
    if (slots == 0 || rows > INT32_MAX || columns > INT32_MAX) return best;
    const std::size_t held = slots * kHeldSlotWords * kWideBytes;
    const std::size_t least =
        divide_up<std::size_t>(rows * columns * kSize, held < panel_bytes ? held : panel_bytes);
    const auto cost = [=](const HeldGrid& grid) {
        return grid.panels * tuning::kHeldStepBytes +
               (grid.strip != 0 ? tuning::kHeldStripBytes : 0) + 4 * grid.strip_bytes(rows, kSize);
    };
    std::size_t most = rows / tuning::kHeldLeastRows;
    for (std::size_t panels = least < 2 ? 2 : least; panels <= most; ++panels) {
        const HeldGrid grid = held_grid_of<Pieces>(rows, columns, panels, row_bytes);
        if (grid.panels == 0) {
            if (grid.words_of_row <= kHeldSlotWords) break;  // more make them smaller
            continue;
        }
        if (grid.most_pieces() > slots) continue;
        if (best.panels == 0) most = panels * 2 < most ? panels * 2 : most;
        if (best.panels == 0 || cost(grid) < cost(best)) best = grid;
    }
    best.thread_blocks = thread_blocks;
    return best;
}

/// Of lines at least, or else of less.
template <class Pieces>
constexpr HeldGrid held_grid(std::size_t rows, std::size_t columns, std::size_t panel_bytes,
                             std::size_t thread_blocks) {
    const HeldGrid grid =
        held_grid_of_rows<Pieces>(rows, columns, panel_bytes, thread_blocks, kLineBytes);
    return grid.panels != 0 ? grid
                            : held_grid_of_rows<Pieces>(rows, columns, panel_bytes, thread_blocks,
                                                        tuning::kHeldLeastRowBytes);
}

template <class Pieces>
constexpr auto held_kernel() {
    return transpose_held_kernel<Pieces, tuning::kHeldSlots, tuning::kHeldBlocks>;
}

inline constexpr std::size_t kHeldSharedBytes =
    std::size_t{2} * tuning::kHeldSlots * kHeldSlotWords * kWideBytes;

/// The best grid for as many thread blocks as the current device holds at once, or
/// `panel.held_by`; no panels where that is none or no grid fits them.
template <class Pieces>
cudaError_t find_held_grid(std::size_t rows, std::size_t columns, const PanelSize& panel,
                           HeldGrid* grid) {
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    if (panel.held_by == 0 || static_cast<std::size_t>(device.shared_bytes) < kHeldSharedBytes)
        return cudaSuccess;
    int number = 0, together = 0;
    if (cudaError_t error = cudaGetDevice(&number)) return error;
    if (cudaError_t error = cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, number))
        return error;
    if (together == 0) return cudaSuccess;
    const auto kernel = held_kernel<Pieces>();
    if (cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(kHeldSharedBytes)))
        return error;
    const auto resident =
        static_cast<std::size_t>(resident_blocks(kernel, kHeldThreads, kHeldSharedBytes));
    const std::size_t all = resident * static_cast<std::size_t>(device.multiprocessors);
    *grid =
        held_grid<Pieces>(rows, columns, panel.bytes, all < panel.held_by ? all : panel.held_by);
    return cudaSuccess;
}

/// Such rectangles, one behind the other. The strip of columns, the last rows of the result, waits
/// in scratch memory, and the counters behind it.
template <class Pieces>
cudaError_t transpose_held(void* data, std::size_t rows, std::size_t columns, std::size_t batch,
                           const HeldGrid& grid, void* scratch, cudaStream_t stream) {
    using T = typename Pieces::value_type;
    auto* const strip = static_cast<T*>(scratch);
    const std::size_t strip_bytes = grid.strip_bytes(rows, sizeof(T));
    const std::size_t in_blocks = columns - grid.strip, counters = grid.panels * 2;
    auto* const loaded = reinterpret_cast<unsigned*>(static_cast<char*>(scratch) + strip_bytes);
    auto* matrix = static_cast<T*>(data);
    for (std::size_t i = 0; i < batch; ++i, matrix += rows * columns) {
        if (cudaError_t error = launch_transpose_blocks<T, 1>(
                {matrix + in_blocks, strip, rows, grid.strip, columns, rows, 0, 0}, 1, stream))
            return error;
        if (cudaError_t error = cudaMemsetAsync(loaded, 0, counters * sizeof(unsigned), stream))
            return error;
        const auto number = [](std::size_t value) { return static_cast<unsigned>(value); };
        const HeldPlan<T> plan{matrix,
                               loaded,
                               loaded + grid.panels,
                               number(rows),
                               number(columns),
                               number(grid.panels),
                               number(grid.columns_of_block),
                               number(grid.panel_tiles),
                               number(grid.move_rows),
                               fast_divide(number(grid.rows_of_block)),
                               fast_divide(number(grid.tiles_across)),
                               fast_divide(number(grid.moves_of_block)),
                               fast_divide(number(grid.words_of_row))};
        if (cudaError_t error = launch_together(held_kernel<Pieces>(), grid.thread_blocks,
                                                kHeldThreads, kHeldSharedBytes, stream, plan))
            return error;
        if (cudaError_t error = dispatch_copy<streaming, streaming>(
                strip, matrix + in_blocks * rows, grid.strip * rows, sizeof(T), stream))
            return error;
    }
    return cudaSuccess;
}

/// The same if the device can hold panels of it and scratch memory suffices; `*done` tells.
template <class Pieces>
cudaError_t transpose_if_held(void* data, std::size_t rows, std::size_t columns, std::size_t batch,
                              const PanelSize& panel, void* scratch, std::size_t scratch_bytes,
                              cudaStream_t stream, bool* done) {
    HeldGrid grid{};
    if (cudaError_t error = find_held_grid<Pieces>(rows, columns, panel, &grid)) return error;
    *done = grid.panels != 0 &&
            grid.scratch_bytes(rows, sizeof(typename Pieces::value_type)) <= scratch_bytes;
    if (!*done) return cudaSuccess;
    return transpose_held<Pieces>(data, rows, columns, batch, grid, scratch, stream);
}

/// Of elements of type T whose rows are an odd number of runs of `Run` of them, or whole words.
template <class T, int Run>
cudaError_t dispatch_transpose_held_runs(void* data, std::size_t rows, std::size_t columns,
                                         std::size_t batch, const PanelSize& panel, void* scratch,
                                         std::size_t scratch_bytes, cudaStream_t stream,
                                         bool* done) {
    constexpr int kRunBytes = Run * static_cast<int>(sizeof(T));
    if constexpr (Run > 1) {
        if (columns % Run != 0)
            return dispatch_transpose_held_runs<T, Run / 2>(data, rows, columns, batch, panel,
                                                            scratch, scratch_bytes, stream, done);
    }
    if (!is_aligned(data, kRunBytes)) return cudaSuccess;
    return transpose_if_held<HeldElements<T, Run>>(data, rows, columns, batch, panel, scratch,
                                                   scratch_bytes, stream, done);
}

/// Of elements of type T whose rows and columns are whole words, where a matrix is more than half
/// of `panel`, or others, where it is more than that.
template <class T>
cudaError_t dispatch_transpose_held(void* data, std::size_t rows, std::size_t columns,
                                    std::size_t batch, const PanelSize& panel, void* scratch,
                                    std::size_t scratch_bytes, cudaStream_t stream, bool* done) {
    const std::size_t bytes = rows * columns * sizeof(T);
    const auto are_whole = [](std::size_t count) { return count * sizeof(T) % kWideBytes == 0; };
    if (is_aligned(data, kWideBytes) && are_whole(rows) && are_whole(columns)) {
        if (bytes <= panel.bytes / 2) return cudaSuccess;
        return transpose_if_held<HeldWords<T>>(data, rows, columns, batch, panel, scratch,
                                               scratch_bytes, stream, done);
    }
    if constexpr (sizeof(T) < kWideBytes) {
        if (bytes > panel.bytes)
            return dispatch_transpose_held_runs<T, kWideBytes / static_cast<int>(sizeof(T))>(
                data, rows, columns, batch, panel, scratch, scratch_bytes, stream, done);
    }
    return cudaSuccess;
}

}  // namespace wideload::WIDELOAD_DETAIL
