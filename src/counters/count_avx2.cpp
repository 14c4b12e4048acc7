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
    typedef std::int32_t Part __attribute__((vector_size(32)));
    static constexpr unsigned kPartLanes = 8;

    static inline std::uint32_t nonzero(Part part) {
        const Part truth = part != 0;
        return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(truth)));
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
};

}  // namespace

const CountFunctions& avx2_count_functions() { return kCountFunctions<Avx2>; }

}  // namespace wideload::counters
