// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::block {

/// Transposes tiles of matrices of 1- or 2-byte elements whose rows start at any element, by words
/// of 4 bytes.
///
/// Words are staged as they lie in memory. As many rows as a word has elements apart, rows start
/// alike within a word, so a thread stages only rows that start alike. Rows of one kind lie
/// together in shared memory, so far apart that the lanes that gather the words of an output row,
/// each from one row of every kind, meet different banks. A warp writes only output rows that start
/// alike, so it finds out once where their elements lie. The tile is *sheared*: its part of each
/// output row starts at a word, so that no two blocks write to one, except at the ends of rows.
/// Matrices lie in global memory.
/// Source: this library; see bench/library/notes/transpose.md.
///
/// @tparam Lanes    words of a staged row: 16 or 32; a tile is about as many words high and wide
/// @tparam Sheared  false: the tile's part of each output row starts at its first row, as in place
template <class T, int Lanes, int Threads, bool Sheared = true>
class packed_transpose {
    using Word = std::uint32_t;
    static_assert(sizeof(T) == 1 || sizeof(T) == 2,
                  "block::packed_transpose: elements of 1 or 2 bytes");
    static_assert(Lanes == 16 || Lanes == 32, "block::packed_transpose: rows of 16 or 32 words");
    static constexpr int kPerWord = static_cast<int>(sizeof(Word) / sizeof(T));
    /// The most elements by which a row starts behind the begin of a word.
    static constexpr int kMaxShift = kPerWord - 1;
    /// Rows are counted from `kMaxShift` before the tile's first.
    static constexpr int kStagedRows = Lanes * kPerWord;
    /// Those that a tile needs: all but the last, without shear none before its own.
    static constexpr unsigned kFirstStaged = Sheared ? 0 : kMaxShift;
    static constexpr unsigned kNeededRows = kStagedRows - 1 - kFirstStaged;
    /// Two half warps gather from neighbouring words, and stage rows of two kinds.
    static constexpr int kPitch = Lanes == 16 ? 18 : 33;
    static constexpr int kKindPitch = Lanes == 16 ? Lanes * kPitch + 16 : Lanes * kPitch;
    static constexpr int kGroups = Threads / Lanes;
    static constexpr int kPasses = kStagedRows / kGroups;
    /// Whether a thread keeps the address that its loads count from: else ptxas computes it anew
    /// for each, in up to 20 instructions. Four loads of bytes are sooner under way so all the
    /// same.
    static constexpr bool kKeepsAddress = sizeof(T) == 2 || kPasses > 4;
    static_assert(kGroups * kPasses == kStagedRows && Threads % (kWarpLanes * kPerWord) == 0,
                  "block::packed_transpose: a warp for each element of a word at least, and no "
                  "more threads than words");

public:
    struct storage {
        Word words[kPerWord * kKindPitch];
    };
    /// Elements of a tile along the output's rows, and along the input's.
    static constexpr int kWidth = kStagedRows - kPerWord;
    static constexpr int kHeight = Sheared ? kStagedRows - kMaxShift : kWidth;

    /// Tiles that cover an output row of `rows` elements wherever it starts.
    static WIDELOAD_HOST_DEVICE std::size_t tiles_along_output(std::size_t rows) {
        return divide_up<std::size_t>(rows + (Sheared ? kMaxShift : 0), kWidth);
    }

    /// A tile of one of the matrices of a batch, one behind the other. So few that elements of the
    /// batch, and of kStagedRows rows behind it, count below 2^32.
    struct place {
        const T* input;          ///< of the first matrix
        T* output;               ///< of the first matrix, transposed
        unsigned count;          ///< elements of all matrices
        unsigned matrix;         ///< elements in front of the tile's matrix
        unsigned rows, columns;  ///< of a matrix of the input, at least 2
        unsigned row, column;    ///< the tile's first: multiples of kWidth and kHeight

        WIDELOAD_DEVICE unsigned tile_columns() const {
            const unsigned rest = columns - column;
            return rest < kHeight ? rest : kHeight;
        }
    };

    /// What a thread has of the tile's rows.
    class words {
    public:
        /// Reads them. Nothing outside the batch is read.
        template <class Policy = cached>
        WIDELOAD_DEVICE void fetch(const place& tile, unsigned thread) {
            const unsigned lane = thread % Lanes, group = thread / Lanes;
            const Range range(tile);
            const unsigned row =
                range.begin + (tile.row - kMaxShift + group) * tile.columns + tile.column;
            const bool wanted = lane * kPerWord < row % kPerWord + tile.tile_columns();
            const unsigned limit = wanted ? range.upper - range.lower : 0;
            const T* first = tile.input + range.before + range.lower;
            if constexpr (kKeepsAddress) asm volatile("" : "+l"(first));
            unsigned next = row / kPerWord * kPerWord + lane * kPerWord - range.lower;
#pragma unroll
            for (int pass = 0; pass < kPasses; ++pass, next += kGroups * tile.columns) {
                // See kNeededRows; only the first and last pass have others.
                const bool needed = (Sheared || pass != 0 || group >= kMaxShift) &&
                                    (pass != kPasses - 1 || group != kGroups - 1);
                exist_[pass] = next < limit && needed;
                if (exist_[pass])
                    words_[pass] = wideload::detail::access<Policy>::template load<4>(first + next);
            }
        }

