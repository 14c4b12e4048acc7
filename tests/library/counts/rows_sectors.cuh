// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sectors.cuh"

namespace counts {

/// What `move_slipped_rows_kernel` moves: a lane has a word of the destination, into which two of
/// the source are shifted, a warp 32 words that follow one another.
struct SlippedRows {
    std::size_t word, unit, row_bytes, rows;
    std::function<std::size_t(std::size_t)> from, to;  ///< where a row begins, from a sector on
    std::size_t source_begin, source_end;              ///< what may be read by whole words

    /// @param block  threads of one, with a word each
    Moved moved(std::size_t block) const {
        const std::size_t count = rows * per_row();
        Moved sum;
        for (std::size_t first = 0; first < round_up(count, block); first += kLanes) {
            std::vector<Lane> lanes;
            for (std::size_t slot = first; slot < first + kLanes; ++slot)
                lanes.push_back(lane(std::min(slot, count - 1), slot < count));
            sum = sum + moved_by(lanes);
        }
        return sum;
    }
    /// The numbers of the rows whose index each lane asks for.
    std::vector<std::size_t> named(std::size_t block) const {
        const std::size_t count = rows * per_row();
        std::vector<std::size_t> names;
        for (std::size_t slot = 0; slot < round_up(count, block); ++slot)
            names.push_back(std::min(slot, count - 1) / per_row());
        return names;
    }

private:
    struct Lane {
        std::ptrdiff_t begin;  ///< of the word, in the row
        std::ptrdiff_t from, to;
        bool exists;
    };
    using Requests = std::set<std::ptrdiff_t>;

    std::size_t per_row() const { return (row_bytes + 2 * word - unit - 1) / word; }
    Lane lane(std::size_t slot, bool exists) const {
        const std::size_t row = slot / per_row(), at = to(row);
        const auto begin = static_cast<std::ptrdiff_t>(slot % per_row() * word - at % word);
        return {begin, static_cast<std::ptrdiff_t>(from(row)) + begin,
                static_cast<std::ptrdiff_t>(at) + begin, exists};
    }
    bool in_row(std::ptrdiff_t byte) const {
        return byte >= 0 && byte < static_cast<std::ptrdiff_t>(row_bytes);
    }
    /// Of `width` bytes from `begin` on, whether all, or any, are of the row.
    bool all_in_row(std::ptrdiff_t begin, std::size_t width) const {
        return in_row(begin) && in_row(begin + static_cast<std::ptrdiff_t>(width) - 1);
    }
    bool any_in_row(std::ptrdiff_t begin, std::size_t width) const {
        return begin + static_cast<std::ptrdiff_t>(width) > 0 &&
               begin < static_cast<std::ptrdiff_t>(row_bytes);
    }
    static void ask(Requests& sectors, std::ptrdiff_t address) {
        sectors.insert(address / static_cast<std::ptrdiff_t>(kSectorBytes));
    }

    Moved moved_by(const std::vector<Lane>& lanes) const {
        const auto width = static_cast<std::ptrdiff_t>(word);
        const auto slip = [&](const Lane& lane) { return (lane.from % width + width) % width; };
        for (const Lane& lane : lanes) {
            const std::ptrdiff_t low = lane.from - slip(lane);
            if (low < static_cast<std::ptrdiff_t>(source_begin) ||
                low + 2 * width > static_cast<std::ptrdiff_t>(source_end))
                return moved_by_units(lanes);
        }
        Requests low, high, whole;
        for (const Lane& lane : lanes) {
            const std::ptrdiff_t past = slip(lane), place = lane.begin - past;
            if (any_in_row(place, word)) ask(low, lane.from - past);
            if (past != 0 && place + width < static_cast<std::ptrdiff_t>(row_bytes))
                ask(high, lane.from - past + width);
            if (lane.exists && all_in_row(lane.begin, word)) ask(whole, lane.to);
        }
        Moved sum{low.size() + high.size(), whole.size()};
        sum.written += word == 16 && unit < 4 ? ends_by_pieces(lanes) : ends_by_units(lanes);
        return sum;
    }
    /// The ends of rows by pieces of 8, 4, 2 and 1 bytes, the larger further inside the row.
    std::size_t ends_by_pieces(const std::vector<Lane>& lanes) const {
        std::size_t written = 0;
        for (std::size_t piece = word / 2; piece >= unit; piece /= 2) {
            Requests pieces;
            for (const Lane& lane : lanes) {
                if (!lane.exists || !is_edge(lane) || !any_in_row(lane.begin, word)) continue;
                const bool begins = lane.begin < 0;
                const std::size_t bytes = begins ? word + lane.begin : row_bytes - lane.begin;
                const std::size_t larger = bytes / (2 * piece) * (2 * piece);
                if (bytes - larger < piece) continue;
                ask(pieces,
                    lane.to + static_cast<std::ptrdiff_t>(begins ? word - larger - piece : larger));
            }
            written += pieces.size();
        }
        return written;
    }
    /// By words of 4 bytes, and what is left by units.
    std::size_t ends_by_units(const std::vector<Lane>& lanes) const {
        std::size_t written = 0;
        const auto width = static_cast<std::ptrdiff_t>(word);
        for (std::ptrdiff_t part = 0; part < width; part += 4) {
            Requests fours;
            for (const Lane& lane : lanes) {
                if (lane.exists && is_edge(lane) && word != 4 && all_in_row(lane.begin + part, 4))
                    ask(fours, lane.to + part);
            }
            written += fours.size();
            for (std::ptrdiff_t i = part; i < part + 4; i += static_cast<std::ptrdiff_t>(unit)) {
                Requests units;
                for (const Lane& lane : lanes) {
                    if (lane.exists && is_edge(lane) && !all_in_row(lane.begin + part, 4) &&
                        in_row(lane.begin + i))
                        ask(units, lane.to + i);
                }
                written += units.size();
            }
        }
        return written;
    }
    bool is_edge(const Lane& lane) const { return !all_in_row(lane.begin, word); }

    Moved moved_by_units(const std::vector<Lane>& lanes) const {
        Moved sum;
        for (std::size_t i = 0; i < word; i += unit) {
            Requests read, written;
            const auto past = static_cast<std::ptrdiff_t>(i);
            for (const Lane& lane : lanes) {
                if (!lane.exists || !in_row(lane.begin + past)) continue;
                ask(read, lane.from + past);
                ask(written, lane.to + past);
            }
            sum = sum + Moved{read.size(), written.size()};
        }
        return sum;
    }
};

}  // namespace counts
