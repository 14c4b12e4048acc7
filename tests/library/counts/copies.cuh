// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/copy.cuh>
#include <wideload/device/copy_rows.cuh>
#include <wideload/device/fill.cuh>
#include <wideload/device/gather.cuh>
#include <wideload/device/strided_copy.cuh>

#include <vector>

#include "case.cuh"
#include "copy_sectors.cuh"
#include "rows_sectors.cuh"

/// copy, fill, strided_copy, gather, scatter, of elements and of rows.
namespace counts {

inline void copy_bytes(std::size_t bytes, std::size_t from_offset, std::size_t to_offset) {
    Memory from(bytes, from_offset), to(bytes, to_offset);
    Case c("copy of " + std::to_string(bytes) + " bytes from " + std::to_string(from_offset) +
           " to " + std::to_string(to_offset) + " past a line");
    const CopiedBytes copied(bytes, from_offset, to_offset);
    const Moved moved = copied.moved();
    if (copied.whole() && from_offset % kSectorBytes == 0) {
        c.whole("global_ld", moved.read).whole("global_st", moved.written);
    } else {
        // Words that move as they are may be read from the middle of a sector on.
        copied.shifted() ? c.wide_exactly("global_ld", moved.read)
                         : c.wide_runs_exactly("global_ld", moved.read);
        c.wide_exactly("global_st", moved.written);
    }
    c.run([&] { return wideload::copy_bytes(from.as<char>(), to.as<char>(), bytes); });
}

/// Cut as a copy whose ends are aligned alike.
template <int Size>
void fill_with(std::size_t most_bytes, std::size_t offset) {
    const std::size_t count = most_bytes / Size, bytes = count * Size;
    Memory to(bytes, offset);
    Case c("fill of " + std::to_string(most_bytes) + " bytes with values of " +
           std::to_string(Size) + ", " + std::to_string(offset) + " past a line");
    const std::size_t begin = round_up(offset, kLineBytes) - offset;
    const std::size_t end = begin + round_down(bytes - begin, kWordBytes);
    if (begin == 0 && end == bytes) {
        c.whole("global_st", sectors(bytes));
    } else {
        c.wide_exactly("global_st",
                       sectors(end - begin) + sectors_around(begin, end, bytes, offset, 1, 1));
    }
    c.run([&] { return wideload::fill(to.as<Blob<Size>>(), count, Blob<Size>{}); });
}

template <class T>
void move_with_stride(int stride) {
    constexpr std::size_t kCount = 1 << 13;
    Memory near(kCount * sizeof(T)), far(kCount * sizeof(T) * stride);
    std::vector<int> positions(kCount);
    for (std::size_t i = 0; i < kCount; ++i) positions[i] = static_cast<int>(i) * stride;
    const std::size_t apart = sectors_of_words(sizeof(T), positions);
    const std::size_t together = sectors(kCount * sizeof(T));
    const std::string what =
        std::to_string(sizeof(T)) + " bytes, " + std::to_string(stride) + " elements apart";
    Case("strided read of " + what)
        .exactly("global_ld", apart)
        .whole("global_st", together)
        .run([&] { return wideload::strided_copy(far.as<T>(), stride, near.as<T>(), 1, kCount); });
    Case("strided write of " + what)
        .whole("global_ld", together)
        .exactly("global_st", apart)
        .run([&] { return wideload::strided_copy(near.as<T>(), 1, far.as<T>(), stride, kCount); });
}

template <class T>
void move_by_index(int step, const char* order) {
    constexpr int kCount = 1 << 13;
    std::vector<int> index(kCount);
    for (int i = 0; i < kCount; ++i) index[i] = i * step % kCount;
    Memory indices(kCount * sizeof(int)), ordered(kCount * sizeof(T)), chosen(kCount * sizeof(T));
    require(
        cudaMemcpy(indices.as<int>(), index.data(), kCount * sizeof(int), cudaMemcpyHostToDevice),
        "cudaMemcpy");
    const std::size_t apart = sectors_of_words(sizeof(T), index);
    const std::size_t together = sectors(kCount * sizeof(T));
    std::vector<std::size_t> names;  // each word asks for the index of its element
    for (std::size_t byte = 0; byte < kCount * sizeof(T); byte += widest_word(sizeof(T)))
        names.push_back(byte / sizeof(T));
    const std::size_t named = sectors_of_lanes(names, sizeof(int), sizeof(int));
    const std::string what = std::to_string(sizeof(T)) + " bytes, " + order;
    Case("gather of " + what)
        .exactly("global_ld", named + apart)
        .whole("global_st", together)
        .run([&] {
            return wideload::gather(chosen.as<T>(), indices.as<int>(), ordered.as<T>(), kCount);
        });
    Case scatter("scatter of " + what);
    // What one request asks for of the indices may lie across the end of a sector.
    if (sizeof(T) == widest_word(sizeof(T))) {
        scatter.whole("global_ld", named + together);
    } else {
        scatter.exactly("global_ld", named + together);
    }
    scatter.exactly("global_st", apart).run([&] {
        return wideload::scatter(ordered.as<T>(), indices.as<int>(), chosen.as<T>(), kCount);
    });
}

/// The numbers of `rows` rows of a table of one more, whose last is not among them.
class NamedRows {
public:
    explicit NamedRows(std::size_t rows) : memory_(rows * sizeof(int)) {
        for (std::size_t i = 0; i < rows; ++i)
            numbers_.push_back(static_cast<int>(i * 4093 % rows));
        require(cudaMemcpy(memory_.as<int>(), numbers_.data(), rows * sizeof(int),
                           cudaMemcpyHostToDevice),
                "cudaMemcpy");
    }
    const std::vector<int>& numbers() const { return numbers_; }
    const int* data() { return memory_.as<const int>(); }

private:
    Memory memory_;
    std::vector<int> numbers_;
};

/// Rows that are whole words of `widest_word(row_bytes)` bytes, as elements of that size.
inline void move_whole_rows(std::size_t rows, std::size_t row_bytes) {
    NamedRows index(rows);
    Memory table((rows + 1) * row_bytes), packed(rows * row_bytes);
    const std::size_t word = widest_word(row_bytes);
    std::vector<std::size_t> names;  // each word asks for the index of its row
    for (std::size_t byte = 0; byte < rows * row_bytes; byte += word)
        names.push_back(byte / row_bytes);
    const std::size_t named = sectors_of_lanes(names, sizeof(int), sizeof(int));
    const std::size_t apart = sectors_of_words(row_bytes, index.numbers());
    const std::size_t together = sectors(rows * row_bytes);
    const std::string what =
        std::to_string(rows) + " rows of " + std::to_string(row_bytes) + " bytes";
    Case("gather of " + what)
        .exactly("global_ld", named + apart)
        .whole("global_st", together)
        .run([&] {
            return wideload::gather_rows(table.as<char>(), rows + 1, index.data(),
                                         packed.as<char>(), rows, row_bytes);
        });
    Case("scatter of " + what)
        .exactly("global_ld", named + together)
        .exactly("global_st", apart)
        .run([&] {
            return wideload::scatter_rows(packed.as<char>(), index.data(), table.as<char>(),
                                          rows + 1, rows, row_bytes);
        });
}

/// Rows that are shifted, all addresses being multiples of `unit`.
inline void move_slipped_rows(std::size_t rows, std::size_t row_bytes, std::size_t unit,
                              std::size_t offset) {
    NamedRows index(rows);
    Memory table((rows + 1) * row_bytes, offset), packed(rows * row_bytes, 0);
    const auto named_row = [&](std::size_t row) {
        return offset + static_cast<std::size_t>(index.numbers()[row]) * row_bytes;
    };
    const auto row_in_order = [&](std::size_t row) { return row * row_bytes; };
    const std::size_t block = wideload::tuning::kStridedThreads;
    const auto word = [&](bool scattered) -> std::size_t {
        const std::size_t wide =
            wideload::tuning::wide_row_bytes(static_cast<int>(unit), !scattered, scattered);
        return row_bytes >= wide ? 16 : 4;
    };
    const auto expected = [&](const SlippedRows& shape) {
        Moved moved = shape.moved(block);
        moved.read += sectors_of_lanes(shape.named(block), sizeof(int), sizeof(int));
        return moved;
    };
    const std::string what = std::to_string(rows) + " rows of " + std::to_string(row_bytes) +
                             " bytes, " + std::to_string(offset) + " past a line";
    const Moved gathered = expected({word(false), unit, row_bytes, rows, named_row, row_in_order,
                                     offset, offset + (rows + 1) * row_bytes});
    Case("gather of " + what)
        .exactly("global_ld", gathered.read)
        .exactly("global_st", gathered.written)
        .run([&] {
            return wideload::gather_rows(table.as<char>(), rows + 1, index.data(),
                                         packed.as<char>(), rows, row_bytes);
        });
    const Moved scattered =
        expected({word(true), unit, row_bytes, rows, row_in_order, named_row, 0, rows * row_bytes});
    Case("scatter of " + what)
        .exactly("global_ld", scattered.read)
        .exactly("global_st", scattered.written)
        .run([&] {
            return wideload::scatter_rows(packed.as<char>(), index.data(), table.as<char>(),
                                          rows + 1, rows, row_bytes);
        });
}

/// Rows of `row_bytes` bytes, so many between them on either side, by words of so many where all
/// are such, else by shifted ones.
inline void copy_rows(std::size_t rows, std::size_t row_bytes, std::size_t from_gap,
                      std::size_t to_gap, std::size_t word, std::size_t unit) {
    const std::size_t pitch = row_bytes + from_gap, to_pitch = row_bytes + to_gap;
    const std::size_t span = rows * pitch - from_gap;
    Memory from(span), to(rows * to_pitch - to_gap);
    const auto from_row = [&](std::size_t row) { return row * pitch; };
    const auto to_row = [&](std::size_t row) { return row * to_pitch; };
    Moved moved;
    if (unit == word) {
        std::vector<std::size_t> read, written;
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t byte = 0; byte < row_bytes; byte += word) {
                read.push_back(from_row(row) + byte);
                written.push_back(to_row(row) + byte);
            }
        }
        moved = {sectors_of_lanes(read, 1, word), sectors_of_lanes(written, 1, word)};
    } else {
        moved = SlippedRows{word, unit, row_bytes, rows, from_row, to_row, 0, span}.moved(
            wideload::tuning::kStridedThreads);
    }
    Case("copy of " + std::to_string(rows) + " rows of " + std::to_string(row_bytes) + " bytes, " +
         std::to_string(pitch) + " to " + std::to_string(to_pitch) + " apart")
        .exactly("global_ld", moved.read)
        .exactly("global_st", moved.written)
        .run([&] {
            return wideload::copy_rows(from.as<char>(), pitch, to.as<char>(), to_pitch, rows,
                                       row_bytes);
        });
}