        /// Stages them, with those elements of the tile that lie in no whole word of the batch. A
        /// barrier must follow.
        template <class Policy = cached>
        WIDELOAD_DEVICE void put(storage& shared, const place& tile, unsigned thread) const {
            const Range range(tile);
            if (range.cut_before != 0 || range.cut_after != 0)
                put_ends<Policy>(shared, tile, range, thread);
            Word* const staged = shared.words + start_of(thread / Lanes) + thread % Lanes;
#pragma unroll
            for (int pass = 0; pass < kPasses; ++pass) {
                if (exist_[pass]) staged[pass * (kGroups / kPerWord * kPitch)] = words_[pass];
            }
        }

    private:
        Word words_[kPasses];
        bool exist_[kPasses];
    };

    /// Where a thread finds its words of the output rows, and where they go.
    class gather {
    public:
        WIDELOAD_DEVICE gather(const place& tile, unsigned thread) {
            constexpr unsigned kTogether = kWarpLanes / Lanes;
            const unsigned lane = thread % Lanes, warp = thread / kWarpLanes;
            const unsigned half = thread % kWarpLanes / Lanes;
            const unsigned column =
                warp % kPerWord + (warp / kPerWord * kTogether + half) * kPerWord;
            columns_ = static_cast<int>(tile.tile_columns() - column);
            const unsigned output_shift = shift_of(tile.output);
            const unsigned to =
                output_shift + tile.matrix + (tile.column + column) * tile.rows + tile.row;
            const unsigned shift = to % kPerWord;
            output_ = tile.output - output_shift;
            first_ = to - shift + lane * kPerWord;
            step_ = std::size_t{kGroups} * tile.rows;

            const unsigned staged_row = lane * kPerWord + kMaxShift - shift;
            const unsigned from = shift_of(tile.input) + tile.matrix + tile.column +
                                  (tile.row - kMaxShift + staged_row) * tile.columns;
            unsigned element[kPerWord];
#pragma unroll
            for (int i = 0; i < kPerWord; ++i) {
                element[i] = (from + i * tile.columns) % kPerWord + column;
                sources_[i] = start_of(staged_row + i) + element[i] / kPerWord;
            }
            select(element);
            stored_ = owned(static_cast<int>(tile.row + lane * kPerWord - shift), tile, shift);
            // Here, while words are under way, not behind the barrier.
            asm volatile("" : "+r"(first_), "+r"(stored_), "+r"(low_), "+r"(high_));
#pragma unroll
            for (int i = 0; i < kPerWord; ++i) asm volatile("" : "+r"(sources_[i]));
        }

        /// Stores them, from what all threads have put.
        template <class Policy = cached>
        WIDELOAD_DEVICE void drain(const storage& shared) const {
            // Only where output rows end: elsewhere a word is one store.
            const bool has_parts = stored_ % (1u << kPerWord) != 0;
            if (__any_sync(~0u, has_parts)) {
                drain_words<true, Policy>(shared);
            } else {
                drain_words<false, Policy>(shared);
            }
        }

    private:
        /// @tparam HasParts  whether a lane of the warp stores single elements of its words
        template <bool HasParts, class Policy>
        WIDELOAD_DEVICE void drain_words(const storage& shared) const {
            T* next = output_ + first_;
            std::size_t step = step_;
            asm volatile("" : "+l"(step));
#pragma unroll
            for (int c = 0; c < kHeight; c += kGroups, next += step) {
                if (c >= columns_) break;
                asm volatile("" : "+l"(next));  // or each store computes it once more
                __builtin_assume(__isGlobal(next));
                Word words[kPerWord];
#pragma unroll
                for (int i = 0; i < kPerWord; ++i)
                    words[i] = shared.words[sources_[i] + c / kPerWord];
                const Word word = packed(words);
                if (stored_ >> kPerWord & 1)
                    wideload::detail::store_bytes<4, 4, Policy>(next, &word);
                if constexpr (HasParts) store_parts<Policy>(next, word);
            }
        }
        template <class Policy>
        WIDELOAD_DEVICE void store_parts(T* to, Word word) const {
#pragma unroll
            for (int i = 0; i < kPerWord; ++i) {
                const T element = static_cast<T>(word >> i * 8 * sizeof(T));
                if (stored_ >> i & 1)
                    wideload::detail::store_bytes<sizeof(T), sizeof(T), Policy>(to + i, &element);
            }
        }

