// SPDX-License-Identifier: Apache-2.0
// says: wideload::store: the vector's element type is not that of the pointer
// says: wideload::store: the pointer's elements are const
#include <wideload/thread/store.cuh>
__global__ void wrong(float* data, const float* read) {
    wideload::store(data, 0, wideload::vec<int, 4>{});
    wideload::store(read, 0, wideload::vec<float, 4>{});
}
