// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/support/integer.cuh>
#include <wideload/support/turn.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::block {

/// Transposes tiles of matrices of elements that are no whole words, of 3, 5, 6, 7 bytes and the
/// like, whose rows start at any element, by words of 4 bytes.
///
/// As many elements as make whole words are a *group*: 4 of 3 bytes are 3 words. Words are staged
/// as they lie in memory, rows that start alike within a word together, as `packed_transpose` has
/// them. A lane writes every 32nd word of an output row. Which bytes of which of a
/// group's elements a word has, its *phase*, differs from lane to lane; but as a group has an odd
/// number of words, a lane's words have each phase once. So the lanes gather their words of one
/// phase together, from rows that start alike, all in different banks, and turn their words into
/// the order of memory by selections. The tile is *sheared*: its part of each output row starts at
/// a group that is whole words, so that no two blocks write to one, except at the ends of rows.
/// Matrices lie in global memory.
/// Source: this library; see bench/library/notes/transpose.md.
///
/// @tparam Size      bytes of an element: 3 or more, no multiple of 4
/// @tparam RowWords  the most words of a staged row: even
template <int Size, int RowWords, int Threads>
class grouped_transpose {
    using Word = std::uint32_t;
    static_assert(Size > 2 && Size % 4 != 0,
                  "block::grouped_transpose: elements of 3 bytes and more that are no whole words");
    static constexpr int kWordBytes = sizeof(Word);
    /// Elements begin at multiples of so many bytes, which shifts of words are counted in.
    static constexpr int kAlignment = Size % 2 == 0 ? 2 : 1;
    static constexpr int kGroup = kWordBytes / kAlignment;
    static constexpr int kPhases = Size * kGroup / kWordBytes;
    static constexpr int kWarps = Threads / kWarpLanes;
    static_assert(Threads == kWarps * kWarpLanes && is_power_of_two(kWarps) && kWarps >= kGroup,
                  "block::grouped_transpose: a power of two of warps, one for each element of a "
                  "group at least");
    static_assert(RowWords % 2 == 0, "block::grouped_transpose: rows of an even number of words");
    /// The most elements by which a row of the tile starts early.
    static constexpr int kMaxShift = kGroup - 1;
    static constexpr int kStagedRows = kWarpLanes * kGroup;
    static constexpr int kPitch = RowWords + 1;
    static constexpr int kKindPitch = kWarpLanes * kPitch;
    /// Whole elements of a row of words, wherever in a word it begins.
    static constexpr int kFit = (RowWords * kWordBytes - (kWordBytes - kAlignment)) / Size;
    static_assert(kFit >= kWarps, "block::grouped_transpose: rows of an element for each warp");

public:
    struct storage {
        /// Behind the rows lies what the last lane reads in vain.
        Word words[kGroup * kKindPitch + kPitch];
    };
    /// Elements of a tile along the output's rows, and along the input's.
    static constexpr int kWidth = kStagedRows - kGroup;
    static constexpr int kHeight = kFit / kWarps * kWarps;

    /// Tiles that cover an output row of `rows` elements wherever it starts.
    static WIDELOAD_HOST_DEVICE std::size_t tiles_along_output(std::size_t rows) {
        return divide_up<std::size_t>(rows + kMaxShift, kWidth);
    }
    /// Whether 31 bits count the bytes of a tile's rows, `pitch` elements apart.
    static WIDELOAD_HOST_DEVICE bool counts(std::size_t pitch) {
        return pitch <= INT32_MAX / (kStagedRows * Size);
    }

    /// A tile of one of the matrices of a batch, in order of their addresses, at multiples of 2
    /// bytes if elements are.
    struct place {
        const char* input;            ///< the matrix
        char* output;                 ///< the matrix, transposed
        bool first, last;             ///< whether the matrix is the batch's first, its last
        std::size_t rows, columns;    ///< of the input
        std::size_t pitch, to_pitch;  ///< elements from row to row of the input, and of the output
        std::size_t row, column;      ///< the tile's first

        WIDELOAD_DEVICE int tile_columns() const {
            const std::size_t rest = columns - column;
            return rest < kHeight ? static_cast<int>(rest) : kHeight;
        }
        /// Where the tile's part of a row of the matrix lies, `row_before` before the tile's first.
        WIDELOAD_DEVICE const char* row_begin(int row_before) const {
            const auto number = static_cast<std::ptrdiff_t>(row) - row_before;
            return input + (number * static_cast<std::ptrdiff_t>(pitch) +
                            static_cast<std::ptrdiff_t>(column)) *
                               Size;
        }
        WIDELOAD_DEVICE const char* end() const {
            return input + ((rows - 1) * pitch + columns) * Size;
        }
    };

