// SPDX-License-Identifier: Apache-2.0
// Blocks of threads that cannot fill or empty a tile.
#include <wideload/wideload.cuh>

namespace block = wideload::block;

__global__ void wrong(const char* from, float* to) {
    // says: block::shifted_transpose: the warps must fill whole rows
    using narrow = block::shifted_transpose<float, 32, 64, 32, 32>;
    __shared__ typename narrow::storage staged;
    narrow::stage(staged, from, 64, 64, 0, 0, from, from, threadIdx.x);
    // says: block::swizzled_transpose: the threads must fill whole columns
    using high = block::swizzled_transpose<float, 256, 32, 32>;
    __shared__ typename high::storage held;
    high::drain(held, to, 256, 256, 32, threadIdx.x);
    // says: block::sheared_transpose: the threads must fill whole columns
    using long_columns = block::sheared_transpose<float, 256, 32, 64, 8>;
    __shared__ typename long_columns::storage words;
    long_columns::drain(words, to, 256, 256, 32, 0, 0, threadIdx.x);
    // says: an asynchronous copy moves 4, 8 or 16 bytes
    wideload::detail::async_copy<3>(&held, from);
}
