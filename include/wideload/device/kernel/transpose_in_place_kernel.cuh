// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/transpose_kernel.cuh>
#include <wideload/support/fast_divide.cuh>
#include <wideload/tuning/transpose_in_place_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Square matrices in place: block number t takes the pair of tiles that lie across the diagonal
/// from each other.
template <class T>
struct InPlaceTransposePlan {
    T* data;
    std::size_t size;              ///< rows and columns
    fast_divide pairs_per_matrix;  ///< tiles on or below the diagonal
};

/// The pair (row, column), column <= row, that comes as number `index` when the lower triangle is
/// counted row by row.
WIDELOAD_DEVICE void triangle_position(unsigned index, unsigned* row, unsigned* column) {
    unsigned r =
        static_cast<unsigned>((sqrtf(8.0f * static_cast<float>(index) + 1.0f) - 1.0f) * 0.5f);
    // The root is rounded: step to the exact row.
    while (r * (r + 1) / 2 > index) --r;
    while ((r + 1) * (r + 2) / 2 <= index) ++r;
    *row = r;
    *column = index - r * (r + 1) / 2;
}

/// The same pairs in another order, `Band` rows of tiles at a time, column by column: so the tiles
/// across the diagonal from neighbouring blocks' are neighbours along their rows too. `tiles` is
/// the number of rows of tiles.
template <unsigned Band>
WIDELOAD_DEVICE void band_position(unsigned index, unsigned tiles, unsigned* row,
                                   unsigned* column) {
    triangle_position(index, row, column);
    const unsigned first = *row / Band * Band;
    const unsigned rows = tiles - first < Band ? tiles - first : Band;
    const unsigned in_band = index - first * (first + 1) / 2;
    if (in_band < first * rows) {
        *row = first + in_band % rows;
        *column = in_band / rows;
    } else {
        triangle_position(in_band - first * rows, row, column);
        *row += first;
        *column += first;
    }
}

/// The pair of tiles of side `Side` that a block takes, as element positions of the lower one.
template <int Side, unsigned Band, class T>
WIDELOAD_DEVICE void in_place_position(const InPlaceTransposePlan<T>& plan, std::size_t* matrix,
                                       std::size_t* row, std::size_t* column) {
    const unsigned number = plan.pairs_per_matrix.quotient(blockIdx.x);
    unsigned tile_row, tile_column;
    band_position<Band>(blockIdx.x - number * plan.pairs_per_matrix.divisor(),
                        static_cast<unsigned>((plan.size + Side - 1) / Side), &tile_row,
                        &tile_column);
    *matrix = number * plan.size * plan.size;
    *row = static_cast<std::size_t>(tile_row) * Side;
    *column = static_cast<std::size_t>(tile_column) * Side;
}

/// `enter_stream_order` of elements of one unit; see `Early`.
template <class Plan>
WIDELOAD_DEVICE void enter_in_place(const Plan& plan) {
    const std::size_t matrices = plan.pairs_per_matrix.quotient(gridDim.x);
    enter_with(plan, plan.data, matrices * plan.size * plan.size * sizeof(*plan.data));
}

/// Rows aligned for wide accesses.
template <class T, int Side, int Threads, class Plan = InPlaceTransposePlan<T>>
__global__ void __launch_bounds__(Threads)
    transpose_in_place_swizzled_kernel(const __grid_constant__ Plan plan) {
    enter_in_place(plan);
    using Tile = block::swizzled_transpose<T, Side, Side, Threads>;
    __shared__ typename Tile::storage lower, upper;
    std::size_t matrix, row, column;
    in_place_position<Side, 1>(plan, &matrix, &row, &column);
    T* data = plan.data + matrix;
    T* lower_tile = data + row * plan.size + column;
    T* upper_tile = data + column * plan.size + row;
    const int rows = left(plan.size, row, Side), columns = left(plan.size, column, Side);
    typename Tile::words lower_words, upper_words;
    Tile::fetch(lower_words, lower_tile, plan.size, rows, columns, threadIdx.x);
    if (row != column) Tile::fetch(upper_words, upper_tile, plan.size, columns, rows, threadIdx.x);
    Tile::put(lower, lower_words, threadIdx.x);
    if (row != column) Tile::put(upper, upper_words, threadIdx.x);
    __syncthreads();
    Tile::drain(lower, upper_tile, plan.size, rows, columns, threadIdx.x);
    if (row != column) Tile::drain(upper, lower_tile, plan.size, columns, rows, threadIdx.x);
}

