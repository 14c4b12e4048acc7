// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Where the column behind the last one lies, which there is not.
inline constexpr unsigned kNoColumn = 0x80000000u;

/// A matrix in shared memory, of which a column's elements, one behind the other, are gathered by
/// words. Rows are `row_bytes` apart. Element by element of type T, of 1, 2, 4 or 8 bytes, at
/// multiples of its size.
template <class T>
class ColumnWords {
public:
    using Word = access_word_t<(sizeof(T) < 4 ? 4 : sizeof(T))>;
    static constexpr unsigned kUnit = sizeof(T);  ///< words begin at multiples of it
    static constexpr unsigned kSize = sizeof(T);  ///< of an element
    static constexpr unsigned kStepRows = sizeof(Word) / sizeof(T);  ///< that are gathered at once

    WIDELOAD_DEVICE ColumnWords(const char* staged, unsigned row_bytes)
        : staged_(staged), row_bytes_(row_bytes) {}

    /// The unit at byte `byte` of the column whose first element is at byte `column`.
    WIDELOAD_DEVICE T unit(unsigned column, unsigned byte) const {
        return element(column + byte / kSize * row_bytes_);
    }
    /// Calls `put(place, word)` for the words that begin in a column, which is to begin at such a
    /// place: for so many steps from one of them on, and if that is the first for a last word that
    /// ends in the next column, which begins so much `further` than a row below the last one would;
    /// `kNoColumn` where there is none.
    template <class Put>
    WIDELOAD_DEVICE void gather(unsigned column, unsigned further, unsigned place, unsigned rows,
                                unsigned first, unsigned steps, Put put) const {
        constexpr unsigned kBatch = kSize == 1 ? 2 : 4;
        const unsigned skipped = (0u - place) % sizeof(Word) / kSize;
        rows -= skipped;
        column += skipped * row_bytes_;
        place += skipped * kSize;
        const unsigned whole = rows / kStepRows, over = rows % kStepRows;
        if (over != 0 && first == 0) {
            const unsigned row = rows - over;
            put(place + row * kSize, word(column + row * row_bytes_, over, further));
        }
        const unsigned left = first < whole ? whole - first : 0;
        unsigned count = left < steps ? left : steps;
        unsigned from = column + first * kStepRows * row_bytes_;
        unsigned to = place + first * sizeof(Word);
#pragma unroll 1
        for (; count >= kBatch; count -= kBatch) {
            Word held[kBatch];
#pragma unroll
            for (unsigned k = 0; k < kBatch; ++k, from += kStepRows * row_bytes_)
                held[k] = word(from);
#pragma unroll
            for (unsigned k = 0; k < kBatch; ++k, to += sizeof(Word)) put(to, held[k]);
        }
#pragma unroll 1
        for (; count != 0; --count, from += kStepRows * row_bytes_, to += sizeof(Word))
            put(to, word(from));
    }

private:
    WIDELOAD_DEVICE T element(unsigned from) const {
        return *reinterpret_cast<const T*>(staged_ + from);
    }
    /// The word from byte `from` on, of which elements from number `count` on are `further` bytes
    /// further, if there are any.
    WIDELOAD_DEVICE Word word(unsigned from, unsigned count = kStepRows,
                              unsigned further = kNoColumn) const {
        if constexpr (kStepRows == 1) {
            return element(from);
        } else {
            unsigned elements[kStepRows];
#pragma unroll
            for (unsigned i = 0; i < kStepRows; ++i, from += row_bytes_) {
                // No lane reads what is not there: it would meet others in a bank.
                elements[i] = 0;
                if (i < count || further != kNoColumn)
                    elements[i] = element(i < count ? from : from + further);
            }
            const unsigned low =
                __byte_perm(elements[0], elements[1], kStepRows == 2 ? 0x5410 : 0x0040);
            if constexpr (kStepRows == 2) {
                return low;
            } else {
                return __byte_perm(low, __byte_perm(elements[2], elements[3], 0x0040), 0x5410);
            }
        }
    }

    const char* staged_;
    unsigned row_bytes_;
};

/// Elements of `Size` bytes, no multiple of 4, wherever they begin. Up to
/// `kMostStepStruct` bytes: rows whose elements make whole words at a time.
template <int Size>
struct Struct {
    using type = Struct;
};
inline constexpr int kMostStepStruct = 16;

/// Such elements in shared memory, read by the aligned words that they lie in, each only if a byte
/// of it is wanted.
class StagedBytes {
public:
    WIDELOAD_DEVICE explicit StagedBytes(const char* staged) : staged_(staged) {}

    WIDELOAD_DEVICE std::uint8_t byte(unsigned from) const {
        return static_cast<std::uint8_t>(staged_[from]);
    }
    /// `Bytes` bytes from anywhere, and what lies behind them.
    template <int Bytes>
    WIDELOAD_DEVICE void load(unsigned from, unsigned (&bytes)[(Bytes + 3) / 4]) const {
        constexpr int kWords = (Bytes + 6) / 4;
        const unsigned skip = from % 4, *const words = aligned(from);
        unsigned read[kWords];
#pragma unroll
        for (int i = 0; i < kWords - 1; ++i) read[i] = words[i];
        read[kWords - 1] = 0;
        if (skip + Bytes > 4 * (kWords - 1)) read[kWords - 1] = words[kWords - 1];
#pragma unroll
        for (int i = 0; i < (Bytes + 3) / 4; ++i)
            bytes[i] = __funnelshift_r(read[i], read[i + 1 < kWords ? i + 1 : i], skip * 8);
    }
    /// The aligned word in which a byte lies, and those behind it.
    WIDELOAD_DEVICE const unsigned* aligned(unsigned from) const {
        return reinterpret_cast<const unsigned*>(staged_ + from / 4 * 4);
    }

private:
    const char* staged_;
};

