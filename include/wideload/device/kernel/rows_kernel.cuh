// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/strided_kernel.cuh>
#include <wideload/support/fast_divide.cuh>
#include <wideload/thread/funnel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Rows `pitch` bytes apart, the last of which ends at `end`.
template <class Byte>
struct EvenRows {
    static constexpr bool kIndexed = false;
    Byte* base;
    std::size_t pitch;
    Byte* end;
    bool is_aligned(int bytes) const {
        return wideload::is_aligned(base, bytes) && pitch % bytes == 0;
    }
    bool has_aligned_indices() const { return true; }
    /// Row `row` of these and those behind it, from byte `byte` of each on.
    EvenRows from(std::size_t row, std::size_t byte) const {
        return {base + row * pitch + byte, pitch, end};
    }
    WIDELOAD_DEVICE Byte* place(std::uint32_t row) const { return base + row * pitch; }
    template <bool>
    WIDELOAD_DEVICE Byte* at(Byte* place) const {
        return place;
    }
    /// Whether so many bytes are memory of these rows.
    WIDELOAD_DEVICE bool hold(const Byte* address, int bytes) const {
        return address >= base && address <= end - bytes;
    }
};

/// Row i is number `index[i]` of a table of such rows.
template <class Byte, class Number>
struct IndexedRows {
    static constexpr bool kIndexed = true;
    EvenRows<Byte> table;
    const Number* index;
    bool is_aligned(int bytes) const { return table.is_aligned(bytes); }
    bool has_aligned_indices() const { return wideload::is_aligned(index, alignof(Number)); }
    IndexedRows from(std::size_t row, std::size_t byte) const {
        return {table.from(0, byte), index + row};
    }
    /// Has the indices of so many rows brought to L2.
    WIDELOAD_DEVICE void bring_indices(std::uint32_t rows) const {
        prefetch_input(index, std::size_t{rows} * sizeof(Number));
    }
    WIDELOAD_DEVICE const Number* place(std::uint32_t row) const { return index + row; }
    template <bool Aligned>
    WIDELOAD_DEVICE Byte* at(const Number* place) const {
        return table.base + load_index<Aligned>(place) * static_cast<std::ptrdiff_t>(table.pitch);
    }
    WIDELOAD_DEVICE bool hold(const Byte* address, int bytes) const {
        return table.hold(address, bytes);
    }
};

/// Rows as elements of `per_row` words each, for `move_words`.
template <class Rows>
struct RowWords {
    static constexpr bool kIndexed = Rows::kIndexed;
    using Index = std::uint32_t;
    Rows rows;
    fast_divide per_row;
    WIDELOAD_DEVICE auto place(std::uint32_t row) const { return rows.place(row); }
    template <bool Aligned, class Place>
    WIDELOAD_DEVICE auto at(Place place) const {
        return rows.template at<Aligned>(place);
    }
    template <int Word>
    WIDELOAD_DEVICE std::size_t touched(std::size_t words) const {
        return words * Word;
    }
    template <int>
    WIDELOAD_DEVICE void bring_indices(std::size_t words) const {
        rows.bring_indices(per_row.quotient(static_cast<std::uint32_t>(words)));
    }
};

template <int Word, class Rows>
WIDELOAD_DEVICE WordPlace<std::uint32_t> place_of_word(const RowWords<Rows>& words,
                                                       std::uint32_t i) {
    std::uint32_t row;
    const std::uint32_t word = words.per_row.remainder(i, &row);
    return {row, word * Word};
}

/// What a row has in an aligned word of `Word` bytes of the destination, 4 or 16, which may begin
/// before the row or end behind it: two aligned words of the source, shifted into one.
///
/// @tparam Unit  what all addresses and sizes are multiples of: 1, 2 or 4 bytes
template <int Word, int Unit>
class SlippedWord {
public:
    SlippedWord() = default;
    /// @param number  of the words that hold the row in the destination
    WIDELOAD_DEVICE SlippedWord(const char* source, char* destination, int number, int row_bytes)
        : begin_(Word * number - past_word(destination)),
          row_bytes_(row_bytes),
          source_(source + begin_),
          destination_(destination + begin_) {}

