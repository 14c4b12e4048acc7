// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/grouped_transpose.cuh>
#include <wideload/block/packed_transpose.cuh>
#include <wideload/block/padded_transpose.cuh>
#include <wideload/block/rotated_transpose.cuh>
#include <wideload/block/sheared_transpose.cuh>
#include <wideload/block/shifted_transpose.cuh>
#include <wideload/block/swizzled_transpose.cuh>
#include <wideload/device/detail/matrix_rows.cuh>
#include <wideload/device/detail/stream_order.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Elements in front of a matrix on either side.
struct MatrixPlace {
    std::size_t input, output;
};

/// A batch of matrices, one behind the other, cut into tiles: blockIdx.x counts them down the
/// input, .y across it, .z the matrices. So blocks that run together write neighbouring addresses
/// of the same output rows. In matrices of very many rows, where L2 forgets a line before the tile
/// beside it is read, .x counts them across and .y down.
template <class T>
struct TransposePlan {
    const T* input;
    T* output;
    std::size_t rows;     ///< of the input
    std::size_t columns;  ///< of the input
    std::size_t batch;
    bool across_first;
    unsigned first_strip;  ///< where .y and .z start, in launches of more tiles than a grid has
    std::size_t first_matrix;

    /// What lies in front of a matrix, in units of which elements have so many.
    template <int Units = 1>
    WIDELOAD_DEVICE MatrixPlace place_of(std::size_t matrix) const {
        const std::size_t before = matrix * rows * columns * Units;
        return {before, before};
    }
    /// All of them, likewise, from first to last.
    template <int Units>
    WIDELOAD_DEVICE std::size_t input_span() const {
        return batch * (rows * columns * Units);
    }
    /// Elements from row to row.
    WIDELOAD_DEVICE std::size_t input_pitch() const { return columns; }
    WIDELOAD_DEVICE std::size_t output_pitch() const { return rows; }
};

/// The same of matrices that lie apart, or whose rows do.
template <class T>
struct PitchedPlan : TransposePlan<T> {
    MatrixPitch from, to;

    template <int Units = 1>
    WIDELOAD_DEVICE MatrixPlace place_of(std::size_t matrix) const {
        return {matrix * from.matrix * Units, matrix * to.matrix * Units};
    }
    WIDELOAD_DEVICE std::size_t input_pitch() const { return from.row; }
    WIDELOAD_DEVICE std::size_t output_pitch() const { return to.row; }
    template <int Units>
    WIDELOAD_DEVICE std::size_t input_span() const {
        return ((this->batch - 1) * from.matrix + (this->rows - 1) * from.row + this->columns) *
               Units;
    }
};

/// `enter_stream_order` of a kernel for elements of `Size` bytes; see `Early`.
template <int Size, class Plan>
WIDELOAD_DEVICE void enter_tiles(const Plan& plan) {
    enter_with(plan, plan.input, plan.rows * plan.columns * plan.batch * Size);
}

/// The tile of this block, by its numbers down and across the input, and its matrix.
struct TilePlace {
    unsigned down, across;
    std::size_t matrix;

    /// @tparam MayTurn  whether plans may count across first
    template <bool MayTurn = true, class T>
    static WIDELOAD_DEVICE TilePlace of(const TransposePlan<T>& plan) {
        const unsigned along = blockIdx.x, strip = blockIdx.y + plan.first_strip;
        const bool turned = MayTurn && plan.across_first;
        return {turned ? strip : along, turned ? along : strip, blockIdx.z + plan.first_matrix};
    }
};

/// A tile of Rows × Columns elements of the input, of a batch that counts in 32 bits.
template <int Rows, int Columns>
struct CountedTile {
    unsigned rows, columns;  ///< of a matrix of the input
    unsigned matrix;         ///< elements in front of the tile's matrix
    unsigned row, column;    ///< the tile's first

    template <class T>
    static WIDELOAD_DEVICE CountedTile of(const TransposePlan<T>& plan) {
        const TilePlace place = TilePlace::of<false>(plan);
        const unsigned rows = static_cast<unsigned>(plan.rows);
        const unsigned columns = static_cast<unsigned>(plan.columns);
        return {rows, columns, rows * columns * static_cast<unsigned>(place.matrix),
                place.down * Rows, place.across * Columns};
    }
};

