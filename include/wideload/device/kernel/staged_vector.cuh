// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// Gets a vector of `Bytes` bytes of shared memory, which lies at a multiple of its size, as its
/// units of 4, by one access: it seems to use all of them, for of parts that the compiler reads
/// alone, lanes meet in banks.
template <int Bytes>
WIDELOAD_DEVICE void get_staged_vector(std::uint32_t* units, const void* staged) {
    using Vector = access_word_t<Bytes>;
    const Vector vector = *static_cast<const Vector*>(staged);
    std::memcpy(units, &vector, sizeof(vector));
#pragma unroll
    for (int i = 0; i < Bytes / 4; ++i) asm volatile("" ::"r"(units[i]));
}

}  // namespace wideload::WIDELOAD_DETAIL
