// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "jit/runtime/lane_moves_portable.h"

namespace wideload::jit {
namespace {

bool all_legal_wide(const std::uint64_t* addresses, std::uint32_t mask, std::uint64_t begin,
                    std::uint64_t last, std::uint64_t low_bits) {
    const __m512i begins = _mm512_set1_epi64(static_cast<long long>(begin));
    const __m512i lasts = _mm512_set1_epi64(static_cast<long long>(last));
    const __m512i low = _mm512_set1_epi64(static_cast<long long>(low_bits));
    std::uint32_t bad = 0;
    for (unsigned part = 0; part < 4; ++part) {
        const __m512i lanes = _mm512_loadu_si512(addresses + part * 8);
        const __mmask8 outside = _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(lanes, begins), lasts);
        const __mmask8 misaligned = _mm512_test_epi64_mask(lanes, low);
        bad |= static_cast<std::uint32_t>(outside | misaligned) << part * 8;
    }
    return (bad & mask) == 0;
}

void load_words(const std::uint64_t* addresses, std::uint32_t mask, std::uint64_t displacement,
                unsigned width, void* buffer) {
    if (width != 1) return move<std::uint32_t, false>(addresses, mask, displacement, width, buffer);
    const __m512i shift = _mm512_set1_epi64(static_cast<long long>(displacement));
    for (unsigned part = 0; part < 4; ++part) {
        const __m512i lanes = _mm512_add_epi64(_mm512_loadu_si512(addresses + part * 8), shift);
        // Other lanes may have been loaded already, from memory at another displacement.
        auto* place = static_cast<__m256i*>(buffer) + part;
        const __m256i words = _mm512_mask_i64gather_epi32(
            _mm256_loadu_si256(place), static_cast<__mmask8>(mask >> part * 8), lanes, nullptr, 1);
        _mm256_storeu_si256(place, words);
    }
}

void load_double_words(const std::uint64_t* addresses, std::uint32_t mask,
                       std::uint64_t displacement, unsigned width, void* buffer) {
    if (width != 1) return move<std::uint64_t, false>(addresses, mask, displacement, width, buffer);
    const __m512i shift = _mm512_set1_epi64(static_cast<long long>(displacement));
    for (unsigned part = 0; part < 4; ++part) {
        const __m512i lanes = _mm512_add_epi64(_mm512_loadu_si512(addresses + part * 8), shift);
        auto* place = static_cast<__m512i*>(buffer) + part;
        const __m512i words = _mm512_mask_i64gather_epi64(
            _mm512_loadu_si512(place), static_cast<__mmask8>(mask >> part * 8), lanes, nullptr, 1);
        _mm512_storeu_si512(place, words);
    }
}

}  // namespace

extern const LaneMoves kWideMoves;
const LaneMoves kWideMoves{
    &all_legal_wide,
    {kPortableMoves.load[0], kPortableMoves.load[1], &load_words, &load_double_words,
     kPortableMoves.load[4]},
    {kPortableMoves.store[0], kPortableMoves.store[1], kPortableMoves.store[2],
     kPortableMoves.store[3], kPortableMoves.store[4]}};

}  // namespace wideload::jit