/// What is left of a matrix from `first` on, at most `tile`.
WIDELOAD_DEVICE int left(std::size_t all, std::size_t first, int tile) {
    const std::size_t rest = all - first;
    return rest < static_cast<std::size_t>(tile) ? static_cast<int>(rest) : tile;
}

/// Whether tiles of matrices whose rows are aligned to 16 bytes may be counted across first.
template <class T>
inline constexpr bool kSwizzledTilesTurn = sizeof(T) <= 4;

/// Matrices whose rows are aligned to 16 bytes.
template <class T, int Rows, int Columns, int Threads, class LoadPolicy, class StorePolicy,
          class Plan = TransposePlan<T>>
__global__ void __launch_bounds__(Threads)
    transpose_swizzled_kernel(const __grid_constant__ Plan plan) {
    enter_tiles<sizeof(T)>(plan);
    using Tile = block::swizzled_transpose<T, Rows, Columns, Threads>;
    __shared__ typename Tile::storage shared;
    const TilePlace place = TilePlace::of<kSwizzledTilesTurn<T>>(plan);
    const std::size_t row = std::size_t{place.down} * Rows,
                      column = std::size_t{place.across} * Columns;
    const MatrixPlace matrix = plan.place_of(place.matrix);
    const int rows = left(plan.rows, row, Rows), columns = left(plan.columns, column, Columns);
    const T* source = plan.input + matrix.input + row * plan.input_pitch() + column;
    Tile::template stage<LoadPolicy>(shared, source, plan.input_pitch(), rows, columns,
                                     threadIdx.x);
    __syncthreads();
    T* destination = plan.output + matrix.output + column * plan.output_pitch() + row;
    Tile::template drain<StorePolicy>(shared, destination, plan.output_pitch(), rows, columns,
                                      threadIdx.x);
}

/// The same of batches that count below 2^32 with `Rows` rows more.
template <class T, int Rows, int Columns, int Threads, class LoadPolicy, class StorePolicy,
          class Plan = TransposePlan<T>>
__global__ void __launch_bounds__(Threads)
    transpose_small_swizzled_kernel(const __grid_constant__ Plan plan) {
    enter_tiles<sizeof(T)>(plan);
    using Tile = block::swizzled_transpose<T, Rows, Columns, Threads>;
    __shared__ typename Tile::storage shared;
    const auto [rows, columns, matrix, row, column] = CountedTile<Rows, Columns>::of(plan);
    typename Tile::words words;
    const typename Tile::small_source from(matrix, rows, columns, row, column, threadIdx.x);
    from.template fetch<LoadPolicy>(words, plan.input);
    if constexpr (kIsEarly<Plan>)
        __syncwarp();  // or ptxas stores some words before it has asked for all
    const typename Tile::small_target to(matrix, rows, columns, row, column, threadIdx.x);
    Tile::put(shared, words, threadIdx.x);
    __syncthreads();
    to.template drain<StorePolicy>(shared, plan.output);
}

/// Matrices whose rows are whole words that begin anywhere within sectors.
template <class T, int Rows, int Columns, int Threads, int WordBytes, int Blocks, class LoadPolicy,
          class StorePolicy, class Plan = TransposePlan<T>>
__global__ void __launch_bounds__(Threads, kBlocksWithin<Threads, Blocks>)
    transpose_sheared_kernel(const __grid_constant__ Plan plan) {
    enter_stream_order();
    using Tile = block::sheared_transpose<T, Rows, Columns, Threads, WordBytes>;
    __shared__ typename Tile::storage shared;
    const TilePlace place = TilePlace::of(plan);
    const unsigned column = place.across * Columns;
    const unsigned rows = static_cast<unsigned>(plan.rows);
    const unsigned columns = static_cast<unsigned>(plan.columns);
    const MatrixPlace matrix = plan.place_of(place.matrix);
    Tile::template stage<LoadPolicy>(shared, plan.input + matrix.input,
                                     static_cast<unsigned>(plan.input_pitch()), rows, columns,
                                     place.down, column, threadIdx.x);
    __syncthreads();
    Tile::template drain<StorePolicy>(shared, plan.output + matrix.output,
                                      static_cast<unsigned>(plan.output_pitch()), rows, columns,
                                      place.down, column, threadIdx.x);
}

