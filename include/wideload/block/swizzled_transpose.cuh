// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::block {

/// Transposes a tile of `Rows` × `Columns` elements on its way through shared memory, 16 bytes at a time (4 and 8 for
/// elements of 1 and 2 bytes) on both sides and without bank conflicts.
///
/// Each thread loads a square micro-tile of kChunk × kChunk elements, kChunk per access, and turns it in registers, where
/// that is only a renaming. A chunk of kChunk elements then is consecutive in the transposed tile, so shared memory is
/// written and read in whole chunks as well. The chunk's place is XORed with its row's number, so that the lanes that
/// shared memory serves together always meet different banks.
///
/// Requirements, which the caller checks: both matrices' rows start at multiples of kAccessBytes, and the number of rows
/// and of columns are multiples of kChunk.
/// Source: XOR swizzles as in NVIDIA's CUTLASS; register micro-tiles as in G. Ruetsch, P. Micikevicius, "Optimizing matrix
/// transpose in CUDA", 2009, taken further.
template <class T, int Rows, int Columns, int Threads>
class swizzled_transpose {
    static_assert(is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes,
                  "block::swizzled_transpose: elements of 1, 2, 4, 8 or 16 bytes");

   public:
    /// Elements per access: as many as make 16 bytes, at most 4.
    static constexpr int kChunk = sizeof(T) >= 4 ? kWideBytes / static_cast<int>(sizeof(T)) : 4;
    static constexpr int kAccessBytes = kChunk * static_cast<int>(sizeof(T));

   private:
    using Chunk = vec<T, kChunk>;
    static constexpr int kRowChunks = Rows / kChunk;        // chunks in a row of the transposed tile
    static constexpr int kColumnChunks = Columns / kChunk;  // chunks in a row of the tile as read
    static constexpr int kLanesTogether = kLineBytes / kAccessBytes;
    static constexpr int kMicroTiles = kRowChunks * kColumnChunks;
    static constexpr int kPerThread = kMicroTiles / Threads;
    static_assert(kMicroTiles % Threads == 0, "block::swizzled_transpose: the threads must divide the micro-tiles");
    static_assert(kRowChunks % kLanesTogether == 0 && kColumnChunks % kLanesTogether == 0,
                  "block::swizzled_transpose: both sides of the tile must fill all banks at once");

   public:
    struct storage {
        Chunk chunks[Columns * kRowChunks];
    };

    /// Reads the tile whose first element is `tile` from a matrix of `pitch` elements a row, of which only
    /// `valid_rows` × `valid_columns` exist, into `shared`. All threads call; a barrier must follow before `drain`.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void stage(storage& shared, const T* tile, std::size_t pitch, std::size_t valid_rows,
                                      std::size_t valid_columns, int thread) {
        Chunk micro[kPerThread][kChunk];
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
            const int index = thread + i * Threads;
            const int row = index / kColumnChunks * kChunk, column = index % kColumnChunks * kChunk;
            if (row < valid_rows && column < valid_columns) {
                const T* source = tile + row * pitch + column;
#pragma unroll
                for (int k = 0; k < kChunk; ++k) {
                    micro[i][k] = load<kChunk, Policy>(aligned_ptr<const T, kAccessBytes>::unchecked(source + k * pitch));
                }
            }
        }
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
            const int index = thread + i * Threads;
            const int row_chunk = index / kColumnChunks, column_chunk = index % kColumnChunks;
            const int place = row_chunk ^ (column_chunk & (kLanesTogether - 1));
#pragma unroll
            for (int j = 0; j < kChunk; ++j) {
                Chunk turned;
#pragma unroll
                for (int k = 0; k < kChunk; ++k) turned[k] = micro[i][k][j];
                shared.chunks[(column_chunk * kChunk + j) * kRowChunks + place] = turned;
            }
        }
    }

    /// Writes the transposed tile, of which `valid_rows` × `valid_columns` (as read) exist, to the matrix of `pitch`
    /// elements a row whose element `tile` is the tile's first.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, T* tile, std::size_t pitch, std::size_t valid_rows,
                                      std::size_t valid_columns, int thread) {
#pragma unroll
        for (int i = 0; i < kPerThread * kChunk; ++i) {
            const int index = thread + i * Threads;
            const int column = index / kRowChunks, row_chunk = index % kRowChunks;
            const int place = row_chunk ^ (column / kChunk & (kLanesTogether - 1));
            if (column < valid_columns && row_chunk * kChunk < valid_rows) {
                const Chunk chunk = shared.chunks[column * kRowChunks + place];
                store<Policy>(aligned_ptr<T, kAccessBytes>::unchecked(tile + column * pitch + row_chunk * kChunk), 0, chunk);
            }
        }
    }
};

}  // namespace wideload::block
