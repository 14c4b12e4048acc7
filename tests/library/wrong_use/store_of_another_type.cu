// SPDX-License-Identifier: Apache-2.0
// says: wideload::store: the vector's element type is not that of the pointer
#include <wideload/thread/store.cuh>
__global__ void wrong(float* data) { wideload::store(data, 0, wideload::vec<int, 4>{}); }
