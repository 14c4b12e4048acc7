// SPDX-License-Identifier: Apache-2.0
// Counting for any host: vectors of 16 bytes, as the compiler lays them out.
#include "counters/compared_duplicates.h"
#include "counters/count_isa.h"
#include "counters/count_template.h"

namespace wideload::counters {
namespace {

struct Portable {
    using Part [[gnu::vector_size(16)]] = std::int32_t;
    static constexpr unsigned kPartLanes = 4;

    static inline std::uint32_t nonzero(Part part) {
        std::uint32_t bits = 0;
        for (unsigned i = 0; i < kPartLanes; ++i) {
            bits |= static_cast<std::uint32_t>(part[i] != 0) << i;
        }
        return bits;
    }

    static inline bool is_progression(const std::uint64_t* addresses, std::uint32_t mask,
                                      std::uint64_t start, std::int64_t stride) {
        std::uint64_t differ = 0, expected = start;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t active = -static_cast<std::uint64_t>(mask >> lane & 1);
            differ |= (addresses[lane] ^ expected) & active;
            expected += static_cast<std::uint64_t>(stride);
        }
        return differ == 0;
    }

    static inline bool load_distances(const std::uint64_t* addresses, std::uint32_t mask,
                                      std::uint64_t base, Part* out) {
        std::uint64_t out_of_range = 0;
        std::int32_t distances[kLanes];
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t active = -static_cast<std::uint64_t>(mask >> lane & 1);
            const std::uint64_t distance = (addresses[lane] - base) & active;
            out_of_range |= (distance + (1u << 30)) >> 31;
            distances[lane] = static_cast<std::int32_t>(distance);
        }
        std::memcpy(out, distances, sizeof(distances));
        return out_of_range == 0;
    }

    static inline std::uint32_t duplicates(const Part* part) {
        return compared_duplicates<Portable>(part);
    }

    static inline std::int32_t least(const Part* part) {
        Part four = part[0];
        for (unsigned p = 1; p < kLanes / kPartLanes; ++p) {
            four = part[p] < four ? part[p] : four;
        }
        const std::int32_t low = four[0] < four[1] ? four[0] : four[1];
        const std::int32_t high = four[2] < four[3] ? four[2] : four[3];
        return low < high ? low : high;
    }
    static inline std::int32_t most(const Part* part) {
        Part negated[kLanes / kPartLanes];
        for (unsigned p = 0; p < kLanes / kPartLanes; ++p) {
            negated[p] = -part[p];
        }
        return -least(negated);
    }
};

}  // namespace

const CountFunctions& portable_count_functions() { return kCountFunctions<Portable>; }

}  // namespace wideload::counters