    /// Asks for the tile's rows, by asynchronous copies of words. Nothing outside the batch is
    /// read. `staged` and a barrier must follow before `drain`.
    static WIDELOAD_DEVICE void stage(storage& shared, const place& tile, int thread) {
        const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
        const char* const end = tile.end();
        // Words that begin in this range may be read whole, and have bytes of the matrix.
        const char* const lower = word_of(tile.first ? tile.input + kWordBytes - 1 : tile.input);
        const char* const upper = word_of(tile.last ? end : end + kWordBytes - 1);
        const char* const base = word_of(tile.row_begin(kMaxShift));
        const unsigned skipped = lower > base ? static_cast<unsigned>(lower - base) : 0;
        constexpr std::ptrdiff_t kMost = std::ptrdiff_t{1} << 31;
        const unsigned limit =
            static_cast<unsigned>(upper - base < kMost ? upper - base : kMost) - skipped;

        const char* const row = tile.row_begin(kMaxShift - warp);
        const int wanted = (shift_of(row) + tile.tile_columns() * Size - 1) / kWordBytes;
        unsigned next = static_cast<unsigned>(word_of(row) - base) + lane * kWordBytes - skipped;
        const unsigned step = static_cast<unsigned>(tile.pitch) * (Size * kWarps);
        Word* const staged = shared.words + start_of(warp) + lane;
        // Not all at once: their addresses would take more registers than there are.
#pragma unroll 4
        for (int pass = 0; pass < kStagedRows / kWarps; ++pass, next += step) {
#pragma unroll
            for (int word = 0; word < RowWords; word += kWarpLanes) {
                const unsigned at = next + word * kWordBytes;
                if (lane + word <= wanted && at < limit)
                    wideload::detail::async_copy<kWordBytes>(
                        staged + pass * (kWarps / kGroup * kPitch) + word, base + skipped + at);
            }
        }
        wideload::detail::async_commit();
        put_ends(shared, tile, thread);
    }

    /// Waits for what this thread's `stage` call has under way.
    static WIDELOAD_DEVICE void staged() { wideload::detail::async_wait<0>(); }

    /// Where a thread finds its words of the output rows, and where they go.
    class gather {
    public:
        WIDELOAD_DEVICE gather(const place& tile, int thread) {
            asm volatile("" : "+r"(thread));  // once rows are under way, not before
            const int lane = thread % kWarpLanes, warp = thread / kWarpLanes;
            columns_ = tile.tile_columns() - warp;
            char* const to =
                tile.output + ((tile.column + warp) * tile.to_pitch + tile.row) * std::size_t{Size};
            // The inverse of the element's size, modulo a group's elements, is the size.
            const int shift = shift_of(to) / kAlignment * (Size / kAlignment) % kGroup;
            output_ = to - shift * Size + lane * kWordBytes;
            step_ = tile.to_pitch * (Size * kWarps);
#pragma unroll
            for (int element = 0; element < kGroup; ++element) {
                const int row = kMaxShift - shift + element;
                elements_[element] = start_of(row) * kWordBytes +
                                     shift_of(tile.row_begin(shift - element)) + warp * Size;
            }
            turns_ = lane * kInverse % kPhases;
#pragma unroll
            for (int phase = 0; phase < kPhases; ++phase) {
                const int word = (phase + kPhases * kWarpLanes - lane) * kInverse % kPhases;
                groups_[phase] = (lane + word * kWarpLanes) / kPhases * kPitch;
            }
            own(tile, shift, lane * kWordBytes);
        }

        /// Stores them, from what all threads have staged.
        template <class Policy = cached>
        WIDELOAD_DEVICE void drain(const storage& shared) const {
            // Only where output rows end. Kernels of more words by two loops would spill.
            if (kPhases > 3 || __any_sync(~0u, end_ != 0)) {
                drain_words<true, Policy>(shared);
            } else {
                drain_words<false, Policy>(shared);
            }
        }

    private:
        /// @tparam HasParts  whether a lane of the warp stores single bytes of its words
        template <bool HasParts, class Policy>
        WIDELOAD_DEVICE void drain_words(const storage& shared) const {
            char* next = output_;
#pragma unroll
            for (int column = 0; column < kHeight; column += kWarps, next += step_) {
                if (column >= columns_) break;
                if constexpr (!HasParts) {
                    asm volatile("" : "+l"(next));  // or each store computes it once more
                    __builtin_assume(__isGlobal(next));
                }
                Word words[kPhases];
#pragma unroll
                for (int word = 0; word < kPhases; ++word)
                    words[word] = word_of_phase(shared, word * kWarpLanes % kPhases, column);
                wideload::detail::rotate(words, turns_);
                if (!HasParts || whole_ != 0) {
#pragma unroll
                    for (int word = 0; word < kPhases; ++word) {
                        if (whole_ >> word & 1)
                            wideload::detail::store_bytes<4, 4, Policy>(
                                next + word * (kWarpLanes * kWordBytes), &words[word]);
                    }
                }
                if constexpr (HasParts) {
                    if (end_ != 0) store_bytewise<Policy>(next, words);
                }
            }
        }

        /// Of the lanes, modulo the phases: an odd number.
        static constexpr int kInverse = [] {
            int inverse = 1;
            while (inverse * kWarpLanes % kPhases != 1 % kPhases) ++inverse;
            return inverse;
        }();