        /// A bit for each of its elements that the tile stores, or the next for all of the word.
        /// The first one's row may be negative.
        static WIDELOAD_DEVICE unsigned owned(int row, const place& tile, unsigned shift) {
            constexpr unsigned kAll = (1u << kPerWord) - 1;
            const int first = Sheared ? 0 : static_cast<int>(tile.row);
            const int part = static_cast<int>(tile.row + kWidth - (Sheared ? shift : 0));
            const int last =
                static_cast<int>(tile.rows) < part ? static_cast<int>(tile.rows) : part;
            const int skipped = first > row ? first - row : 0;
            const int rest = last > row ? last - row : 0;
            unsigned elements = kAll << skipped & kAll;
            if (rest < kPerWord) elements &= (1u << rest) - 1;
            return elements == kAll ? 1u << kPerWord : elements;
        }

        WIDELOAD_DEVICE void select(const unsigned (&element)[kPerWord]) {
            const auto place = [&](int i) { return element[i] % kPerWord; };
            if constexpr (kPerWord == 2) {
                low_ = place(0) * 0x22 + 0x10 + ((place(1) * 0x22 + 0x54) << 8);
                high_ = 0;
            } else {
                low_ = place(0) | (place(1) + 4) << 4;
                high_ = place(2) | (place(3) + 4) << 4;
            }
        }
        WIDELOAD_DEVICE Word packed(const Word (&words)[kPerWord]) const {
            const Word low = __byte_perm(words[0], words[1], low_);
            if constexpr (kPerWord == 2) {
                return low;
            } else {
                return __byte_perm(low, __byte_perm(words[2], words[3], high_), 0x5410);
            }
        }

        T* output_;
        unsigned first_;  ///< element behind `output_`
        std::size_t step_;
        int columns_;
        unsigned sources_[kPerWord];
        unsigned low_, high_;  ///< of which bytes words are
        unsigned stored_;
    };

private:
    /// By how many elements `pointer` lies behind the begin of a word.
    static WIDELOAD_DEVICE unsigned shift_of(const T* pointer) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(pointer)) % sizeof(Word) /
               sizeof(T);
    }
    /// Where staged row number `row` starts: rows that start alike lie together.
    static WIDELOAD_DEVICE unsigned start_of(unsigned row) {
        return row % kPerWord * kKindPitch + row / kPerWord * kPitch;
    }

    /// What may be read whole, counted from the batch's first whole word.
    struct Range {
        unsigned before;                 ///< elements of the batch in front of that word
        unsigned begin;                  ///< the matrix'
        unsigned lower, upper;           ///< words that begin there have elements of the matrix
        unsigned cut_before, cut_after;  ///< the matrix' elements in front and behind

        WIDELOAD_DEVICE explicit Range(const place& tile) {
            before = (kPerWord - shift_of(tile.input)) % kPerWord;
            begin = tile.matrix - before;
            const unsigned whole = (tile.count - before) / kPerWord * kPerWord;
            const unsigned end = begin + tile.rows * tile.columns;
            lower = tile.matrix == 0 ? 0 : begin / kPerWord * kPerWord;
            upper = end < whole ? end : whole;
            cut_before = tile.matrix == 0 ? before : 0;
            cut_after = end - upper;
        }
    };

    /// The tile's elements that lie in no whole word of the batch, each by a thread: a warp's at
    /// either end, since elements of both may meet in the banks.
    template <class Policy>
    static WIDELOAD_DEVICE void put_ends(storage& shared, const place& tile, const Range& range,
                                         unsigned thread) {
        static_assert(kMaxShift <= kWarpLanes && Threads >= 2 * kWarpLanes);
        const unsigned warp = thread / kWarpLanes, number = thread % kWarpLanes;
        if (warp > 1) return;
        const bool front = warp == 0;
        if (number >= (front ? range.cut_before : range.cut_after)) return;
        const unsigned rows_on = number >= tile.columns;  // of 2 columns
        const unsigned columns_on = number - rows_on * tile.columns;
        const unsigned row = front ? rows_on : tile.rows - 1 - rows_on;
        const unsigned column = (front ? columns_on : tile.columns - 1 - columns_on) - tile.column;
        const unsigned staged_row = row - (tile.row - kMaxShift);
        if (staged_row - kFirstStaged >= kNeededRows || column >= kHeight) return;
        const unsigned shift = (range.begin + row * tile.columns + tile.column) % kPerWord;
        T element;
        wideload::detail::load_bytes<sizeof(T), sizeof(T), Policy>(
            tile.input + (front ? number : tile.count - 1 - number), &element);
        T* const words = reinterpret_cast<T*>(shared.words + start_of(staged_row));
        words[shift + column] = element;
    }
};

}  // namespace wideload::block
