// SPDX-License-Identifier: Apache-2.0
// Counting by AVX-512 with conflict detection. Compiled with its flags: everything here has
// internal linkage but the one function that hands out the pointers.
#include <immintrin.h>

#include "counters/count_isa.h"
#include "counters/count_template.h"

namespace wideload::counters {
namespace {

struct Avx512 {
    using Part [[gnu::vector_size(64)]] = std::int32_t;
    static constexpr unsigned kPartLanes = 16;

    static inline std::uint32_t nonzero(Part part) {
        return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(part),
                                      reinterpret_cast<__m512i>(part));
    }

    static inline bool is_progression(const std::uint64_t* addresses, std::uint32_t mask,
                                      std::uint64_t start, std::int64_t stride) {
        const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        __m512i expected = _mm512_add_epi64(_mm512_mul_epi32(lanes, _mm512_set1_epi64(stride)),
                                            _mm512_set1_epi64(static_cast<long long>(start)));
        const __m512i eight_strides = _mm512_set1_epi64(8 * stride);
        std::uint32_t differ = 0;
        for (unsigned i = 0; i < 4; ++i) {
            differ |= static_cast<std::uint32_t>(
                          _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(addresses + 8 * i), expected))
                      << (8 * i);
            expected = _mm512_add_epi64(expected, eight_strides);
        }
        return (differ & mask) == 0;
    }

    static inline bool load_distances(const std::uint64_t* addresses, std::uint32_t mask,
                                      std::uint64_t base, Part* out) {
        const __m512i bases = _mm512_set1_epi64(static_cast<long long>(base));
        __m512i distance[4];
        for (unsigned i = 0; i < 4; ++i) {
            const __m512i eight = _mm512_loadu_si512(addresses + 8 * i);
            distance[i] =
                _mm512_maskz_sub_epi64(static_cast<__mmask8>(mask >> (8 * i)), eight, bases);
        }
        const __m512i offset = _mm512_set1_epi64(1 << 30);
        const __m512i low = _mm512_or_si512(_mm512_add_epi64(distance[0], offset),
                                            _mm512_add_epi64(distance[1], offset));
        const __m512i high = _mm512_or_si512(_mm512_add_epi64(distance[2], offset),
                                             _mm512_add_epi64(distance[3], offset));
        const __mmask8 out_of_range = _mm512_test_epi64_mask(_mm512_or_si512(low, high),
                                                             _mm512_set1_epi64(~((1ll << 31) - 1)));
        const __m512i even =
            _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        out[0] = reinterpret_cast<Part>(_mm512_permutex2var_epi32(distance[0], even, distance[1]));
        out[1] = reinterpret_cast<Part>(_mm512_permutex2var_epi32(distance[2], even, distance[3]));
        return out_of_range == 0;
    }

    static inline std::uint32_t duplicates(const Part* part) {
        const auto low = reinterpret_cast<__m512i>(part[0]);
        const auto high = reinterpret_cast<__m512i>(part[1]);
        const __m512i low_conflicts = _mm512_conflict_epi32(low);
        const __m512i high_conflicts = _mm512_conflict_epi32(high);
        // The upper lanes against each of the lower: four chains, so that they overlap.
        // Read back from memory, where a comparison broadcasts for free; the barrier keeps the
        // compiler from permuting.
        alignas(64) std::int32_t lower[16];
        _mm512_store_si512(lower, low);
        asm("" : "+m"(lower));
        __mmask16 differ[4] = {0xffff, 0xffff, 0xffff, 0xffff};
        for (unsigned i = 0; i < 16; ++i) {
            differ[i % 4] =
                _mm512_mask_cmpneq_epi32_mask(differ[i % 4], high, _mm512_set1_epi32(lower[i]));
        }
        const std::uint32_t across =
            static_cast<std::uint16_t>(~(differ[0] & differ[1] & differ[2] & differ[3]));
        const std::uint32_t within_low = _mm512_test_epi32_mask(low_conflicts, low_conflicts);
        const std::uint32_t within_high = _mm512_test_epi32_mask(high_conflicts, high_conflicts);
        return within_low | (within_high | across) << 16;
    }

    static inline std::int32_t least(const Part* part) {
        return _mm512_reduce_min_epi32(_mm512_min_epi32(reinterpret_cast<__m512i>(part[0]),
                                                        reinterpret_cast<__m512i>(part[1])));
    }
    static inline std::int32_t most(const Part* part) {
        return _mm512_reduce_max_epi32(_mm512_max_epi32(reinterpret_cast<__m512i>(part[0]),
                                                        reinterpret_cast<__m512i>(part[1])));
    }
};

}  // namespace

const CountFunctions& avx512_count_functions() { return kCountFunctions<Avx512>; }

}  // namespace wideload::counters