inline void move_rows() {
    copy_rows(128, 512, 128, 0, 16, 16);
    copy_rows(128, 496, 16, 48, 16, 16);
    copy_rows(128, 520, 24, 16, 8, 8);
    copy_rows(64, 36, 4, 8, 4, 4);
    copy_rows(64, 1028, 4, 8, 16, 4);
    copy_rows(64, 1030, 4, 2, 16, 2);
    copy_rows(64, 1031, 4, 2, 16, 1);
    copy_rows(64, 99, 4, 2, 4, 1);
    for (const std::size_t row_bytes : {32, 512, 1040, 24, 200, 8, 12, 52})
        move_whole_rows((std::size_t{1} << 17) / row_bytes, row_bytes);
    struct {
        std::size_t row_bytes, unit, offset;
    } const slipped[] = {{404, 4, 0},   {1028, 4, 12}, {404, 2, 2}, {98, 2, 0},
                         {1030, 2, 6},  {35, 1, 0},    {67, 1, 0},  {515, 1, 0},
                         {1031, 1, 15}, {512, 1, 1},   {3, 1, 0}};
    for (const auto& [row_bytes, unit, offset] : slipped)
        move_slipped_rows((std::size_t{1} << 16) / row_bytes, row_bytes, unit, offset);
}

inline void copies() {
    move_rows();
    for (const std::size_t bytes : {std::size_t{16}, std::size_t{1} << 12, std::size_t{1} << 18,
                                    (std::size_t{1} << 18) + 48, std::size_t{1} << 22}) {
        copy_bytes(bytes, 0, 0);
    }
    // Two words a thread.
    for (const std::size_t offset : {0, 5}) copy_bytes(std::size_t{15} << 19, offset, offset);
    for (const std::size_t from : {1, 5, 9, 13, 17, 21, 25, 29})
        copy_bytes((std::size_t{15} << 19) + 777, from, 0);
    for (const std::size_t bytes : {(std::size_t{1} << 18) - 1, (std::size_t{1} << 18) + 5}) {
        for (const std::size_t from : {0, 1, 4, 16, 17}) {
            for (const std::size_t to : {0, 4, 16, 31}) copy_bytes(bytes, from, to);
        }
    }
    // By blocks of more threads.
    fill_with<4>(std::size_t{5} << 20, 0);
    fill_with<12>(std::size_t{5} << 20, 4);
    for (const std::size_t bytes : {std::size_t{1} << 12, std::size_t{1} << 18}) {
        fill_with<1>(bytes, 0);
        fill_with<4>(bytes, 0);
        fill_with<12>(bytes, 0);
        fill_with<20>(bytes, 0);
        fill_with<200>(bytes, 0);
        fill_with<4>(bytes + 4, 4);
        fill_with<7>(bytes + 3, 1);
    }
    for (const int stride : {2, 3, 4, 7, 8, 16, 33}) {
        move_with_stride<unsigned char>(stride);
        move_with_stride<float>(stride);
        move_with_stride<double>(stride);
        move_with_stride<Blob<12>>(stride);
        move_with_stride<Blob<48>>(stride);
    }
    move_by_index<float>(1, "in order");
    move_by_index<float>(7, "every seventh");
    move_by_index<float>(4093, "all over");
    move_by_index<double>(4093, "all over");
    move_by_index<unsigned char>(129, "all over");
    move_by_index<Blob<12>>(1, "in order");
    move_by_index<Blob<12>>(4093, "all over");
    move_by_index<Blob<24>>(4093, "all over");
    move_by_index<Blob<44>>(4093, "all over");
    move_by_index<Blob<64>>(4093, "all over");
}

}  // namespace counts