/// Matrices of elements of 1 to 16 bytes at any addresses.
template <class T, int Rows, int Columns, int Boundary, int Threads, int Blocks, class LoadPolicy,
          class StorePolicy, class Plan = TransposePlan<char>>
__global__ void __launch_bounds__(Threads, kBlocksWithin<Threads, Blocks>)
    transpose_shifted_kernel(const __grid_constant__ Plan plan) {
    enter_stream_order();
    using Tile = block::shifted_transpose<T, Rows, Columns, Boundary, Threads>;
    __shared__ typename Tile::storage shared;
    const TilePlace place = TilePlace::of(plan);
    const std::size_t column = std::size_t{place.across} * Columns;
    const MatrixPlace matrix = plan.template place_of<sizeof(T)>(place.matrix);
    Tile::template stage<LoadPolicy>(
        shared, plan.input + matrix.input, plan.rows, plan.columns, place.down, column, plan.input,
        plan.input + plan.template input_span<sizeof(T)>(), threadIdx.x, plan.input_pitch());
    __syncthreads();
    Tile::template drain<StorePolicy>(shared, plan.output + matrix.output, plan.rows, plan.columns,
                                      place.down, column, threadIdx.x, plan.output_pitch());
}

/// Matrices of elements of 1 or 2 bytes at multiples of their size, of at least 2 columns.
template <class T, int Lanes, int Threads, int Blocks, class LoadPolicy, class StorePolicy,
          class Plan = TransposePlan<T>>
__global__ void __launch_bounds__(Threads, kBlocksWithin<Threads, Blocks>)
    transpose_packed_kernel(const __grid_constant__ Plan plan) {
    enter_tiles<sizeof(T)>(plan);
    using Tile = block::packed_transpose<T, Lanes, Threads>;
    __shared__ typename Tile::storage shared;
    const auto [rows, columns, matrix, row, column] =
        CountedTile<Tile::kWidth, Tile::kHeight>::of(plan);
    const unsigned count = rows * columns * static_cast<unsigned>(plan.batch);
    const typename Tile::place tile{plan.input, plan.output, count, matrix,
                                    rows,       columns,     row,   column};
    typename Tile::words words;
    words.template fetch<LoadPolicy>(tile, threadIdx.x);
    const typename Tile::gather gather(tile, threadIdx.x);
    words.template put<LoadPolicy>(shared, tile, threadIdx.x);
    __syncthreads();
    gather.template drain<StorePolicy>(shared);
}

/// Matrices of elements that are no whole words, at multiples of 2 bytes if they are.
template <int Size, int RowWords, int Threads, int Blocks, class StorePolicy,
          class Plan = TransposePlan<char>>
__global__ void __launch_bounds__(Threads, kBlocksWithin<Threads, Blocks>)
    transpose_grouped_kernel(const __grid_constant__ Plan plan) {
    enter_stream_order();
    using Tile = block::grouped_transpose<Size, RowWords, Threads>;
    __shared__ typename Tile::storage shared;
    const TilePlace place = TilePlace::of(plan);
    const MatrixPlace matrix = plan.template place_of<Size>(place.matrix);
    const typename Tile::place tile{plan.input + matrix.input,
                                    plan.output + matrix.output,
                                    place.matrix == 0,
                                    place.matrix + 1 == plan.batch,
                                    plan.rows,
                                    plan.columns,
                                    plan.input_pitch(),
                                    plan.output_pitch(),
                                    std::size_t{place.down} * Tile::kWidth,
                                    std::size_t{place.across} * Tile::kHeight};
    Tile::stage(shared, tile, threadIdx.x);
    const typename Tile::gather gather(tile, threadIdx.x);
    Tile::staged();
    __syncthreads();
    gather.template drain<StorePolicy>(shared);
}

/// Element by element: `Units` units each, tiles of `Width` rows × `Height` columns of the input.
template <class Unit, int Units, int Width, int Height, int Boundary, int Threads, bool Async,
          class LoadPolicy, class StorePolicy, class Plan = TransposePlan<Unit>>
