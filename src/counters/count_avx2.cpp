// SPDX-License-Identifier: Apache-2.0
// Counting by AVX2. Compiled with its flags: everything here has internal linkage but the one
// function that hands out the pointers.
#include <immintrin.h>

#include "counters/compared_duplicates.h"
#include "counters/count_isa.h"
#include "counters/count_template.h"

namespace wideload::counters {
namespace {

struct Avx2 {
    using Part [[gnu::vector_size(32)]] = std::int32_t;
    static constexpr unsigned kPartLanes = 8;

    static inline std::uint32_t nonzero(Part part) {
        const Part truth = part != 0;
        return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(truth)));
    }

    static inline bool is_progression(const std::uint64_t* addresses, std::uint32_t mask,
                                      std::uint64_t start, std::int64_t stride) {
        const __m256i lanes = _mm256_set_epi64x(3, 2, 1, 0);
        __m256i expected = _mm256_add_epi64(_mm256_mul_epi32(lanes, _mm256_set1_epi64x(stride)),
                                            _mm256_set1_epi64x(static_cast<long long>(start)));
        const __m256i four_strides = _mm256_set1_epi64x(4 * stride);
        std::uint32_t equal = 0;
        for (unsigned lane = 0; lane < kLanes; lane += 4) {
            const __m256i address =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(addresses + lane));
            const __m256i same = _mm256_cmpeq_epi64(address, expected);
            equal |= static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(same)))
                     << lane;
            expected = _mm256_add_epi64(expected, four_strides);
        }
        return (mask & ~equal) == 0;
    }

    static inline bool load_distances(const std::uint64_t* addresses, std::uint32_t mask,
                                      std::uint64_t base, Part* out) {
        const __m256i bases = _mm256_set1_epi64x(static_cast<long long>(base));
        const __m256i offset = _mm256_set1_epi64x(1 << 30);
        const __m256i lane_bits = _mm256_set_epi64x(8, 4, 2, 1);
        __m256i together = _mm256_setzero_si256();
        const auto four = [&](unsigned lane) {
            const __m256i bits = _mm256_and_si256(
                _mm256_set1_epi64x(static_cast<long long>(mask >> lane)), lane_bits);
            const __m256i active = _mm256_cmpeq_epi64(bits, lane_bits);
            const __m256i address =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(addresses + lane));
            const __m256i distance = _mm256_and_si256(_mm256_sub_epi64(address, bases), active);
            together = _mm256_or_si256(together, _mm256_add_epi64(distance, offset));
            return distance;
        };
        for (unsigned p = 0; p < 4; ++p) {
            const __m256i low = four(8 * p), high = four(8 * p + 4);
            // Low halves of both, in the order 0 1 4 5 2 3 6 7.
            const __m256 halves =
                _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88);
            out[p] =
                reinterpret_cast<Part>(_mm256_permute4x64_epi64(_mm256_castps_si256(halves), 0xd8));
        }
        const __m256i beyond = _mm256_set1_epi64x(~((1ll << 31) - 1));
        return _mm256_testz_si256(together, beyond) != 0;
    }

    static inline std::uint32_t duplicates(const Part* part) {
        return compared_duplicates<Avx2>(part);
    }

    static inline std::int32_t least(const Part* part) {
        const Part two = smaller(smaller(part[0], part[1]), smaller(part[2], part[3]));
        return fold(two, [](__m128i a, __m128i b) { return _mm_min_epi32(a, b); });
    }
    static inline std::int32_t most(const Part* part) {
        const Part two = greater(greater(part[0], part[1]), greater(part[2], part[3]));
        return fold(two, [](__m128i a, __m128i b) { return _mm_max_epi32(a, b); });
    }

private:
    static inline Part smaller(Part a, Part b) { return a < b ? a : b; }
    static inline Part greater(Part a, Part b) { return a > b ? a : b; }

    template <class F>
    static inline std::int32_t fold(Part part, F choose) {
        const auto eight = reinterpret_cast<__m256i>(part);
        __m128i four = choose(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
        four = choose(four, _mm_shuffle_epi32(four, 0x4e));
        return _mm_cvtsi128_si32(choose(four, _mm_shuffle_epi32(four, 0xb1)));
    }
};

}  // namespace

const CountFunctions& avx2_count_functions() { return kCountFunctions<Avx2>; }

}  // namespace wideload::counters