template <int Size>
class ColumnWords<Struct<Size>> {
    static constexpr bool kSteps = Size <= kMostStepStruct;

public:
    using Word = unsigned;
    static constexpr unsigned kUnit = 1;
    static constexpr unsigned kSize = Size;
    static constexpr unsigned kStepRows = !kSteps ? 1 : Size % 2 == 0 ? 2 : 4;

    WIDELOAD_DEVICE ColumnWords(const char* staged, unsigned row_bytes)
        : staged_(staged), row_bytes_(row_bytes) {}

    WIDELOAD_DEVICE std::uint8_t unit(unsigned column, unsigned byte) const {
        return staged_.byte(column + byte / kSize * row_bytes_ + byte % kSize);
    }
    template <class Put>
    WIDELOAD_DEVICE void gather(unsigned column, unsigned further, unsigned place, unsigned rows,
                                unsigned first, unsigned steps, Put put) const {
        const unsigned row = first * kStepRows;
        if (row >= rows) return;
        const Rows own{column + row * row_bytes_,
                       row,
                       row + steps * kStepRows,
                       rows,
                       column + rows * row_bytes_ + further,
                       further != kNoColumn};
        if constexpr (kSteps) {
            gather_steps(own, place, put);
        } else {
            gather_rows(own, place, put);
        }
    }

private:
    /// From byte `from` on rows from one to the last or, if less, another: before the `next`
    /// column.
    struct Rows {
        unsigned from, row, end, rows, next;
        bool has_next;
    };
    static constexpr int kRows = kStepRows, kWords = Size * kRows / 4;
    static constexpr int kElementWords = (Size + 3) / 4;
    struct Element {
        Word words[kElementWords];
    };

    WIDELOAD_DEVICE Element element(unsigned from) const {
        Element element;
        staged_.template load<Size>(from, element.words);
        return element;
    }
    /// Steps of `kRows` elements each, from the byte on where the first word begins; the next
    /// step's first element completes the last one.
    template <class Put>
    WIDELOAD_DEVICE void gather_steps(Rows own, unsigned place, Put put) const {
        const unsigned shift = (0u - place) % 4, end = place + own.rows * kSize;
        unsigned to = place + shift + own.row * kSize;
        Element elements[kRows + 1];
        elements[0] = element(own.from);
#pragma unroll 1
        for (; own.row < own.end && own.row + kRows < own.rows; own.row += kRows) {
#pragma unroll
            for (int i = 1; i <= kRows; ++i) elements[i] = element(own.from + i * row_bytes_);
            own.from += kRows * row_bytes_;
#pragma unroll
            for (int word = 0; word < kWords; ++word, to += 4)
                put(to, word_of(elements, word, shift));
            elements[0] = elements[kRows];
        }
        if (own.row >= own.end) return;
#pragma unroll
        for (int i = 1; i <= kRows; ++i) {
            elements[i] = Element{};
            const bool inside = own.row + i < own.rows;
            if (inside || own.has_next)
                elements[i] = element(inside ? own.from + i * row_bytes_ : own.next);
        }
#pragma unroll
        for (int word = 0; word < kWords; ++word, to += 4) {
            if (to < end) put(to, word_of(elements, word, shift));
        }
    }
    /// Words of a step's elements from byte `shift` on.
    static WIDELOAD_DEVICE Word word_of(const Element* elements, int word, unsigned shift) {
        return __funnelshift_r(aligned_word(elements, word), aligned_word(elements, word + 1),
                               shift * 8);
    }
    static WIDELOAD_DEVICE Word aligned_word(const Element* elements, int word) {
        const int element = word * 4 / Size, inside = word * 4 % Size, own = Size - inside;
        const Word low = bytes(elements[element], inside);
        if (own >= 4 || element == kRows) return low;
        return __byte_perm(low, elements[element + 1].words[0],
                           own == 1   ? 0x6540
                           : own == 2 ? 0x5410
                                      : 0x4210);
    }
    static WIDELOAD_DEVICE Word bytes(const Element& element, int from) {
        const int word = from / 4, next = word + 1 < kElementWords ? word + 1 : word;
        return __funnelshift_r(element.words[word], element.words[next], from % 4 * 8);
    }

    /// Rows one by one.
    template <class Put>
    WIDELOAD_DEVICE void gather_rows(Rows own, unsigned place, Put put) const {
#pragma unroll 1
        for (; own.row < own.end && own.row < own.rows; ++own.row, own.from += row_bytes_) {
            const unsigned row = place + own.row * kSize, begin = (0u - row) % 4;
            const unsigned shift = (own.from + begin) % 4 * 8;
            const unsigned count = (kSize - begin) / 4, over = (kSize - begin) % 4;
            const unsigned* words = staged_.aligned(own.from + begin);
            unsigned to = row + begin;
            Word word = words[0];
#pragma unroll 4
            for (unsigned i = 0; i < count; ++i, to += 4) {
                Word next = word;
                if (shift != 0 || i + 1 < count || over != 0) next = words[i + 1];
                put(to, __funnelshift_r(word, next, shift));
                word = next;
            }
            if (over == 0) continue;
            Word behind = word, next[1] = {};
            if (shift + over * 8 > 32) behind = words[count + 1];
            const bool inside = own.row + 1 < own.rows;
            if (inside || own.has_next)
                staged_.template load<3>(inside ? own.from + row_bytes_ : own.next, next);
            put(to, __funnelshift_l(__funnelshift_r(word, behind, shift) << (32 - over * 8),
                                    next[0], over * 8));
        }
    }

    StagedBytes staged_;
    unsigned row_bytes_;
};

}  // namespace wideload::WIDELOAD_DETAIL