__global__ void __launch_bounds__(Threads)
    transpose_padded_kernel(const __grid_constant__ Plan plan) {
    enter_stream_order();
    using Tile = block::padded_transpose<Unit, Units, Width, Height, Boundary, Threads, Async>;
    __shared__ typename Tile::storage shared;
    const TilePlace place = TilePlace::of(plan);
    const std::size_t row = std::size_t{place.down} * Width,
                      column = std::size_t{place.across} * Height;
    const MatrixPlace matrix = plan.template place_of<Units>(place.matrix);
    Tile::template stage<LoadPolicy>(shared, plan.input + matrix.input, plan.rows, plan.columns,
                                     row, column, threadIdx.x, plan.input_pitch());
    Tile::staged();
    __syncthreads();
    Tile::template drain<StorePolicy>(shared, plan.output + matrix.output, plan.rows, plan.columns,
                                      row, column, threadIdx.x, plan.output_pitch());
}

/// Elements that are one unit, by tiles of 32 × 32, of batches that count below 2^32 with 32 rows
/// more.
template <class T, int Threads, class LoadPolicy, class StorePolicy, class Plan = TransposePlan<T>>
__global__ void __launch_bounds__(Threads)
    transpose_small_padded_kernel(const __grid_constant__ Plan plan) {
    enter_tiles<sizeof(T)>(plan);
    using Tile = block::padded_transpose<T, 1, kWarpLanes, kWarpLanes, 1, Threads>;
    __shared__ typename Tile::storage shared;
    const auto [rows, columns, matrix, row, column] = CountedTile<kWarpLanes, kWarpLanes>::of(plan);
    const typename Tile::small_walk from(matrix, rows, columns, row, column, threadIdx.x);
    typename Tile::small_walk::words words;
    from.template fetch<LoadPolicy>(words, plan.input);
    const typename Tile::small_walk to(matrix, columns, rows, column, row, threadIdx.x);
    from.put(shared, words);
    __syncthreads();
    to.template drain<StorePolicy>(shared, plan.output);
}

/// Elements of 4 or 8 bytes, tiles of `Width` rows: 16 bytes at a time inside the matrix, element
/// by element at its edges.
template <class T, int Width, int Words, int Lanes, int Boundary, int Threads, int Blocks,
          class LoadPolicy, class StorePolicy, class Plan = TransposePlan<T>>
__global__ void __launch_bounds__(Threads, kBlocksWithin<Threads, Blocks>)
    transpose_rotated_kernel(const __grid_constant__ Plan plan) {
    enter_stream_order();
    using Tile = block::rotated_transpose<T, Width, Words, Lanes, Boundary, Threads>;
    using Edge = block::padded_transpose<T, 1, Width, Tile::kHeight, Boundary, Threads>;
    __shared__ union {
        typename Tile::storage inside;
        typename Edge::storage edge;
    } shared;
    const TilePlace place = TilePlace::of(plan);
    const std::size_t row = std::size_t{place.down} * Width,
                      column = std::size_t{place.across} * Tile::kHeight;
    const MatrixPlace matrix = plan.place_of(place.matrix);
    const T* input = plan.input + matrix.input;
    T* output = plan.output + matrix.output;
    if (Tile::is_inside(plan.rows, plan.columns, row, column)) {
        typename Tile::words words;
        Tile::template fetch<LoadPolicy, true>(words, input, plan.input_pitch(), row, column,
                                               threadIdx.x);
        Tile::put(shared.inside, words, input, plan.input_pitch(), row, column, threadIdx.x);
        __syncthreads();
        Tile::template drain<StorePolicy>(shared.inside, output, plan.output_pitch(), row, column,
                                          threadIdx.x);
    } else {
        Edge::template stage<LoadPolicy>(shared.edge, input, plan.rows, plan.columns, row, column,
                                         threadIdx.x, plan.input_pitch());
        __syncthreads();
        Edge::template drain<StorePolicy>(shared.edge, output, plan.rows, plan.columns, row, column,
                                          threadIdx.x, plan.output_pitch());
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
