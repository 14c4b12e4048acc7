// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_tile_1d.cuh"
#include "block_tile_2d.cuh"
#include "matrix_product.cuh"
#include "naive.cuh"
#include "tiled.cuh"
#include "vectorized.cuh"
#include "warp_tile.cuh"

namespace gemm {

/// A kernel of the ladder, and what its counts follow from.
struct Rung {
    const char* name;
    void (*launch)(const MatrixProduct&, cudaStream_t);
    const void* kernel;           ///< of those it launches, the one for wide rows (has_wide_rows)
    int tile;                     ///< rows and columns of C for which a block reads A and B once
    int depth;                    ///< columns of A and rows of B that it stages at a time
    bool copies_whole_tiles;      ///< past the edges of A and B too
    int wide_a, wide_b, wide_c;   ///< floats of an access, where rows are wide
    int stored_floats_of_sector;  ///< by one request
    int shared_conflicts;         ///< of a warp's loads for 64 multiplications of each lane
};

template <class Kernel>
const void* address_of(Kernel* kernel) {
    return reinterpret_cast<const void*>(kernel);
}

// clang-format off
inline const Rung kRungs[] = {
    //                                                                                                     whole  a  b  c  stored  conflicts
    {"naive",         launch_naive,         address_of(naive),            1,                  1,                   false, 1, 1, 1, 8,  0},
    {"tiled",         launch_tiled,         address_of(tiled),            kTileWidth,         kTileWidth,          false, 1, 1, 1, 8,  0},
    {"block_tile_1d", launch_block_tile_1d, address_of(block_tile_1d),    column_tile::kRows, column_tile::kDepth, false, 1, 1, 1, 8,  0},
    {"block_tile_2d", launch_block_tile_2d, address_of(block_tile_2d),    square_tile::kRows, square_tile::kDepth, false, 1, 1, 1, 1, 32},
    {"vectorized",    launch_vectorized,    address_of(vectorized<true>), vector_tile::kRows, vector_tile::kDepth, false, 4, 4, 4, 8,  0},
    {"warp_tiled",    launch_warp_tiled,    address_of(warp_tiled<4>),    warp_tile::kRows,   warp_tile::kDepth,   true,  1, 4, 4, 8,  0},
};
// clang-format on
static_assert(column_tile::kRows == column_tile::kColumns &&
                  square_tile::kRows == square_tile::kColumns &&
                  vector_tile::kRows == vector_tile::kColumns &&
                  warp_tile::kRows == warp_tile::kColumns,
              "the table has one figure for both");

}  // namespace gemm