    /// Whether both of the source's words are memory of its rows.
    template <class Source>
    WIDELOAD_DEVICE bool is_held(const Source& rows) const {
        return rows.hold(source_ - past_word(source_), 2 * Word);
    }
    /// Words that have nothing of the row are not read.
    WIDELOAD_DEVICE void load() {
        const int slip = past_word(source_), low = begin_ - slip;
        const char* const word = source_ - slip;
        if (low + Word > 0 && low < row_bytes_) words_[0] = access<cached>::load<Word>(word);
        if (slip != 0 && low + Word < row_bytes_)
            words_[1] = access<cached>::load<Word>(word + Word);
    }
    WIDELOAD_DEVICE void store() const {
        const access_word_t<Word> word = shifted();
        if constexpr (kEndsByPieces) {
            std::size_t address = __cvta_generic_to_global(destination_);
            asm("" : "+l"(address));  // or each piece finds it once more
            char* const to = static_cast<char*>(__cvta_global_to_generic(address));
            if (is_whole()) {
                access<cached>::store<Word>(to, word);
            } else {
                store_end(to, word);
            }
        } else if (is_whole()) {
            access<cached>::store<Word>(destination_, word);
        } else if constexpr (Word == 4) {
            store_part(word, 0);
        } else {
            store_part(word.x, 0);
            store_part(word.y, 4);
            store_part(word.z, 8);
            store_part(word.w, 12);
        }
    }

    /// In place of both, where whole words would be read from outside the source.
    WIDELOAD_DEVICE void move_units() const {
#pragma unroll 1
        for (int i = 0; i < Word; i += Unit) {
            if (is_row(i))
                access<cached>::store<Unit>(destination_ + i,
                                            access<cached>::load<Unit>(source_ + i));
        }
    }

private:
    /// Units of an end are many, of 16 bytes; such rows have a word at least.
    static constexpr bool kEndsByPieces = Word == 16 && Unit < 4;

    static WIDELOAD_DEVICE int past_word(const char* address) {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) & (Word - 1));
    }
    WIDELOAD_DEVICE bool is_row(int past) const {
        return begin_ + past >= 0 && begin_ + past < row_bytes_;
    }
    WIDELOAD_DEVICE bool is_whole() const { return begin_ >= 0 && begin_ + Word <= row_bytes_; }
    WIDELOAD_DEVICE access_word_t<Word> shifted() const {
        const auto slip = static_cast<unsigned>(past_word(source_));
        if constexpr (Word == 4) {
            return __funnelshift_r(words_[0], words_[1], 8 * slip);
        } else {
            return funnel_shift_bytes(words_[0], words_[1], slip);
        }
    }
    /// The last bytes of a word in which a row begins, or the first of one in which it ends: by
    /// pieces of 8, 4, 2 and 1 bytes, one of each at most, the larger further inside the row.
    WIDELOAD_DEVICE void store_end(char* to, const uint4& word) const {
        const bool begins = begin_ < 0;
        const int left = row_bytes_ - begin_;
        store_pieces<Word / 2>(to, word, begins, begins ? begin_ + Word : left < 0 ? 0 : left);
    }
    template <int Piece>
    static WIDELOAD_DEVICE void store_pieces(char* to, const uint4& word, bool begins,
                                             unsigned bytes) {
        if constexpr (Piece >= Unit) {
            const unsigned at = begins ? Word - (bytes & ~(Piece - 1u)) : bytes & ~(2 * Piece - 1u);
            if ((bytes & Piece) != 0)
                access<cached>::store<Piece>(to + at, piece_at<Piece>(word, at));
            store_pieces<Piece / 2>(to, word, begins, bytes);
        }
    }
    template <int Piece>
    static WIDELOAD_DEVICE access_word_t<Piece> piece_at(const uint4& word, unsigned at) {
        const uint2 half = at & 8 ? make_uint2(word.z, word.w) : make_uint2(word.x, word.y);
        if constexpr (Piece == 8) {
            return half;
        } else {
            return static_cast<access_word_t<Piece>>((at & 4 ? half.y : half.x) >> 8 * (at & 3));
        }
    }
    /// Of four bytes, `past` into the word, those that are the row's.
    WIDELOAD_DEVICE void store_part(std::uint32_t part, int past) const {
        const int begin = begin_ + past;
        if (begin >= 0 && begin + 4 <= row_bytes_) {
            access<cached>::store<4>(destination_ + past, part);
        } else if constexpr (Unit < 4) {
#pragma unroll
            for (int i = past; i < past + 4; i += Unit) {
                if (is_row(i)) {
                    access<cached>::store<Unit>(
                        destination_ + i, static_cast<access_word_t<Unit>>(part >> 8 * (i - past)));
                }
            }
        }
    }

    int begin_, row_bytes_;  ///< bytes of the row before the word; none exist below 0
    const char* source_;
    char* destination_;
    access_word_t<Word> words_[2];
};

