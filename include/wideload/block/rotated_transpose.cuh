// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>

#include <cstring>

namespace wideload::block {

/// Transposes tiles that lie inside matrices of 4- or 8-byte elements whose rows start at any
/// element: 16 bytes at a time on the outside of both sides, element by element in shared memory,
/// without bank conflicts.
///
/// A lane loads the aligned words that hold its row's part, up to a word more than the part, and
/// puts the elements into their columns. It takes them in turn from another one of its word on, and
/// so do the lanes of a column's part when they get theirs: which one depends on the row's
/// alignment and on the lane, so that the lanes of a warp always meet in different banks.
///
/// Parts of output rows are *sheared* as in `padded_transpose` where `Boundary` is more than 1.
/// Without shear the few elements of a part that only share a word are stored one by one; nothing
/// outside of the part is written. Source: this library; see bench/library/NOTES.md.
///
/// @tparam Width     elements of a tile along the output's rows
/// @tparam Words     16-byte words that are loaded of an input row; one less is what a tile keeps
/// @tparam Lanes     neighbouring lanes that load, or store, along one row: 8, 16 or 32; the others
/// of the warp take the rows that follow
/// @tparam Boundary  bytes, 32 at least; 1: no shear
template <class T, int Width, int Words, int Lanes, int Boundary, int Threads>
class rotated_transpose {
    static constexpr int kSize = static_cast<int>(sizeof(T));
    static constexpr int kPerWord = kWideBytes / kSize;
    static constexpr int kRowsPerWarp = kWarpLanes / Lanes;
    static constexpr int kRowStep = Threads / kWarpLanes * kRowsPerWarp;
    static constexpr bool kSheared = Boundary > 1;
    static_assert(kSize == 4 || (kSize == 8 && Lanes == kWarpLanes),
                  "block::rotated_transpose: elements of 4 bytes, or of 8 with a warp to a row");
    static_assert(Words % Lanes == 0 && kRowsPerWarp <= kPerWord,
                  "block::rotated_transpose: the lanes must share out a row's words");
    static_assert(!kSheared || (Boundary >= kSectorBytes && Width % (Lanes * kPerWord) == 0),
                  "block::rotated_transpose: a sheared part must be whole sectors for all lanes");
    /// The most elements by which a part starts early.
    static constexpr int kMaxShift = kSheared ? Boundary / kSize - 1 : 0;
    static constexpr int kStagedRows = Width + kMaxShift;
    /// Congruent to 1 modulo 4, so that neighbouring columns start in neighbouring banks.
    static constexpr int kPitch = (kStagedRows + 2) / 4 * 4 + 1;
    static constexpr int kRowSteps = (kStagedRows + kRowStep - 1) / kRowStep;

public:
    /// Columns of the input that a tile keeps.
    static constexpr int kHeight = (Words - 1) * kPerWord;

    struct storage {
        T elements[kHeight * kPitch];
    };
    /// What a thread has in flight between `fetch` and `put`.
    struct words {
        uint4 words[kRowSteps][Words / Lanes];
    };

    /// Whether a tile lies so far inside a matrix that all it touches does.
    static WIDELOAD_HOST_DEVICE bool is_inside(std::size_t rows, std::size_t columns,
                                               std::size_t first_row, std::size_t first_column) {
        return first_row > kMaxShift && first_row + Width <= rows &&
               first_column + kHeight + kPerWord <= columns;
    }

    /// Reads rows [first_row - kMaxShift, first_row + Width) and columns [first_column,
    /// first_column + kHeight) of a matrix with rows of `columns` elements.
    ///
    /// @tparam RowsFirst  finds all rows before any is read. Compilers may else find the second
    /// behind a use of the first's words, and so wait for those; but it takes registers
    template <class Policy = cached, bool RowsFirst = false>
    static WIDELOAD_DEVICE void fetch(words& held, const T* matrix, std::size_t columns,
                                      std::size_t first_row, std::size_t first_column, int thread) {
        const Place own(thread);
        const T* row = staged_row(matrix, columns, first_row, first_column, own);
        const char* found[kRowSteps];
        if constexpr (RowsFirst) {
#pragma unroll
            for (int i = 0; i < kRowSteps; ++i) {
                found[i] = own_word(row + i * kRowStep * columns, own);
                asm volatile("" : "+l"(found[i]));
            }
        }
#pragma unroll
        for (int i = 0; i < kRowSteps; ++i, row += kRowStep * columns) {
            if (!is_staged(i, own)) continue;
            const char* const word = RowsFirst ? found[i] : own_word(row, own);
#pragma unroll
            for (int j = 0; j < Words / Lanes; ++j) {
                held.words[i][j] = wideload::detail::access<Policy>::template load<kWideBytes>(
                    word + j * Lanes * kWideBytes);
            }
        }
    }