        /// Finds out which of a lane's words, that begin `before` bytes into the tile's part of an
        /// output row, the tile stores: whole ones, and bytes [begin_, end_) of others.
        WIDELOAD_DEVICE void own(const place& tile, int shift, int before) {
            // The last tile may begin behind the rows, and have but what a shift brings in.
            const std::size_t rows = tile.rows + shift;
            const std::size_t rest = rows > tile.row ? rows - tile.row : 0;
            begin_ = (tile.row == 0 ? shift * Size : 0) - before;
            end_ = static_cast<int>(rest < kWidth ? rest : kWidth) * Size - before;
            whole_ = 0;
            bool in_part = false;
#pragma unroll
            for (int word = 0; word < kPhases; ++word) {
                const int at = word * (kWarpLanes * kWordBytes);
                const bool some = at + kWordBytes > begin_ && at < end_;
                const bool all = at >= begin_ && at + kWordBytes <= end_;
                whole_ |= all ? 1u << word : 0;
                in_part |= some && !all;
            }
            if (!in_part) end_ = 0;
        }

        /// `Bytes` bytes of a group's element number `element`, from its byte `byte` on.
        template <int Bytes>
        WIDELOAD_DEVICE Word piece(const storage& shared, int group, int element, int byte) const {
            const unsigned at = elements_[element] + byte;
            const Word* const from = shared.words + group + at / kWordBytes;
            const unsigned place = at % kWordBytes;
            if constexpr (Bytes <= kAlignment) return *from >> place * 8;
            return __byte_perm(from[0], from[1], 0x3210 + place * 0x1111);
        }
        template <int Bytes>
        WIDELOAD_DEVICE Word pieces(const storage& shared, int group, int element) const {
            const Word low = piece<Bytes>(shared, group, element, Size - Bytes);
            const Word high = piece<4 - Bytes>(shared, group, element + 1, 0);
            return __byte_perm(low, high, Bytes == 1 ? 0x6540 : Bytes == 2 ? 0x5410 : 0x4210);
        }
        WIDELOAD_DEVICE Word word_of_phase(const storage& shared, int phase, int column) const {
            const int group = groups_[phase] + column / kGroup * kPhases;
            const int element = phase * kWordBytes / Size, byte = phase * kWordBytes % Size;
            switch (Size - byte) {
                case 1:
                    return pieces<1>(shared, group, element);
                case 2:
                    return pieces<2>(shared, group, element);
                case 3:
                    return pieces<3>(shared, group, element);
                default:
                    return piece<4>(shared, group, element, byte);
            }
        }

        template <class Policy>
        WIDELOAD_DEVICE void store_bytewise(char* next, const Word (&words)[kPhases]) const {
#pragma unroll
            for (int word = 0; word < kPhases; ++word) {
                if (whole_ >> word & 1) continue;
#pragma unroll
                for (int byte = 0; byte < kWordBytes; ++byte) {
                    const int at = word * (kWarpLanes * kWordBytes) + byte;
                    const auto value = static_cast<std::uint8_t>(words[word] >> byte * 8);
                    if (at >= begin_ && at < end_)
                        wideload::detail::store_bytes<1, 1, Policy>(next + at, &value);
                }
            }
        }

        char* output_;
        std::size_t step_;
        int columns_;
        unsigned elements_[kGroup];  ///< bytes to those of the first group
        int groups_[kPhases];        ///< words to that of the lane's word of a phase
        unsigned turns_;
        int begin_, end_;
        unsigned whole_;
    };

private:
    static WIDELOAD_DEVICE const char* word_of(const char* pointer) {
        return pointer - shift_of(pointer);
    }
    static WIDELOAD_DEVICE int shift_of(const char* pointer) {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % kWordBytes);
    }
    /// Where staged row number `row` starts, counted from kMaxShift before the tile's first: rows
    /// that start alike lie together.
    static WIDELOAD_DEVICE int start_of(int row) {
        return row % kGroup * kKindPitch + row / kGroup * kPitch;
    }

    /// Stages what the tile has of the batch's first and last bytes that lie in no whole word of
    /// it, each by a thread: of the first element, or of the last by another warp, as both may lie
    /// in one bank.
    static WIDELOAD_DEVICE void put_ends(storage& shared, const place& tile, int thread) {
        const bool front = thread < kWarpLanes;
        const char* const end = tile.end();
        const char* const whole = word_of(tile.input + kWordBytes - 1);
        const int before = tile.first ? static_cast<int>(whole - tile.input) : 0;
        const int after = tile.last ? shift_of(end) : 0;
        const int number = front ? thread : thread - kWarpLanes;
        if (number >= (front ? before : after)) return;
        const std::size_t row = (front ? 0 : tile.rows - 1) - tile.row + kMaxShift;
        const std::size_t column = (front ? 0 : tile.columns - 1) - tile.column;
        if (row >= kStagedRows || column >= kHeight) return;
        const char* const begin = tile.row_begin(kMaxShift - static_cast<int>(row));
        const int byte = static_cast<int>(column) * Size + (front ? number : Size - 1 - number);
        char* const staged =
            reinterpret_cast<char*>(shared.words + start_of(static_cast<int>(row)));
        staged[shift_of(begin) + byte] = begin[byte];
    }
};

}  // namespace wideload::block