/// In front of the wait for the last kernel: has what thread `first` will read first brought to L2,
/// the indices or, of so few words, where its word begins.
template <int Word, class Rows>
WIDELOAD_DEVICE void bring_slipped(const Rows& rows, const fast_divide& per_row,
                                   std::uint32_t first, std::uint32_t count) {
    if constexpr (Rows::kIndexed) {
        rows.bring_indices(per_row.quotient(count));
    } else {
        std::uint32_t row;
        const std::uint32_t word = per_row.remainder(first, &row);
        constexpr std::uint32_t kFew = 2 * kFewWordsBytes / 16;
        prefetch_address(rows.place(row) + word * Word, first < count && count <= kFew);
    }
}

/// Moves rows that are no whole words, or lie at none, by words of `Word` bytes of the destination,
/// `per_row` for the most that a row may reach into: two aligned words of the source are shifted
/// into one. Ends of rows go by less, as neighbouring rows may be another's.
///
/// @tparam Unit     what all addresses, distances and sizes are multiples of
/// @tparam Few      whether what is read first is brought early; see `bring_slipped`
/// @tparam Aligned  whether indices are at multiples of their alignment
template <int Word, int Unit, int Words, bool Few, int Threads, bool Aligned, class Source,
          class Destination>
__global__ void __launch_bounds__(Threads)
    move_slipped_rows_kernel(const __grid_constant__ Source source,
                             const __grid_constant__ Destination destination, int row_bytes,
                             const __grid_constant__ fast_divide per_row, std::uint32_t count) {
    release_next_kernel();
    const std::uint32_t first = blockIdx.x * (Threads * Words) + threadIdx.x;
    if constexpr (Few) {
        static_assert(Words == 1);
        bring_slipped<Word>(source, per_row, first, count);
        if constexpr (Destination::kIndexed)
            bring_slipped<Word>(destination, per_row, first, count);
    }
    await_last_kernel();
    SlippedWord<Word, Unit> words[Words];
    bool held = true;
    const auto exists = [&](int k) { return first + k * Threads < count; };
#pragma unroll
    for (int k = 0; k < Words; ++k) {
        std::uint32_t row;
        const std::uint32_t number =
            per_row.remainder(exists(k) ? first + k * Threads : count - 1, &row);
        words[k] = {source.template at<Aligned>(source.place(row)),
                    destination.template at<Aligned>(destination.place(row)),
                    static_cast<int>(number), row_bytes};
        held = held && words[k].is_held(source);
    }
    // A lane's condition on its loads would make them wait for one another.
    if (__all_sync(kFullWarp, held)) {
#pragma unroll
        for (int k = 0; k < Words; ++k) words[k].load();
#pragma unroll
        for (int k = 0; k < Words; ++k) {
            if (exists(k)) words[k].store();
        }
    } else {
#pragma unroll
        for (int k = 0; k < Words; ++k) {
            if (exists(k)) words[k].move_units();
        }
    }
}

}  // namespace wideload::WIDELOAD_DETAIL