/// The same of batches that count below 2^32 with `Side` rows more.
template <class T, int Side, int Threads, class Plan = InPlaceTransposePlan<T>>
__global__ void __launch_bounds__(Threads)
    transpose_in_place_small_swizzled_kernel(const __grid_constant__ Plan plan) {
    enter_in_place(plan);
    using Tile = block::swizzled_transpose<T, Side, Side, Threads>;
    __shared__ typename Tile::storage lower, upper;
    std::size_t first, first_row, first_column;
    in_place_position<Side, 1>(plan, &first, &first_row, &first_column);
    const unsigned size = static_cast<unsigned>(plan.size), matrix = static_cast<unsigned>(first);
    const unsigned row = static_cast<unsigned>(first_row);
    const unsigned column = static_cast<unsigned>(first_column);
    using Source = typename Tile::small_source;
    using Target = typename Tile::small_target;
    typename Tile::words lower_words, upper_words;
    Source(matrix, size, size, row, column, threadIdx.x).fetch(lower_words, plan.data);
    if (row != column)
        Source(matrix, size, size, column, row, threadIdx.x).fetch(upper_words, plan.data);
    const Target lower_target(matrix, size, size, row, column, threadIdx.x);
    const Target upper_target(matrix, size, size, column, row, threadIdx.x);
    Tile::put(lower, lower_words, threadIdx.x);
    if (row != column) Tile::put(upper, upper_words, threadIdx.x);
    __syncthreads();
    lower_target.drain(lower, plan.data);
    if (row != column) upper_target.drain(upper, plan.data);
}

/// Any rows and element sizes, in units of `Unit`.
template <class Unit, int Units, int Side, int Threads, bool Async>
__global__ void __launch_bounds__(Threads)
    transpose_in_place_any_kernel(const __grid_constant__ InPlaceTransposePlan<Unit> plan) {
    enter_stream_order();
    using Tile = block::padded_transpose<Unit, Units, Side, Side, 1, Threads, Async>;
    __shared__ typename Tile::storage lower, upper;
    std::size_t matrix, row, column;
    in_place_position<Side, tuning::kInPlaceBand>(plan, &matrix, &row, &column);
    Unit* data = plan.data + matrix * Units;
    Tile::stage(lower, data, plan.size, plan.size, row, column, threadIdx.x);
    if (row != column) Tile::stage(upper, data, plan.size, plan.size, column, row, threadIdx.x);
    Tile::staged();
    __syncthreads();
    Tile::drain(lower, data, plan.size, plan.size, row, column, threadIdx.x);
    if (row != column) Tile::drain(upper, data, plan.size, plan.size, column, row, threadIdx.x);
}

/// Elements that are one unit, by pairs of tiles of 32 × 32, of batches that count below 2^32 with
/// 32 rows more.
template <class T, int Threads, class Plan = InPlaceTransposePlan<T>>
__global__ void __launch_bounds__(Threads)
    transpose_in_place_small_kernel(const __grid_constant__ Plan plan) {
    enter_in_place(plan);
    using Tile = block::padded_transpose<T, 1, kWarpLanes, kWarpLanes, 1, Threads>;
    using Walk = typename Tile::small_walk;
    __shared__ typename Tile::storage lower, upper;
    std::size_t matrix, row, column;
    in_place_position<kWarpLanes, tuning::kInPlaceBand>(plan, &matrix, &row, &column);
    const unsigned size = static_cast<unsigned>(plan.size);
    const auto walk_from = [&](std::size_t first_row, std::size_t first_column) {
        return Walk(static_cast<unsigned>(matrix), size, size, static_cast<unsigned>(first_row),
                    static_cast<unsigned>(first_column), threadIdx.x);
    };
    const Walk lower_walk = walk_from(row, column), upper_walk = walk_from(column, row);
    typename Walk::words lower_words, upper_words;
    lower_walk.fetch(lower_words, plan.data);
    if (row != column) upper_walk.fetch(upper_words, plan.data);
    lower_walk.put(lower, lower_words);
    if (row != column) upper_walk.put(upper, upper_words);
    __syncthreads();
    upper_walk.drain(lower, plan.data);
    if (row != column) lower_walk.drain(upper, plan.data);
}

