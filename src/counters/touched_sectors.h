// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace wideload::counters {

/// Which 32-byte sectors of global memory a launch read and wrote, each once however often it was
/// asked for: what has to come from DRAM, and to go there, even with caches without end. One
/// worker's share; shares are joined when the launch ends.
class TouchedSectors {
public:
    struct Totals {
        std::uint64_t read = 0, written = 0;  ///< sectors; one that is both counts in each
    };

    /// One lane's bytes, at most 32 and aligned to their number, so that they lie in one sector.
    void touch(std::uint64_t address, bool read, bool written) {
        const std::uint64_t sector = address / kBytes;
        Chunk& chunk = chunk_of(sector / kSectorsPerChunk);
        const std::uint64_t index = sector % kSectorsPerChunk;
        const std::uint64_t bit = std::uint64_t{1} << index % 64;
        if (read) chunk.read[index / 64] |= bit;
        if (written) chunk.written[index / 64] |= bit;
    }

    void add(const TouchedSectors& other) {
        for (const auto& [number, theirs] : other.chunks_) {
            Chunk& own = chunk_of(number);
            for (std::size_t i = 0; i < own.read.size(); ++i) {
                own.read[i] |= theirs->read[i];
                own.written[i] |= theirs->written[i];
            }
        }
    }

    [[nodiscard]] Totals totals() const {
        Totals totals;
        for (const auto& [number, chunk] : chunks_) {
            for (std::size_t i = 0; i < chunk->read.size(); ++i) {
                totals.read += static_cast<std::uint64_t>(std::popcount(chunk->read[i]));
                totals.written += static_cast<std::uint64_t>(std::popcount(chunk->written[i]));
            }
        }
        return totals;
    }

    void clear() {
        chunks_.clear();
        last_ = nullptr;
    }

private:
    static constexpr std::uint64_t kBytes = 32;
    static constexpr std::uint64_t kSectorsPerChunk = 4096;
    struct Chunk {
        std::array<std::uint64_t, kSectorsPerChunk / 64> read{}, written{};
    };

    Chunk& chunk_of(std::uint64_t number) {
        // Neighbouring lanes and requests mostly fall into one chunk.
        if (last_ == nullptr || last_number_ != number) {
            std::unique_ptr<Chunk>& place = chunks_[number];
            if (place == nullptr) place = std::make_unique<Chunk>();
            last_ = place.get();
            last_number_ = number;
        }
        return *last_;
    }

    std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
    std::uint64_t last_number_ = 0;
    Chunk* last_ = nullptr;
};

}  // namespace wideload::counters
