// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>

namespace wideload::block {

/// A tile of `Rows` × `Columns` elements in shared memory whose rows are padded so that 32
/// neighbouring lanes can walk along a row or down a column without bank conflicts. Elements of 4,
/// 8 or 16 bytes.
///
/// A row is as many elements long as make its bytes congruent to one element modulo all banks:
/// neighbours of a column then lie in neighbouring banks, as neighbours of a row do. Source: G.
/// Ruetsch, P. Micikevicius, "Optimizing matrix transpose in CUDA", 2009.
template <class T, int Rows, int Columns>
class padded_tile {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                  "block::padded_tile: elements of 4, 8 or 16 bytes");

public:
    /// Elements from one row to the next.
    static constexpr int kPitch = [] {
        constexpr int kBanks = kLineBytes / static_cast<int>(sizeof(T));
        int pitch = Columns;
        while (pitch % kBanks != 1 % kBanks) ++pitch;
        return pitch;
    }();

    WIDELOAD_DEVICE T& operator()(int row, int column) { return elements_[row * kPitch + column]; }
    WIDELOAD_DEVICE const T& operator()(int row, int column) const {
        return elements_[row * kPitch + column];
    }

private:
    T elements_[Rows * kPitch];
};

/// A tile without padding: column c of row r lies at c XOR r, within squares of 32 × 32 words (16 ×
/// 16 of 8 bytes, 8 × 8 of 16), which larger tiles repeat. Rows and columns are free of bank
/// conflicts, and no memory is lost. Source: XOR swizzles as in NVIDIA's CUTLASS.
template <class T, int Rows, int Columns>
class xor_tile {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                  "block::xor_tile: elements of 4, 8 or 16 bytes");
    static constexpr int kBanks = kLineBytes / static_cast<int>(sizeof(T));
    static_assert(Columns % kBanks == 0, "block::xor_tile: a row must be a multiple of 128 bytes");

public:
    WIDELOAD_DEVICE T& operator()(int row, int column) { return elements_[place(row, column)]; }
    WIDELOAD_DEVICE const T& operator()(int row, int column) const {
        return elements_[place(row, column)];
    }

private:
    static WIDELOAD_DEVICE int place(int row, int column) {
        return row * Columns + (column ^ (row & (kBanks - 1)));
    }
    T elements_[Rows * Columns];
};

}  // namespace wideload::block