/// Elements of 1 or 2 bytes at multiples of their size.
template <class T, int Lanes, int Threads, int Blocks, class LoadPolicy>
__global__ void __launch_bounds__(Threads, kBlocksWithin<Threads, Blocks>)
    transpose_in_place_packed_kernel(const __grid_constant__ InPlaceTransposePlan<T> plan) {
    enter_stream_order();
    using Tile = block::packed_transpose<T, Lanes, Threads, false>;
    __shared__ typename Tile::storage lower, upper;
    std::size_t matrix, row, column;
    in_place_position<Tile::kWidth, tuning::kInPlaceBand>(plan, &matrix, &row, &column);
    const unsigned size = static_cast<unsigned>(plan.size);
    const auto tile_at = [&](std::size_t row, std::size_t column) {
        return typename Tile::place{plan.data,
                                    plan.data,
                                    plan.pairs_per_matrix.quotient(gridDim.x) * size * size,
                                    static_cast<unsigned>(matrix),
                                    size,
                                    size,
                                    static_cast<unsigned>(row),
                                    static_cast<unsigned>(column)};
    };
    const typename Tile::place lower_tile = tile_at(row, column), upper_tile = tile_at(column, row);
    typename Tile::words lower_words, upper_words;
    lower_words.template fetch<LoadPolicy>(lower_tile, threadIdx.x);
    if (row != column) upper_words.template fetch<LoadPolicy>(upper_tile, threadIdx.x);
    const typename Tile::gather lower_gather(lower_tile, threadIdx.x);
    const typename Tile::gather upper_gather(upper_tile, threadIdx.x);
    lower_words.template put<LoadPolicy>(lower, lower_tile, threadIdx.x);
    if (row != column) upper_words.template put<LoadPolicy>(upper, upper_tile, threadIdx.x);
    __syncthreads();
    lower_gather.drain(lower);
    if (row != column) upper_gather.drain(upper);
}

/// Elements of 4 or 8 bytes whose rows start at any of them. Pairs that touch the matrix's edges or
/// its diagonal go element by element.
template <class T, int Words, int Lanes, int Threads, int Blocks, class LoadPolicy>
struct RotatedPair {
    static constexpr int kSide = (Words - 1) * kWideBytes / static_cast<int>(sizeof(T));
    using Tile = block::rotated_transpose<T, kSide, Words, Lanes, 1, Threads>;
    using Edge = block::padded_transpose<T, 1, kSide, kSide, 1, Threads>;
    union storage {
        struct {
            typename Tile::storage lower, upper;
        } inside;
        struct {
            typename Edge::storage lower, upper;
        } edge;
    };

    static WIDELOAD_DEVICE bool is_inside(std::size_t size, std::size_t row, std::size_t column) {
        return row != column && Tile::is_inside(size, size, row, column) &&
               Tile::is_inside(size, size, column, row);
    }
    static WIDELOAD_DEVICE void swap_inside(storage& shared, T* data, std::size_t size,
                                            std::size_t row, std::size_t column) {
        // All of a thread's loads are in flight together.
        typename Tile::words lower, upper;
        Tile::template fetch<LoadPolicy>(lower, data, size, row, column, threadIdx.x);
        Tile::template fetch<LoadPolicy>(upper, data, size, column, row, threadIdx.x);
        Tile::put(shared.inside.lower, lower, data, size, row, column, threadIdx.x);
        Tile::put(shared.inside.upper, upper, data, size, column, row, threadIdx.x);
        __syncthreads();
        Tile::drain(shared.inside.lower, data, size, row, column, threadIdx.x);
        Tile::drain(shared.inside.upper, data, size, column, row, threadIdx.x);
    }
    static WIDELOAD_DEVICE void swap_at_edge(storage& shared, T* data, std::size_t size,
                                             std::size_t row, std::size_t column) {
        Edge::stage(shared.edge.lower, data, size, size, row, column, threadIdx.x);
        if (row != column)
            Edge::stage(shared.edge.upper, data, size, size, column, row, threadIdx.x);
        __syncthreads();
        Edge::drain(shared.edge.lower, data, size, size, row, column, threadIdx.x);
        if (row != column)
            Edge::drain(shared.edge.upper, data, size, size, column, row, threadIdx.x);
    }
};

template <class T, int Words, int Lanes, int Threads, int Blocks, class LoadPolicy>
__global__ void __launch_bounds__(Threads, kBlocksWithin<Threads, Blocks>)
    transpose_in_place_rotated_kernel(const __grid_constant__ InPlaceTransposePlan<T> plan) {
    enter_stream_order();
    using Pair = RotatedPair<T, Words, Lanes, Threads, Blocks, LoadPolicy>;
    extern __shared__ uint4 shared_words[];
    auto& shared = *reinterpret_cast<typename Pair::storage*>(shared_words);
    std::size_t matrix, row, column;
    in_place_position<Pair::kSide, tuning::kInPlaceBand>(plan, &matrix, &row, &column);
    T* data = plan.data + matrix;
    if (Pair::is_inside(plan.size, row, column)) {
        Pair::swap_inside(shared, data, plan.size, row, column);
    } else {
        Pair::swap_at_edge(shared, data, plan.size, row, column);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