    /// Puts what `fetch` has read into shared memory; its arguments are those of `fetch`. A barrier
    /// must follow before `drain`.
    static WIDELOAD_DEVICE void put(storage& shared, const words& held, const T* matrix,
                                    std::size_t columns, std::size_t first_row,
                                    std::size_t first_column, int thread) {
        // Or the compiler would put what has come before it asks for the rest.
        __syncwarp();
        const Place own(thread);
        // Of the rows' addresses only what decides their alignment: registers are scarce here.
        unsigned address = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(
            staged_row(matrix, columns, first_row, first_column, own)));
        const unsigned step = static_cast<unsigned>(columns) * (kRowStep * kSize);
#pragma unroll
        for (int i = 0; i < kRowSteps; ++i, address += step) {
            if (!is_staged(i, own)) continue;
            const int shift = static_cast<int>(address % kWideBytes / kSize);
            const int turn = own.turn + shift;
            T* staged = shared.elements + own.row + i * kRowStep;
#pragma unroll
            for (int j = 0; j < Words / Lanes; ++j) {
                T elements[kPerWord];
                std::memcpy(elements, &held.words[i][j], kWideBytes);
                rotate(elements, turn);
#pragma unroll
                for (int k = 0; k < kPerWord; ++k) {
                    const int column =
                        (own.along + j * Lanes) * kPerWord + element(k + turn) - shift;
                    if (static_cast<unsigned>(column) < kHeight)
                        staged[column * kPitch] = elements[k];
                }
            }
        }
    }

    /// Writes the tile to the transposed matrix, of rows of `rows` elements.
    template <class Policy = cached>
    static WIDELOAD_DEVICE void drain(const storage& shared, T* matrix, std::size_t rows,
                                      std::size_t first_row, std::size_t first_column, int thread) {
        const Place own(thread);
        T* row = matrix + (first_column + own.row) * rows + first_row;
#pragma unroll
        for (int i = 0; i < (kHeight + kRowStep - 1) / kRowStep; ++i, row += kRowStep * rows) {
            const int column = own.row + i * kRowStep;
            if (column >= kHeight) continue;
            const int shift = shift_of(row, kSheared ? Boundary : kWideBytes);
            const T* staged = shared.elements + column * kPitch + (kMaxShift - shift);
            store_words<Policy>(row - shift, staged, shift, own);
            if (!kSheared && shift != 0 && own.along < kPerWord) {
                const int edge =
                    own.along < kPerWord - shift ? own.along : Width - kPerWord + own.along;
                row[edge] = staged[shift + edge];
            }
        }
    }

private:
    /// A thread's part in every step: which row of the step, which word of that row, and by how
    /// many elements the eight lanes that it belongs to start later than those before.
    struct Place {
        int row, along, turn;
        WIDELOAD_DEVICE explicit Place(int thread) {
            const int lane = thread % kWarpLanes, row_of_warp = lane / Lanes;
            row = thread / kWarpLanes * kRowsPerWarp + row_of_warp;
            along = lane % Lanes;
            turn = lane / 8 - row_of_warp;
        }
    };

    static WIDELOAD_DEVICE const T* staged_row(const T* matrix, std::size_t columns,
                                               std::size_t first_row, std::size_t first_column,
                                               const Place& own) {
        return matrix + (first_row - kMaxShift + own.row) * columns + first_column;
    }
    /// The first word that a thread loads of a row.
    static WIDELOAD_DEVICE const char* own_word(const T* row, const Place& own) {
        return reinterpret_cast<const char*>(row - shift_of(row, kWideBytes)) +
               own.along * kWideBytes;
    }
    static WIDELOAD_DEVICE bool is_staged(int step, const Place& own) {
        return (step + 1) * kRowStep <= kStagedRows || own.row + step * kRowStep < kStagedRows;
    }
    /// Elements between the last multiple of `boundary` bytes and `row`.
    static WIDELOAD_DEVICE int shift_of(const T* row, int boundary) {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % boundary) / kSize;
    }
    static WIDELOAD_DEVICE int element(int index) { return index & (kPerWord - 1); }

    /// elements[k] = elements[(k + turn) % kPerWord], without indexing registers at run time.
    static WIDELOAD_DEVICE void rotate(T (&elements)[kPerWord], int turn) {
#pragma unroll
        for (int step = 1; step < kPerWord; step *= 2) {
            const bool moves = turn & step;
            T moved[kPerWord];
#pragma unroll
            for (int k = 0; k < kPerWord; ++k)
                moved[k] = moves ? elements[element(k + step)] : elements[k];
#pragma unroll
            for (int k = 0; k < kPerWord; ++k) elements[k] = moved[k];
        }
    }

    /// The whole words of a part. `first` is the word that its first element lies in; `staged`,
    /// what belongs there.
    template <class Policy>
    static WIDELOAD_DEVICE void store_words(T* first, const T* staged, int shift,
                                            const Place& own) {
        // The bank of an element follows from its row, `first_bank` elements past a multiple of 4.
        const int first_bank = kMaxShift - shift, turn = own.turn - first_bank;
        constexpr int kRowWords = kSheared ? Width / kPerWord : Width / kPerWord + 1;
#pragma unroll
        for (int j = 0; j < (kRowWords + Lanes - 1) / Lanes; ++j) {
            const int begin = (own.along + j * Lanes) * kPerWord;
            if (!kSheared && (begin < shift || begin - shift + kPerWord > Width)) continue;
            T elements[kPerWord];
#pragma unroll
            for (int k = 0; k < kPerWord; ++k) elements[k] = staged[begin + element(k + turn)];
            rotate(elements, -turn);
            uint4 word;
            std::memcpy(&word, elements, kWideBytes);
            wideload::detail::access<Policy>::template store<kWideBytes>(first + begin, word);
        }
    }
};

}  // namespace wideload::block
