// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_tile_1d.cuh"
#include "block_tile_2d.cuh"
#include "matrix_product.cuh"
#include "naive.cuh"
#include "requests.cuh"
#include "tiled.cuh"
#include "vectorized.cuh"
#include "warp_tile.cuh"

namespace gemm {

/// How a warp's lanes lie in a matrix in one request.
struct Request {
    Lanes columns, rows;
};

/// How a kernel reads A and B and writes C.
struct Accesses {
    Request a, b, c;
};

inline constexpr Lanes kOne = {1, 1, 1};
inline constexpr Request kRowPiece = {{1, 1, 32}, kOne};  // 32 neighbours of a row
inline constexpr Request kEightsOfRows = {{1, 1, 8}, {1, 1, 4}};

// What the lanes' numbers give in each kernel: columns, then rows.
inline constexpr Accesses kNaive = {{kOne, kOne}, kRowPiece, kRowPiece};
inline constexpr Accesses kTiled = {kRowPiece, kRowPiece, kRowPiece};
inline constexpr Accesses kBlockTile1d = {kEightsOfRows, kRowPiece, kRowPiece};
inline constexpr Accesses kBlockTile2d = {kEightsOfRows, kRowPiece, {{1, 8, 16}, {1, 8, 2}}};
inline constexpr Accesses kVectorized = {
    {{4, 4, 2}, {1, 1, 16}}, {{4, 4, 32}, kOne}, {{4, 4, 16}, {1, 4, 2}}};
inline constexpr Accesses kVectorizedNarrow = {
    {{1, 4, 2}, {1, 1, 16}}, {{1, 4, 32}, kOne}, {{1, 4, 16}, {1, 4, 2}}};
inline constexpr Accesses kWarpTiled = {kEightsOfRows, {{4, 4, 32}, kOne}, {{4, 4, 4}, {1, 4, 8}}};
inline constexpr Accesses kWarpTiledNarrow = {kEightsOfRows, kRowPiece, {{1, 4, 4}, {1, 4, 8}}};

/// What a warp does in shared memory: instructions as PTX has them, the passes that they take, and
/// those of the passes that are conflicts.
struct SharedUse {
    int loads, load_passes, conflicts;  ///< for each step of k
    int stores, store_passes;           ///< for each tile along k
};

/// A kernel of the ladder, and what its counts follow from.
struct Rung {
    const char* name;
    void (*launch)(const MatrixProduct&, cudaStream_t);
    const void* kernel;  ///< of those it launches, the one for wide rows (has_wide_rows)
    int rows, columns;   ///< of C, for which B and A are read once
    int depth;           ///< columns of A and rows of B that it stages at a time
    int block_warps;
    bool copies_ahead;       ///< whole tiles, past the edges of A and B too, and not by registers
    const Accesses& wide;    ///< where rows are wide
    const Accesses& narrow;  ///< where they are not
    SharedUse shared;
};

template <class Kernel>
const void* address_of(Kernel* kernel) {
    return reinterpret_cast<const void*>(kernel);
}

// clang-format off
inline const Rung kRungs[] = {
    //                                                                    rows of C                columns of C                depth                 warps  copies                                   shared
    {"naive",         launch_naive,         address_of(naive),            1,                       kNaiveColumns,              1,                        8, false, kNaive,       kNaive,            {}},
    {"tiled",         launch_tiled,         address_of(tiled),            kTileWidth,              kTileWidth,                 kTileWidth,              32, false, kTiled,       kTiled,            {2, 2, 0, 2, 2}},
    {"block_tile_1d", launch_block_tile_1d, address_of(block_tile_1d),    column_tile::kRows,      column_tile::kColumns,      column_tile::kDepth,     16, false, kBlockTile1d, kBlockTile1d,      {9, 9, 0, 2, 2}},
    {"block_tile_2d", launch_block_tile_2d, address_of(block_tile_2d),    square_tile::kRows,      square_tile::kColumns,      square_tile::kDepth,      8, false, kBlockTile2d, kBlockTile2d,      {16, 8 * 2 + 8 * 4, 8 * 1 + 8 * 3, 8, 8}},
    {"vectorized",    launch_vectorized,    address_of(vectorized<true>), vector_tile::kRows,      vector_tile::kColumns,      vector_tile::kDepth,      8, false, kVectorized,  kVectorizedNarrow, {4, 2 * 2 + 2 * 4, 0, 4 + 1, 4 + 4}},
    {"warp_tiled",    launch_warp_tiled,    address_of(warp_tiled<4>),    warp_tile::kRows,        warp_tile::kColumns,        warp_tile::kDepth,        4, true,  kWarpTiled,   kWarpTiledNarrow,  {6, 6 * 2, 0, 0, 0}},
};
// clang-format on

}  // namespace gemm
