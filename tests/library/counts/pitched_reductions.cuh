// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_reductions.cuh"

/// The same of matrices whose rows lie apart.
namespace counts {

/// Rows that lie apart: each is a warp's or a block's, which reads it as a range and writes one
/// result.
template <class T>
void reduce_pitched_rows(std::size_t rows, std::size_t columns, std::size_t pitch) {
    std::size_t read = 0;
    for (std::size_t row = 0; row < rows; ++row)
        read += sectors_of_range(row * pitch * sizeof(T), (row * pitch + columns) * sizeof(T));
    Memory from(((rows - 1) * pitch + columns) * sizeof(T)), to(rows * sizeof(T));
    Case("reduce rows of " + std::to_string(rows) + " x " + std::to_string(columns) +
         " elements of " + std::to_string(sizeof(T)) + " bytes, " + std::to_string(pitch) +
         " apart")
        .wide_runs_exactly("global_ld", read)
        .whole("global_st", rows)
        .run([&] {
            return wideload::reduce_rows(from.as<T>(), pitch, rows, columns, to.as<T>(),
                                         wideload::plus{}, T{});
        });
}

/// A row a thread, whose words a block stages: of several rows a request. What fills no word at the
/// matrix's end is read element by element.
template <class Plan>
Moved move_short_rows_by_words(Plan plan, std::size_t rows, std::size_t columns) {
    constexpr std::size_t kSize = sizeof(typename Plan::Element);
    plan.rows = rows;
    plan.columns = static_cast<unsigned>(columns);
    plan.lie_apart(plan.apart, true);
    wideload::detail::shape_short_rows(&plan, static_cast<int>(multiprocessors()));
    const std::size_t pitch_bytes = plan.apart * kSize, row_bytes = columns * kSize;
    const std::size_t part = row_bytes % kWordBytes;
    WarpRequests words;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t block = row / plan.rows_per_block, of_block = row % plan.rows_per_block;
        const std::size_t whole = row + 1 == rows && part != 0 ? plan.words - 1 : plan.words;
        for (std::size_t word = 0; word < whole; ++word)
            words.add({block, (of_block * plan.words + word) / kLanes},
                      row * pitch_bytes + word * kWordBytes, kWordBytes);
    }
    const std::size_t end = (rows - 1) * pitch_bytes + row_bytes;
    return {words.sectors() + sectors_between(end - part, end),
            sectors(rows * sizeof(typename Plan::Value))};
}

/// Short ones, of which a block stages its own, by their words or with what lies between them.
template <class T>
void reduce_pitched_short_rows(std::size_t rows, std::size_t columns, std::size_t pitch,
                               bool by_words) {
    namespace detail = wideload::detail;
    detail::PitchedShortRowsPlan<T, T> plan{};
    plan.lie_apart(pitch, false);
    const Moved moved = by_words ? move_short_rows_by_words(plan, rows, columns)
                                 : move_short_rows(plan, rows, columns);
    Memory from(((rows - 1) * pitch + columns) * sizeof(T)), to(rows * sizeof(T));
    Case made("reduce short rows of " + std::to_string(rows) + " x " + std::to_string(columns) +
              " elements of " + std::to_string(sizeof(T)) + " bytes, " + std::to_string(pitch) +
              " apart");
    if (by_words) {
        made.exactly("global_ld", moved.read);
    } else {
        made.wide_runs_exactly("global_ld", moved.read);
    }
    made.whole("global_st", moved.written).run([&] {
        return wideload::reduce_rows(from.as<T>(), pitch, rows, columns, to.as<T>(),
                                     wideload::plus{}, T{});
    });
}

/// Columns of such, as many as 32 lanes have of one piece: of `each` columns a lane.
template <class T>
void reduce_pitched_columns(std::size_t rows, std::size_t columns, std::size_t pitch,
                            std::size_t each) {
    std::size_t read = 0;
    for (std::size_t row = 0; row < rows; ++row)
        read += sectors_by_requests(row * pitch * sizeof(T), (row * pitch + columns) * sizeof(T),
                                    kLanes * each * sizeof(T));
    Memory from(((rows - 1) * pitch + columns) * sizeof(T)), to(columns * sizeof(T));
    Case("reduce columns of " + std::to_string(rows) + " x " + std::to_string(columns) +
         " elements of " + std::to_string(sizeof(T)) + " bytes, rows " + std::to_string(pitch) +
         " apart")
        .wide_runs_exactly("global_ld", read)
        .whole("global_st", sectors(columns * sizeof(T)))
        .run([&] {
            return wideload::reduce_columns(from.as<T>(), pitch, rows, columns, to.as<T>(),
                                            wideload::plus{}, T{});
        });
}

inline void pitched_reductions() {
    reduce_pitched_rows<int>(40, 3000, 3004);
    reduce_pitched_rows<int>(40, 3001, 3007);
    reduce_pitched_rows<double>(33, 700, 801);
    reduce_pitched_short_rows<int>(3001, 12, 17, false);   // neighbours have banks of their own
    reduce_pitched_short_rows<int>(60000, 20, 32, false);  // some of them begin further on
    reduce_pitched_short_rows<int>(60000, 20, 48, true);   // as much between rows as in them
    reduce_pitched_short_rows<int>(3001, 13, 404, true);   // whose last word is none
    reduce_pitched_short_rows<double>(3001, 3, 4, false);
    reduce_pitched_short_rows<double>(3001, 5, 64, true);
    reduce_pitched_short_rows<unsigned char>(3001, 17, 21, false);     // every fourth row
    reduce_pitched_short_rows<unsigned char>(70000, 150, 171, false);  // every fourth, some MiB
    reduce_pitched_short_rows<unsigned char>(3001, 17, 128, true);
    reduce_pitched_short_rows<unsigned char>(3001, 16, 48, true);      // of one vector each
    reduce_pitched_short_rows<unsigned char>(70000, 150, 176, false);  // no whole vectors
    reduce_pitched_columns<int>(60, 128, 160, 4);
    reduce_pitched_columns<int>(60, 96, 101, 1);
    reduce_pitched_columns<double>(60, 64, 66, 2);
}

}  // namespace counts
